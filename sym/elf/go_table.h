/* The table of functions that Go links into each program, for its own use: neither strip nor -ldflags=-s takes it away. */
#ifndef SYM_ELF_GO_TABLE_H
#define SYM_ELF_GO_TABLE_H

#include "elf.h"

struct go_table {
	struct cursor bytes;       /* of the section */
	uint64_t text;             /* what the table's addresses are counted from */
	uint64_t rows, functions, names, steps;   /* where they begin in BYTES */
	uint32_t n;                /* functions; 0: there is no such table, or prof does not find it */
	bool noted;                /* a note says that Go linked it; a C linker may move the table out of its section */
	uint8_t word, wide, quantum;   /* bytes of an address, of a row's numbers, of the shortest instruction */
};

struct go_function {
	uint64_t lo, hi;           /* as linked */
	const char *name;          /* in the file */
	uint64_t at;               /* where the rest of it is in the table */
};

void go_table_open(struct go_table *, const struct elf *);
bool go_table_find(const struct go_table *, uint64_t vaddr, struct go_function *);
/* How far sp is at VADDR from where it was when the function began. */
bool go_table_depth(const struct go_table *, uint64_t vaddr, uint32_t *depth);

#endif
