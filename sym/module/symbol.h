/* A function by its symbol, from any source. */
#ifndef SYM_MODULE_SYMBOL_H
#define SYM_MODULE_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

struct symbol {
	uint64_t lo, hi;     /* as linked; a symbol without a size reaches to the next one */
	const char *name;    /* lives as long as its source; without @VERSION */
	bool thumb;          /* ARM's other instruction set */
};

/* Whether prof shows A, and not B, if one address has both names: the one with fewer leading underscores, else the shorter
 * one, else the first. */
bool symbol_better(const char *a, const char *b);

#endif
