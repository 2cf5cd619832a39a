/* What the DWARF reader has read and may forget, of all modules: read again, it is another generation. */
#ifndef SYM_DWARF_DWARF_CACHE_H
#define SYM_DWARF_DWARF_CACHE_H

#include "sym/module/module.h"

struct dwarf_cache {
	struct module_owned owned;
	struct arena arena;
	size_t used;               /* bytes in it */
	uint32_t generation, lookups, emptied;   /* EMPTIED: after how many lookups */
	struct arena answers;      /* ahead.c's, */
	struct ahead *ahead;       /* or NULL */
};

/* The one of these modules, made at the first question; NULL at the memory cap. */
struct dwarf_cache *cache_of(struct modules *);
/* NULL at the memory cap. */
void *cache_alloc(struct dwarf_cache *, size_t);
void cache_empty(struct dwarf_cache *);
/* One more lookup is to come: empties it where there is more than MOST in it.  And files' pages, of which likewise. */
void cache_tidy(struct dwarf_cache *, size_t most);

#endif
