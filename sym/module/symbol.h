/* A function by its symbol, wherever that was found. */
#ifndef SYM_MODULE_SYMBOL_H
#define SYM_MODULE_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

struct symbol {
	uint64_t lo, hi;     /* as linked; a symbol without a size reaches to the next one */
	const char *name;    /* alive as long as whom it was found in; without @VERSION */
	bool thumb;          /* ARM's other instruction set */
};

/* Of two names of one address, whether A is the one to show: fewer leading underscores, then shorter, then first. */
bool symbol_better(const char *a, const char *b);

#endif
