/* See dwarf.h. */
#include "dwarf.h"

#include "lib/codec/unpack.h"
#include "ahead.h"
#include "unit_places.h"
#include "unit.h"
#include "unit_index.h"

void
dwarf_rest(struct modules *ms)
{
	if (ms->cache) {
		cache_empty(ms->cache);
		ahead_forget(ms->cache);
	}
	unpack_trim();
}

void
dwarf_ahead(struct modules *ms, struct module *m, const uint64_t *vaddr, uint32_t n)
{
	struct dwarf *d = dwarf_describing(ms, m);

	if (d)
		ahead_ask(d, vaddr, n);
}

unsigned
dwarf_find(struct modules *ms, struct module *m, uint64_t vaddr, struct place *out, unsigned max)
{
	struct dwarf *d = dwarf_describing(ms, m);
	uint64_t die[FRAMES_MAX];
	struct declared declared;
	struct unit *u;
	unsigned n;

	if (!d || !max)
		return 0;
	if (ahead_find(d, vaddr, out, max, &n))
		return n;
	dwarf_tidy(d);
	if (!(u = index_find(d, vaddr)))
		return 0;
	n = unit_places_find(u, vaddr, out, max, die);
	for (unsigned i = 0; i < n && die[i]; i++) {
		function_declared(unit_whole(u), die[i], &declared);
		place_declare(&out[i], &declared, !i);
	}
	return n;
}
