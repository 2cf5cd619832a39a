/* --jit-names: asks runtimes of the targets for the names of the code that they have compiled. */
#ifndef CMD_CAPTURE_JIT_NAMES_H
#define CMD_CAPTURE_JIT_NAMES_H

#include "cmd/options/target_options.h"
#include "sample/rights/jvm_attach.h"

/* Begins, while prof still has its rights; COMMAND: the process of the target's command, or 0.  False after an error message. */
bool jit_names_begin(struct jvm_attach *, const struct target_options *, int32_t command);
/* At the end of the capture, before prof reads the names; says what went wrong. */
void jit_names_end(struct jvm_attach *);

#endif
