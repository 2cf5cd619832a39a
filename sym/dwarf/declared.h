/* The name of an entry's function, and the place of its declaration. */
#ifndef SYM_DWARF_DECLARED_H
#define SYM_DWARF_DECLARED_H

#include "abbrev.h"

/* What the function of an entry is called, and where it is declared; and what is the same for all of its entries. */
struct declared {
	const char *name, *file;
	const char *plain;         /* without its scope: where there is no NAME */
	uint32_t line, hops;
	uint64_t id;
};
void function_declared(struct unit *, uint64_t die, struct declared *);
/* Takes what the entry at AT says, which then is the next one that does; false where there is none.  OWN: of the first. */
bool function_step(struct die_at *at, const struct dwarf *own, struct declared *);
/* Where what is declared of the function of that entry of U begins to be told: where it was made from, if the entry says nothing
 * itself. */
uint64_t function_entry(struct unit *, const struct die *);

#endif
