/* See perfmap.h.  The format is tools/perf/Documentation/jit-interface.txt of the Linux source.
 * JITs throw code away and reuse its place, so lines overlap.  All are turned into disjoint rows once: a sweep over the
 * starts keeps the ranges that are open in a heap, the newest on top. */
#include "perfmap.h"

#include <string.h>
#include <unistd.h>

#include "../lib/file.h"
#include "sort.h"
#include "text.h"

enum { LINES_MAX = 2 << 20, BYTES_MAX = 256 << 20 };   /* the file may be endless */

struct range {
	uint64_t lo, hi;
	uint32_t name;
};

#define NOBODY UINT32_MAX     /* in row.a: up to the next row there is nothing; else the range's number */

struct perfmap {
	struct text text;
	struct range *range;      /* as in the file: newer ones behind older ones */
	struct item *row;
	uint32_t n, rows;
	bool cut;
};

/* NAME: into LINE.  A size of zero or one that runs over the end of the address space is no range. */
static bool
parse(const char *line, struct range *r, const char **name, size_t *len)
{
	const char *p = line;
	uint64_t size;

	p += p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;
	if (!text_hex(&p, &r->lo) || *p != ' ')
		return false;
	p += strspn(p, " ");
	p += p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;
	if (!text_hex(&p, &size) || *p != ' ' || !size || __builtin_add_overflow(r->lo, size, &r->hi))
		return false;
	*name = p + strspn(p, " ");
	*len = strlen(*name);
	while (*len && ((*name)[*len - 1] == '\r' || (*name)[*len - 1] == ' '))
		--*len;
	return *len > 0;
}

static void
read_all(struct perfmap *m, struct range **range, uint32_t *cap, int fd)
{
	struct lines lines;
	const char *line, *name;
	struct range r = { 0 };
	size_t len;

	lines_open(&lines, fd);
	lines.left = BYTES_MAX;
	while (!m->cut && (line = lines_next(&lines))) {
		if (!parse(line, &r, &name, &len))
			continue;
		if (m->n == LINES_MAX || !vec_room(range, cap, (uint64_t)m->n + 1, sizeof **range) ||
		    !text_add(&m->text, name, len, &r.name))
			m->cut = true;
		else
			(*range)[m->n++] = r;
	}
	m->cut |= !lines.left;
}

/* ---- the sweep: a heap of the numbers of open ranges, the highest on top ---- */

struct sweep {
	const struct range *range;
	uint32_t *heap, n, cap;
	struct item *row;
	uint32_t rows, row_cap;
	bool full;
};

static void
push(struct sweep *s, uint32_t range)
{
	uint32_t i = s->n++;

	for (; i && s->heap[(i - 1) / 2] < range; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = range;
}

static void
pop(struct sweep *s)
{
	uint32_t i = 0, last = s->heap[--s->n];

	for (uint32_t child; (child = 2 * i + 1) < s->n; i = child) {
		if (child + 1 < s->n && s->heap[child + 1] > s->heap[child])
			child++;
		if (s->heap[child] <= last)
			break;
		s->heap[i] = s->heap[child];
	}
	s->heap[i] = last;
}

static void
emit(struct sweep *s, uint64_t addr, uint32_t range)
{
	struct item *last = s->rows ? &s->row[s->rows - 1] : NULL;

	if (last && last->a == range)
		return;
	if (last && last->key == addr)
		last->a = range;
	else if (vec_room(&s->row, &s->row_cap, (uint64_t)s->rows + 1, sizeof *s->row))
		s->row[s->rows++] = (struct item){ addr, range, 0 };
	else
		s->full = true;
}

/* Ends the newest open ranges that end at or before ADDR, each time showing the next one beneath. */
static void
end_upto(struct sweep *s, uint64_t addr)
{
	while (s->n && s->range[s->heap[0]].hi <= addr) {
		uint64_t end = s->range[s->heap[0]].hi;

		do
			pop(s);
		while (s->n && s->range[s->heap[0]].hi <= end);
		emit(s, end, s->n ? s->heap[0] : NOBODY);
	}
}

static bool
flatten(struct sweep *s, uint32_t n)
{
	struct item *start = NULL;
	uint32_t cap = 0;
	bool ok = vec_room(&start, &cap, n, sizeof *start) && vec_room(&s->heap, &s->cap, n, sizeof *s->heap);

	for (uint32_t i = 0; ok && i < n; i++)
		start[i] = (struct item){ s->range[i].lo, i, 0 };
	ok = ok && sort_items(start, n);
	for (uint32_t i = 0; ok && i < n; i++) {
		end_upto(s, start[i].key);
		push(s, start[i].a);
		emit(s, start[i].key, s->heap[0]);
	}
	if (ok)
		end_upto(s, UINT64_MAX);
	vec_free(&start, &cap, sizeof *start);
	vec_free(&s->heap, &s->cap, sizeof *s->heap);
	return ok && !s->full;
}

struct perfmap *
perfmap_open(struct arena *arena, int fd)
{
	struct range *range = NULL;
	struct sweep s = { 0 };
	struct perfmap *m;
	uint32_t cap = 0;

	if (fd < 0 || !(m = arena_alloc(arena, sizeof *m)))
		return NULL;
	m->text.arena = arena;
	lseek(fd, 0, SEEK_SET);
	read_all(m, &range, &cap, fd);
	s.range = range;
	if (flatten(&s, m->n) && s.rows) {
		m->range = arena_alloc(arena, m->n * sizeof *range);
		m->row = arena_alloc(arena, s.rows * sizeof *s.row);
	}
	if (m->range && m->row) {
		memcpy(m->range, range, m->n * sizeof *range);
		memcpy(m->row, s.row, s.rows * sizeof *s.row);
		m->rows = s.rows;
	}
	vec_free(&range, &cap, sizeof *range);
	vec_free(&s.row, &s.row_cap, sizeof *s.row);
	return m->rows ? m : NULL;
}

bool
perfmap_find(const struct perfmap *m, uint64_t addr, struct symbol *s)
{
	uint32_t i = sort_upto(m->row, m->rows, addr);
	const struct range *r;

	if (!i)
		return false;
#if !defined(PLANT_PERFMAP)
	if (m->row[i - 1].a == NOBODY)
		return false;
#endif
	r = &m->range[m->row[i - 1].a];
	s->lo = r->lo;
	s->hi = r->hi;
	s->name = text_at(&m->text, r->name);
	return true;
}

bool
perfmap_cut(const struct perfmap *m)
{
	return m->cut;
}
