/* See dwarf.h. */
#include "dwarf_unit.h"

#include "debug.h"

enum { FRAMES_MAX = 64, TRIM_EVERY = 16 };
/* What is kept of units that were read: an eighth of the entries' size, within these. */
enum { CACHE_LEAST = 4 << 20, CACHE_MOST = 64 << 20 };

static size_t
cache_size(struct dwarf *d)
{
	struct cursor info = dwarf_section(d, INFO);
	size_t n = cur_left(&info) / 8;

	return n < CACHE_LEAST ? CACHE_LEAST : n > CACHE_MOST ? CACHE_MOST : n;
}

static struct dwarf *
describing(struct modules *ms, struct module *m)
{
	struct module *file;

	if (!m->lines_asked) {
		m->lines_asked = true;
		file = debug_file(ms, m);
		m->lines = file ? dwarf_of(ms, file, false) : NULL;
		if (m->lines && !m->lines->code)
			m->lines->code = &m->elf;
	}
	return m->lines;
}

/* Pages of files that were read count as memory, too. */
static void
trim(struct modules *ms, struct unit *u)
{
	if (!u->abbrevs || ++ms->lookups % TRIM_EVERY == 0)
		filemap_trim(cache_size(u->dwarf));
}

static void
fill(struct unit *u, const struct frame *frame, struct place *out)
{
	struct declared d;

	function_declared(u, frame->die, &d);
	out->function = d.name;
	out->decl_file = d.file;
	out->decl_line = d.line;
	out->start = d.id;
}

unsigned
dwarf_find(struct modules *ms, struct module *m, uint64_t vaddr, struct place *out, unsigned max)
{
	struct dwarf *d = describing(ms, m);
	struct frame frame[FRAMES_MAX];
	struct unit *u, *whole;
	uint64_t start = 0;
	unsigned n;

	if (!d || !max)
		return 0;
	if (ms->cached > cache_size(d)) {
		arena_free(&ms->cache);
		ms->cached = 0;
		ms->generation++;
	}
	if (!(u = index_find(d, vaddr)))
		return 0;
	trim(ms, u);
	whole = unit_whole(u);
	n = functions_find(whole, vaddr, frame, max < FRAMES_MAX ? max : FRAMES_MAX, &start);
	for (unsigned i = 0; i < (n ? n : 1); i++) {
		out[i] = (struct place){ 0 };
		if (i < n)
			fill(whole, &frame[i], &out[i]);
		if (i) {
			out[i - 1].file = lines_file(whole, frame[i].call_file);
			out[i - 1].line = frame[i].call_line;
		}
	}
	out[0].start = start;
	if (!lines_find(u, vaddr, &out[n ? n - 1 : 0].file, &out[n ? n - 1 : 0].line) && !n)
		return 0;
	return n ? n : 1;
}
