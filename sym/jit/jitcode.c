/* See jitcode.h.  JITs throw code away and reuse its place, so pieces overlap.  prof makes disjoint rows of them once: a
 * sweep over the starts keeps the open ranges in a heap, the newest on top. */
#include "jitcode.h"

#include "lib/name_store.h"
#include "lib/sort.h"
#include "lib/work.h"

enum {
	RANGES_MAX = 1 << 19, JIT_LINES_MAX = 1 << 20,   /* with the sweep's rows they take up to 42 and 16 MiB */
	SCANS = 1 << 28,          /* the most ranges that prof looks at, in all, if the newest one is too new */
};

#define NOBODY UINT32_MAX     /* in row.a, which else is a range's number: there is nothing up to the next row */

struct jitcode {
	struct arena *arena;
	struct name_store text;
	struct jit_range *range;  /* as in the file: newer ones behind older ones */
	struct jit_line *line;
	struct item *row;
	uint32_t n, rows, lines;
	uint32_t cap, row_cap, line_cap;
	uint32_t scans;
	bool cut;
};

struct jitcode *
jitcode_new(struct arena *arena)
{
	struct jitcode *m = arena_alloc(arena, sizeof *m);

	if (m) {
		m->arena = m->text.arena = arena;
		m->scans = SCANS;
	}
	return m;
}

bool
jitcode_text(struct jitcode *m, const char *s, size_t n, uint32_t *number)
{
	return name_store_add(&m->text, s, n, number) || (m->cut = true, false);
}

bool
jitcode_add(struct jitcode *m, const struct jit_range *r)
{
	if (m->n == RANGES_MAX || !vec_room(&m->range, &m->cap, (uint64_t)m->n + 1, sizeof *m->range))
		m->cut = true;
	else
		m->range[m->n++] = *r;
	return !m->cut;
}

bool
jitcode_line(struct jitcode *m, const struct jit_line *l)
{
	if (m->lines == JIT_LINES_MAX || !vec_room(&m->line, &m->line_cap, (uint64_t)m->lines + 1, sizeof *m->line))
		return false;
	m->line[m->lines++] = *l;
	return true;
}

void
jitcode_shift(struct jitcode *m, uint64_t by)
{
	for (uint32_t i = 0; i < m->lines; i++)
		m->line[i].addr -= by;
}

uint32_t
jitcode_count(const struct jitcode *m)
{
	return m->n;
}

uint32_t
jitcode_lines(const struct jitcode *m)
{
	return m->lines;
}

const struct jit_range *
jitcode_range(const struct jitcode *m, uint32_t i)
{
	return &m->range[i];
}

void
jitcode_cut_here(struct jitcode *m)
{
	m->cut = true;
}

bool
jitcode_cut(const struct jitcode *m)
{
	return m->cut;
}

/* ---- the sweep: a heap of the numbers of open ranges, the highest on top ---- */

struct sweep {
	const struct jit_range *range;
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

void
jitcode_free(struct jitcode *m)
{
	if (!m)
		return;
	vec_free(&m->row, &m->row_cap, sizeof *m->row);
	vec_free(&m->range, &m->cap, sizeof *m->range);
	vec_free(&m->line, &m->line_cap, sizeof *m->line);
	m->n = m->rows = m->lines = 0;
}

struct jitcode *
jitcode_finish(struct jitcode *m)
{
	struct sweep s = { 0 };
	bool ok = false;

	vec_free(&m->row, &m->row_cap, sizeof *m->row);
	for (; m->n && !ok && work_step(m->n); m->n = ok ? m->n : m->n / 2) {
		vec_free(&s.row, &s.row_cap, sizeof *s.row);
		s = (struct sweep){ .range = m->range };
		ok = flatten(&s, m->n);
		m->cut |= !ok;
	}
	m->row = s.row;
	m->rows = s.rows;
	m->row_cap = s.row_cap;
	if (ok)
		return m;
	jitcode_free(m);
	return NULL;
}

static bool
holds(const struct jit_range *r, uint64_t addr)
{
	return addr >= r->lo && addr < r->hi;
}

/* Finds an older range by a look at each: it is rarely needed, and the looks are bounded in all. */
static const struct jit_range *
older(struct jitcode *m, uint64_t addr, uint64_t limit, const struct jit_range *newest)
{
	const struct jit_range *first = newest;

	for (uint32_t i = m->n; i && m->scans; m->scans--) {
		const struct jit_range *r = &m->range[--i];

		if (!holds(r, addr))
			continue;
		if (r->at < limit)
			return r;
		first = r;
	}
	return m->scans ? first : newest;
}

const struct jit_range *
jitcode_find(struct jitcode *m, uint64_t addr, uint64_t limit)
{
	uint32_t i = sort_upto(m->row, m->rows, addr);
	const struct jit_range *r;

	if (!i)
		return NULL;
	if (m->row[i - 1].a == NOBODY)
		return NULL;
	r = &m->range[m->row[i - 1].a];
	return r->at < limit ? r : older(m, addr, limit, r);
}

void
jitcode_symbol(const struct jitcode *m, const struct jit_range *r, struct symbol *s)
{
	s->lo = r->lo;
	s->hi = r->hi;
	s->name = name_store_at(&m->text, r->name);
}

bool
jitcode_source(const struct jitcode *m, const struct jit_range *r, uint64_t addr, const char **file, uint32_t *line,
               uint32_t *begins)
{
	const struct jit_line *first;
	uint32_t lo = 0, hi = r->lines;

	if (!hi)
		return false;
	first = m->line + r->line;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (first[mid].addr <= addr - r->lo)
			lo = mid + 1;
		else
			hi = mid;
	}
	*begins = first->line;
	first += lo ? lo - 1 : 0;
	*file = name_store_at(&m->text, first->file);
	*line = first->line;
	return true;
}
