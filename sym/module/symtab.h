/* A module's functions by address: .symtab, .dynsym, Go's own table, PLT entries, entry point.  Built at first use, sorted, looked up by
 * binary search. */
#ifndef SYM_MODULE_SYMTAB_H
#define SYM_MODULE_SYMTAB_H

#include "module.h"
#include "symbol.h"

/* The function at VADDR; false if the file names none there. */
bool symtab_find(struct modules *, struct module *, uint64_t vaddr, struct symbol *);
/* Whether the module is a Go program. */
bool symtab_go(struct modules *, struct module *);
/* The distance between sp at VADDR and sp at the beginning of the function, if Go's table has it. */
bool symtab_depth(struct modules *, struct module *, uint64_t vaddr, uint32_t *depth);
/* The address up to which the answer for VADDR stays the same, within its symbol or frame description. */
uint64_t symtab_until(const struct module *, uint64_t vaddr);

#endif
