/* A file's units: found by their headers, opened by their first entries, whole with their split part. */
#ifndef SYM_DWARF_UNIT_H
#define SYM_DWARF_UNIT_H

#include "dwarf_file.h"

/* Finds its units up to the one that OFF lies in, in their order, and tells the index of each while its entry is there.  TIDY: the
 * caller has no unit, and what was read may be forgotten in between. */
void units_find(struct dwarf *, uint64_t off, bool tidy);
struct unit *unit_open(struct dwarf *, uint32_t slot);
/* The slot of the unit whose header is at OFF, or UINT32_MAX. */
uint32_t slot_of(struct dwarf *, uint64_t off);
/* The unit that OFF in .debug_info lies in. */
struct unit *unit_at(struct dwarf *, uint64_t off);
/* The entries of U are those of its split part, if it has one that prof can read. */
struct unit *unit_whole(struct unit *);

#endif
