/* Which functions of JavaScript an instruction of optimized code stands for: V8 has inlined the inner ones into the outer ones. */
#ifndef SYM_LANGUAGE_V8_INLINED_H
#define SYM_LANGUAGE_V8_INLINED_H

#include "v8_bytecode.h"
#include "v8_code.h"

enum { V8_PLACES = 4096, V8_INLINED = 16 };

/* The functions at PC, with their lines, innermost first. */
struct v8_place {
	const void *process;
	uint64_t pc, code, shared, positions;   /* of struct v8_compiled */
	uint64_t looked;                        /* ns */
	uint32_t codes[V8_INLINED];
	uint32_t n;                             /* 0: they are not known */
};

/* A room's. */
struct v8_places {
	struct v8_place place[V8_PLACES];
	struct v8_table table;
};

/* NULL if the code does not tell. */
const struct v8_place *v8_place_at(struct v8_places *, struct v8_codes *, const struct v8_image *, struct look *, const void *process,
                                   const struct v8_compiled *, uint64_t pc);

#endif
