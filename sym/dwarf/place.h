/* What is at an address, as who asks for it gets it. */
#ifndef SYM_DWARF_PLACE_H
#define SYM_DWARF_PLACE_H

#include <stdint.h>

struct place {
	const char *function;      /* its linkage name, else its name; NULL where no entry covers the code */
	const char *file;          /* of what ran in it, or of the call to the next place; NULL: not known */
	uint32_t line;             /* likewise; 0: not known, or of no single line */
	const char *decl_file;     /* where the function is declared */
	uint32_t decl_line;
	uint64_t start;            /* the lowest address of the function, as linked; of an inlined one what tells it from others */
};

#endif
