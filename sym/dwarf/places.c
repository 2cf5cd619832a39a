/* See dwarf.h. */
#include "dwarf_file.h"

#include "lib/codec/unpack.h"
#include "sym/module/debug_file.h"

/* How often it is asked what is in memory of files, and how much of them may be: where it goes it is read again, page by page. */
enum { TRIM_EVERY = 8, FILES_LEAST = 4 << 20 };
/* What is kept of units that were read: an eighth of the entries' size, within these; but for so many questions at least, as one
 * unit may be more. */
enum { CACHE_LEAST = 1 << 20, CACHE_MOST = 64 << 20, KEPT_LEAST = 64 };

static size_t
cache_size(struct dwarf *d)
{
	struct cursor info = dwarf_section(d, INFO);
	size_t n = cur_left(&info) / 8;

	return n < CACHE_LEAST ? CACHE_LEAST : n > CACHE_MOST ? CACHE_MOST : n;
}

struct dwarf *
dwarf_describing(struct modules *ms, struct module *m)
{
	struct module *file;

	if (!m->lines_asked) {
		m->lines_asked = true;
		file = debug_file(ms, m);
		m->lines = file ? dwarf_new(ms, file, false) : NULL;
		if (m->lines && !m->lines->code)
			m->lines->code = &m->elf;
	}
	return m->lines;
}

static void
empty(struct modules *ms)
{
	ms->emptied = ms->lookups;
	arena_free(&ms->cache);
	ms->cached = 0;
	ms->generation++;
}

void
dwarf_rest(struct modules *ms)
{
	empty(ms);
	arena_free(&ms->answers);
	ms->ahead = NULL;
	unpack_trim();
}

/* Pages of files that were read count as memory, too. */
void
dwarf_tidy(struct dwarf *d)
{
	struct modules *ms = d->modules;
	size_t most = cache_size(d);

	if (ms->cached > most && ms->lookups - ms->emptied > KEPT_LEAST) {
		empty(ms);
	}
	if (++ms->lookups % TRIM_EVERY == 0)
		filemap_trim(most < FILES_LEAST ? FILES_LEAST : most);
}

unsigned
places_find(struct unit *u, uint64_t vaddr, struct place *out, unsigned max, uint64_t *die)
{
	struct unit *whole = unit_whole(u);
	struct frame frame[FRAMES_MAX];
	uint64_t start = 0;
	unsigned n = functions_find(whole, vaddr, frame, max < FRAMES_MAX ? max : FRAMES_MAX, &start);

	for (unsigned i = 0; i < (n ? n : 1); i++) {
		out[i] = (struct place){ 0 };
		die[i] = i < n ? frame[i].die : 0;
		if (i && !u->dwarf->modules->lineless) {
			out[i - 1].file = lines_file(whole, frame[i].call_file);
			out[i - 1].line = frame[i].call_line;
		}
	}
	out[0].start = start;
	if (u->dwarf->modules->lineless)
		return n;
	if (!lines_find(u, vaddr, &out[n ? n - 1 : 0].file, &out[n ? n - 1 : 0].line) && !n)
		return 0;
	return n ? n : 1;
}

void
place_declare(struct place *out, const struct declared *d, bool outermost)
{
	out->function = d->name ? d->name : d->plain;
	out->decl_file = d->file;
	out->decl_line = d->line;
	out->start = outermost ? out->start : d->id;
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
	n = places_find(u, vaddr, out, max, die);
	for (unsigned i = 0; i < n && die[i]; i++) {
		function_declared(unit_whole(u), die[i], &declared);
		place_declare(&out[i], &declared, !i);
	}
	return n;
}
