/* Code that V8 has compiled from a function.  It stays where it is, while the function itself may move. */
#ifndef SYM_LANGUAGE_V8_COMPILED_H
#define SYM_LANGUAGE_V8_COMPILED_H

#include "languages.h"
#include "v8_object.h"

enum { V8_COMPILED = 1024 };

/* The code at [lo, hi) of a process. */
struct v8_compiled {
	const void *process;
	uint64_t lo, hi;           /* HI 0: none was found for LO */
	uint64_t code;             /* V8's object for it */
	uint64_t shared;           /* what it was optimized from, or 0; */
	uint64_t data;             /* then: what V8 keeps to go back to the interpreter; */
	uint64_t bytes;            /* else the bytecode that it was made from, or 0 */
	uint64_t positions;        /* which instruction stands for what in the source; or of bytecode, where the instructions of each end */
	uint64_t looked;           /* ns */
};

/* A room's. */
struct v8_compiled_codes {
	struct v8_compiled compiled[V8_COMPILED];
};

/* The code that holds PC; NULL if there is none. */
const struct v8_compiled *v8_compiled_at(struct v8_compiled_codes *, const struct v8_image *, struct languages *, struct look *, const void *process,
                                         uint64_t pc);

#endif
