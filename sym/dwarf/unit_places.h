/* The places of an address in a unit, and the file that describes a module's code. */
#ifndef SYM_DWARF_UNIT_PLACES_H
#define SYM_DWARF_UNIT_PLACES_H

#include "declared.h"
#include "place.h"

/* The DWARF that describes M's code, or NULL. */
struct dwarf *dwarf_describing(struct modules *, struct module *m);
/* The places of VADDR in U, as dwarf_find gives them, but without declarations.  DIE: their entries (0: no entry). */
enum { FRAMES_MAX = 64 };
unsigned unit_places_find(struct unit *u, uint64_t vaddr, struct place *, unsigned max, uint64_t *die);
void place_declare(struct place *, const struct declared *, bool outermost);

#endif
