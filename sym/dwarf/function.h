/* The functions of a unit. */
#ifndef SYM_DWARF_FUNCTION_H
#define SYM_DWARF_FUNCTION_H

#include "inline.h"

/* Adds the functions of U to SPANS, WHAT: the entry.  DEEP: also those in types and in other functions. */
bool functions_scan(struct unit *, bool deep, struct disjoint_ranges *);
/* The functions of U (whole) that ADDR lies in, outermost first, at most MAX, as entries.  START: lowest address of the first. */
unsigned functions_find(struct unit *, uint64_t addr, struct frame *, unsigned max, uint64_t *start);
/* The entry of the function of U (whole) that has code at ADDR, into which others may be inlined. */
bool functions_entry(struct unit *, uint64_t addr, uint64_t *die);

#endif
