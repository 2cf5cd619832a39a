/* All that is known about an address, for the caller of dwarf_find. */
#ifndef SYM_DWARF_PLACE_H
#define SYM_DWARF_PLACE_H

#include <stdint.h>

struct place {
	const char *function;      /* its linkage name, else its name; NULL if no entry covers the code */
	const char *file;          /* the file of what ran in it, or of the call to the next place; NULL: not known */
	uint32_t line;             /* its line; 0: not known, or not a single line */
	const char *decl_file;     /* where the function is declared */
	uint32_t decl_line;
	uint64_t start;            /* the lowest address of the function, as linked; for an inlined function: a number that distinguishes it from others */
};

#endif
