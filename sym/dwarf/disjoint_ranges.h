/* Ranges of addresses, each with a number, made disjoint: they tell which number an address belongs to, even if several claim
 * it. */
#ifndef SYM_DWARF_DISJOINT_RANGES_H
#define SYM_DWARF_DISJOINT_RANGES_H

#include "lib/mem.h"

struct disjoint_range {
	uint64_t lo, hi, what;
};

struct disjoint_ranges {
	struct disjoint_range *span;         /* a vector */
	uint32_t n, cap;
};

/* False at the memory cap.  An empty range is left out. */
bool disjoint_add(struct disjoint_ranges *, uint64_t lo, uint64_t hi, uint64_t what);
/* Sorts the ranges, and makes them disjoint: if some overlap, the one with the smallest (or LARGEST) WHAT wins.  False at the
 * memory cap: then no range is left. */
bool disjoint_settle(struct disjoint_ranges *, bool largest);
/* Finds the range; the ranges must be settled. */
const struct disjoint_range *disjoint_find(const struct disjoint_range *, uint32_t n, uint64_t addr);
void disjoint_free(struct disjoint_ranges *);

#endif
