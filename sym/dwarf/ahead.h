/* The places of many addresses at once, kept for the questions that come. */
#ifndef SYM_DWARF_AHEAD_H
#define SYM_DWARF_AHEAD_H

#include "dwarf_file.h"
#include "place.h"

/* Prepares the questions for these N addresses of what D describes, in their order. */
void ahead_ask(struct dwarf *d, const uint64_t *vaddr, uint32_t n);
/* The places of an address that ahead_ask got, as dwarf_find gives them, and how many; false: it did not get the address. */
bool ahead_find(const struct dwarf *, uint64_t addr, struct place *, unsigned max, unsigned *n);
/* Forgets the answers. */
void ahead_forget(struct dwarf_cache *);

#endif
