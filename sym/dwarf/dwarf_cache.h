/* All that the DWARF reader has read of all modules, and may forget.  Each time that it forgets, another generation
 * begins. */
#ifndef SYM_DWARF_DWARF_CACHE_H
#define SYM_DWARF_DWARF_CACHE_H

#include "sym/module/module.h"

struct dwarf_cache {
	struct module_owned owned;
	struct arena arena;
	size_t used;               /* bytes in it */
	uint32_t generation, lookups, emptied;   /* EMPTIED: LOOKUPS when it was emptied last */
	struct arena answers;      /* for ahead.c */
	struct ahead *ahead;       /* or NULL */
};

/* The cache of these modules; the first call makes it.  NULL at the memory cap. */
struct dwarf_cache *cache_of(struct modules *);
/* NULL at the memory cap. */
void *cache_alloc(struct dwarf_cache *, size_t);
void cache_empty(struct dwarf_cache *);
/* Call it before each lookup: it empties the cache if that holds more than MOST bytes, and gives back pages of files if there
 * are too many. */
void cache_tidy(struct dwarf_cache *, size_t most);

#endif
