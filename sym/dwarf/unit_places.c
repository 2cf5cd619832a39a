/* See unit_places.h. */
#include "unit_places.h"

#include "sym/module/debug_file.h"
#include "function.h"
#include "line.h"
#include "unit.h"

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

unsigned
unit_places_find(struct unit *u, uint64_t vaddr, struct place *out, unsigned max, uint64_t *die)
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
