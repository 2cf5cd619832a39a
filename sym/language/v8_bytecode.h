/* Which place in the source a bytecode stands for, be it interpreted or compiled as it is (baseline code). */
#ifndef SYM_LANGUAGE_V8_BYTECODE_H
#define SYM_LANGUAGE_V8_BYTECODE_H

#include "v8_compiled.h"
#include "v8_table.h"

/* The place of what lies AT bytes into the code, which was made from bytecode; of bytecode that is interpreted (LO 0), AT is what V8 keeps
 * for the frame.  0: none. */
uint64_t v8_bytecode_place(struct v8_table *, const struct v8_image *, struct look *, const struct v8_compiled *, uint64_t at);

#endif
