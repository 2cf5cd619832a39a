/* See line_sites.h.  A line has many rows where the compiler moved its code about, or put it inline into several functions.
 * The lowest address in each function is where the line begins there. */
#include "line_sites.h"

#include <string.h>

#include "lib/work.h"
#include "sym/dwarf/line.h"
#include "sym/dwarf/unit.h"
#include "sym/dwarf/unit_places.h"
#include "sym/module/symtab.h"

enum { PLACES_MAX = 4096 };

struct place_of {
	uint64_t function, at;     /* where the function begins, and the line in it */
};

struct search {
	const char *file, *shown;
	uint32_t line, near;
	struct place_of *place;
	uint32_t n, cap;
	bool file_known;
};

/* Whether PATH is FILE, or ends with it behind a slash. */
static bool
ends_with(const char *path, const char *file)
{
	size_t n = strlen(path), m = strlen(file);

	return n >= m && !strcmp(path + n - m, file) && (n == m || path[n - m - 1] == '/');
}

static bool
add(struct search *q, struct modules *ms, struct module *m, uint64_t at)
{
	struct symbol s = { .lo = at };

	symtab_find(ms, m, at, &s);
	for (uint32_t i = 0; i < q->n; i++)
		if (q->place[i].function == s.lo) {
			q->place[i].at = at < q->place[i].at ? at : q->place[i].at;
			return true;
		}
	if (q->n == PLACES_MAX || !vec_room(&q->place, &q->cap, (uint64_t)q->n + 1, sizeof *q->place))
		return false;
	q->place[q->n++] = (struct place_of){ s.lo, at };
	return true;
}

static bool
look(struct search *q, struct modules *ms, struct module *m, struct unit *u)
{
	uint32_t file, line, last = UINT32_MAX;
	const char *path = NULL;
	uint64_t at;

	for (uint32_t i = 0; lines_row(u, i, &at, &file, &line) && work_step(1); i++) {
		if (file != last) {
			path = lines_file(u, file);
			path = path && ends_with(path, q->file) ? path : NULL;
			last = file;
		}
		if (!path)
			continue;
		q->shown = path;
		q->file_known = true;
		if (line > q->line && (!q->near || line < q->near))
			q->near = line;
		if (line == q->line && !add(q, ms, m, at))
			return false;
	}
	return true;
}

const char *
line_sites(struct modules *ms, struct module *m, const char *file, uint32_t line, uint32_t *near,
           bool (*found)(void *ctx, uint64_t vaddr, const char *file, uint32_t line), void *ctx)
{
	struct search q = { .file = file, .line = line };
	bool lineless = ms->lineless, good = true;
	struct dwarf *d = dwarf_describing(ms, m);
	struct cursor lines = d ? dwarf_section(d, LINE) : cur_of(NULL, 0, false);

	if (!cur_left(&lines))
		return "the file has no line tables: compile it with -g, or install its debug file";
	ms->lineless = false;
	units_find(d, UINT64_MAX, true);
	for (uint32_t i = 0; good && i < d->nslot && !work_over(); i++) {
		struct unit *u;

		dwarf_tidy(d);
		if (d->slot[i].code && (u = unit_open(d, i)))
			good = look(&q, ms, m, u);
	}
	ms->lineless = lineless;
	*near = q.near;
	for (uint32_t i = 0; i < q.n && found(ctx, q.place[i].at, q.shown, line); i++)
		;
	vec_free(&q.place, &q.cap, sizeof *q.place);
	return q.file_known ? NULL : "the line tables know no file of that name";
}
