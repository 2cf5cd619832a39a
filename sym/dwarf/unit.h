/* A file's units: found by their headers, opened by their first entries, whole with their split part. */
#ifndef SYM_DWARF_UNIT_H
#define SYM_DWARF_UNIT_H

#include "dwarf_file.h"

/* Finds the file's units, in their order, up to the one around OFF, and gives each to the index while its entry is in memory.
 * TIDY: the caller uses no unit, so the function may forget what it has read before. */
void units_find(struct dwarf *, uint64_t off, bool tidy);
struct unit *unit_open(struct dwarf *, uint32_t slot);
/* The slot of the unit with its header at OFF, or UINT32_MAX. */
uint32_t slot_of(struct dwarf *, uint64_t off);
/* The unit that OFF in .debug_info lies in. */
struct unit *unit_at(struct dwarf *, uint64_t off);
/* The unit with U's entries: its split part, if prof can read that, else U. */
struct unit *unit_whole(struct unit *);

#endif
