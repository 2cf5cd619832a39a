/* A module's functions by address: .symtab, .dynsym, Go's own table, PLT entries, entry point.  Built at first use, sorted, looked up by
 * binary search. */
#ifndef SYM_MODULE_SYMTAB_H
#define SYM_MODULE_SYMTAB_H

#include "module.h"
#include "symbol.h"

/* The function at VADDR: false where the file names none there. */
bool symtab_find(struct modules *, struct module *, uint64_t vaddr, struct symbol *);
/* Whether it is a Go program's. */
bool symtab_go(struct modules *, struct module *);
/* How far sp is at VADDR from where it was when the function began, where Go's table tells. */
bool symtab_depth(struct modules *, struct module *, uint64_t vaddr, uint32_t *depth);
/* Behind it: up to where the same is to be said, as long as it is the same symbol's or frame description's. */
uint64_t symtab_until(const struct module *, uint64_t vaddr);

#endif
