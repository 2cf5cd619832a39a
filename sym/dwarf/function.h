/* The functions of a unit. */
#ifndef SYM_DWARF_FUNCTION_H
#define SYM_DWARF_FUNCTION_H

#include "inline.h"

/* Adds the functions of U to SPANS, WHAT: the entry.  DEEP: also those in types and in other functions. */
bool functions_scan(struct unit *, bool deep, struct disjoint_ranges *);
/* The functions of U (whole) that ADDR lies in, outermost first, at most MAX, as entries.  START: lowest address of the first. */
unsigned functions_find(struct unit *, uint64_t addr, struct frame *, unsigned max, uint64_t *start);

#endif
