/* The code of an entry, range by range. */
#ifndef SYM_DWARF_RANGE_H
#define SYM_DWARF_RANGE_H

#include "abbrev.h"

struct range_reader {
	const struct unit *unit;
	struct cursor c;
	uint64_t base, lo, hi;
	enum { RANGES_END, RANGES_ONE, RANGES_PAIRS, RANGES_LIST } kind;
};
void ranges_open(struct range_reader *, const struct unit *, const struct die *);
bool ranges_next(struct range_reader *, uint64_t *lo, uint64_t *hi);

#endif
