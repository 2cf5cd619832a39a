/* See dwarf.h. */
#include "dwarf_unit.h"

#include "debug.h"

enum { FRAMES_MAX = 64 };
/* What is kept of units that were read: the sixteenth of the DWARF's size, within these. */
enum { CACHE_LEAST = 4 << 20, CACHE_MOST = 64 << 20 };

static size_t
cache_size(struct dwarf *d)
{
	struct cursor info = dwarf_section(d, INFO);
	size_t n = cur_left(&info) / 8;

	return n < CACHE_LEAST ? CACHE_LEAST : n > CACHE_MOST ? CACHE_MOST : n;
}

static struct dwarf *
dwarf_of_module(struct modules *ms, struct module *m)
{
	struct module *file = debug_file(ms, m);
	struct dwarf *d = file ? dwarf_of(ms, file, false) : NULL;

	if (d && !d->code)
		d->code = &m->elf;
	return d;
}

static void
trim(struct modules *ms, struct dwarf *d)
{
	size_t most = cache_size(d);

	if (ms->cached > most) {
		arena_free(&ms->cache);
		ms->cached = 0;
		ms->generation++;
	}
	filemap_trim(most);
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
	struct dwarf *d = dwarf_of_module(ms, m);
	struct frame frame[FRAMES_MAX];
	struct unit *u, *whole;
	unsigned n;
	uint64_t start = 0;

	if (!d || !max)
		return 0;
	trim(ms, d);
	if (!(u = index_find(d, vaddr)))
		return 0;
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
