/* Entries of the procedure linkage table: an entry's instructions lead to the GOT slot, and the slot's relocation to a
 * name. */
#ifndef SYM_ELF_PLT_H
#define SYM_ELF_PLT_H

#include "symbol_tables.h"

/* What an entry jumps through. */
struct plt_entry {
	uint64_t lo, hi;
	uint64_t slot;             /* address of its GOT slot, or UINT64_MAX */
	uint64_t reloc;            /* the number of its relocation, if SLOT is UINT64_MAX */
};

/* The entry around VADDR, by the machine's usual instructions; no part of it is below FLOOR. */
bool plt_decode(const struct elf *, uint64_t got, uint64_t vaddr, uint64_t floor, struct plt_entry *);
/* The relocation of the entry's slot; BUDGET bounds how many relocations it looks at, over all calls. */
bool plt_reloc(const struct elf *, const struct symbol_tables *, const struct plt_entry *, uint64_t *budget, struct raw_reloc *);

#endif
