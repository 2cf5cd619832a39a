/* Entries of the procedure linkage table: by their instructions to the GOT slot, by the slot's relocation to a name. */
#ifndef SYM_ELF_PLT_H
#define SYM_ELF_PLT_H

#include "symbol_tables.h"

/* What an entry jumps through. */
struct plt_entry {
	uint64_t lo, hi;
	uint64_t slot;             /* address of its GOT slot, */
	uint64_t reloc;            /* or UINT64_MAX there: and here the number of its relocation */
};

/* The entry around VADDR, by the machine's usual instructions; no part of it is below FLOOR. */
bool plt_decode(const struct elf *, uint64_t got, uint64_t vaddr, uint64_t floor, struct plt_entry *);
/* The relocation of the entry's slot; BUDGET bounds how many are looked at, over all calls. */
bool plt_reloc(const struct elf *, const struct symbol_tables *, const struct plt_entry *, uint64_t *budget, struct raw_reloc *);

#endif
