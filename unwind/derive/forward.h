/* The way from an address forward to a return. */
#ifndef UNWIND_DERIVE_FORWARD_H
#define UNWIND_DERIVE_FORWARD_H

#include "flow.h"

enum { PATHS = 400 };       /* compiled Java has many before its first return */

/* Paths that are still to be followed. */
struct ways {
	struct flow path[PATHS];
	uint64_t seen[PATHS];
	uint8_t state[PATHS];     /* of those SEEN */
	unsigned paths, nseen, budget;
	const struct dead_ends *dead;   /* what prof knows of that code, or NULL */
	bool dead_by_fp;          /* DEAD says so of code that one of them led to */
	bool misses;              /* one of them led to a return that told nothing: in another state it may */
	bool unsure;              /* one of them led nowhere */
	bool called;              /* one of them led to a call */
	bool entered;             /* one of them led to a system call, and no further */
	bool by_fp;               /* one of them uses fp as the base of a frame */
};

/* The rule at START by a way from there to a return; false where the code does not tell.  RETURNS: START is behind a call.  WAYS:
 * room that is too large for the stack. */
bool derive_forward(struct reader *, struct ways *, uint64_t start, bool returns, struct rule *);
/* By how much sp rises on a way from START to a jump by an address; false if no such way is found. */
bool derive_leaving(struct reader *, struct ways *, uint64_t start, int32_t *rise);

#endif
