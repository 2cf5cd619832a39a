/* The name of an entry's function, and the place of its declaration. */
#ifndef SYM_DWARF_DECLARED_H
#define SYM_DWARF_DECLARED_H

#include "abbrev.h"

/* The name of an entry's function and the place of its declaration; ID is the same for all entries of that function. */
struct declared {
	const char *name, *file;
	const char *plain;         /* without its scope; used if there is no NAME */
	uint32_t line, hops;
	uint64_t id;
};
void function_declared(struct unit *, uint64_t die, struct declared *);
/* Takes what the entry at AT says, and sets AT to the next entry that says more; false if there is none.  OWN: the file of
 * the first entry. */
bool function_step(struct die_at *at, const struct dwarf *own, struct declared *);
/* The first entry that says something about the declaration of this entry's function: the entry itself, or the one that it
 * was made from. */
uint64_t function_entry(struct unit *, const struct die *);

#endif
