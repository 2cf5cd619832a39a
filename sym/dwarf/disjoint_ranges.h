/* Ranges of addresses, each with a number, made disjoint: which one an address lies in, where several claim it. */
#ifndef SYM_SPAN_H
#define SYM_SPAN_H

#include "lib/mem.h"

struct span {
	uint64_t lo, hi, what;
};

struct spans {
	struct span *span;         /* a vector */
	uint32_t n, cap;
};

/* False at the memory cap.  An empty range is left out. */
bool span_add(struct spans *, uint64_t lo, uint64_t hi, uint64_t what);
/* Sorts and makes them disjoint: where some overlap the one with the smallest WHAT wins, or the largest.  False at the memory
 * cap: then there are none left. */
bool spans_settle(struct spans *, bool largest);
/* Of settled ones. */
const struct span *span_find(const struct span *, uint32_t n, uint64_t addr);
void spans_free(struct spans *);

#endif
