/* See dwarf_cache.h. */
#include "dwarf_cache.h"

#include "lib/filemap.h"

/* TRIM_EVERY: after so many lookups prof asks how much of the files is in memory.  FILES_LEAST: how much may be, at least;
 * pages that it gives back are read again one by one.  KEPT_LEAST: at least so many lookups pass before the cache is emptied
 * again, because one unit may be larger than what is kept. */
enum { TRIM_EVERY = 8, FILES_LEAST = 4 << 20, KEPT_LEAST = 64 };

static void
free_cache(struct module_owned *o)
{
	struct dwarf_cache *c = (struct dwarf_cache *)o;

	arena_free(&c->arena);
	arena_free(&c->answers);
}

struct dwarf_cache *
cache_of(struct modules *ms)
{
	if (!ms->cache && (ms->cache = arena_alloc(&ms->arena, sizeof *ms->cache)))
		modules_own(ms, &ms->cache->owned, free_cache);
	return ms->cache;
}

void *
cache_alloc(struct dwarf_cache *c, size_t n)
{
	void *p = arena_alloc(&c->arena, n);

	c->used += p ? n : 0;
	return p;
}

void
cache_empty(struct dwarf_cache *c)
{
	c->emptied = c->lookups;
	arena_free(&c->arena);
	c->used = 0;
	c->generation++;
}

void
cache_tidy(struct dwarf_cache *c, size_t most)
{
	if (c->used > most && c->lookups - c->emptied > KEPT_LEAST)
		cache_empty(c);
	if (++c->lookups % TRIM_EVERY == 0)
		filemap_trim(most < FILES_LEAST ? FILES_LEAST : most);
}
