/* The tables for people: first the sum, then rows by their own time and by the time with all that they call, then threads.
 *
 * In its total a function counts once for each stack, also if it recurses.  Names come last in a line, because they may be
 * long. */
#include "report_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sort.h"
#include "lib/text.h"
#include "report_threads.h"
#include "report_tree.h"

/* A terminal with fewer columns than that is narrow; rows that wait to be sorted beside those that are shown. */
enum { NARROW = 76, CHOICE = 1024 };

/* Writes a bar of eight columns, in eighths of a column. */
static void
put_bar(const struct table *t, uint64_t weight)
{
	static const char *const part[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned share = table_permille(weight, t->sum), eighths = (share * 64 + 999) / 1000, full = eighths / 8;

	table_ink(t, share >= 200 ? "31" : share >= 50 ? "33" : "32");
	for (unsigned i = 0; i < full; i++)
		sink_str(t->out, "\u2588");
	sink_str(t->out, part[eighths % 8]);
	table_ink(t, "0");
	columns_pad(t->out, 8 - full - (eighths % 8 != 0));
}

static int
by_self(const void *va, const void *vb, void *ctx)
{
	const struct rows *rows = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct row_weight *a = &rows->weight[ia], *b = &rows->weight[ib];

	return a->self != b->self     ? table_heavier(a->self, b->self)
	       : a->total != b->total ? table_heavier(a->total, b->total)
	                              : strcmp(rows_name(rows, ia), rows_name(rows, ib));
}

static int
by_total(const void *va, const void *vb, void *ctx)
{
	const struct rows *rows = ctx;
	uint64_t a = rows->weight[*(const uint32_t *)va].total, b = rows->weight[*(const uint32_t *)vb].total;

	return a != b ? table_heavier(a, b) : by_self(va, vb, ctx);
}

/* Rows in their order lie anywhere in memory: asks for the row that comes soon, and for the name of one that comes sooner. */
__attribute__((always_inline)) static inline void
ask_ahead(const struct rows *rows, const uint32_t *soon, const uint32_t *sooner, bool names)
{
	if (soon)
		__builtin_prefetch(&rows->weight[*soon]);
	if (soon && names)
		__builtin_prefetch(rows->lent ? (const void *)&rows->p->function[*soon] : &rows->words[*soon]);
	if (sooner && names)
		__builtin_prefetch(rows_name(rows, *sooner));
}

/* Keys of rows: first heavier ones, by their own figure and then by the total, then by name. */
static void
self_keys(const void *ctx, struct item *item, uint32_t n, uint32_t part)
{
	const struct rows *rows = ctx;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = item[i].a;

		ask_ahead(rows, i + 2 * SORT_AHEAD < n ? &item[i + 2 * SORT_AHEAD].a : NULL, i + SORT_AHEAD < n ? &item[i + SORT_AHEAD].a : NULL,
		          part > 1);
		item[i].key = part == 0 ? ~rows->weight[row].self : part == 1 ? ~rows->weight[row].total : sort_key(rows_name(rows, row), part - 2);
	}
}

static void
total_keys(const void *ctx, struct item *item, uint32_t n, uint32_t part)
{
	const struct rows *rows = ctx;

	if (part)
		self_keys(rows, item, n, part - 1);
	for (uint32_t i = 0; !part && i < n; i++)
		item[i].key = ~rows->weight[item[i].a].total;
}

static const char *
what(const struct table *t)
{
	return t->how.by == BY_MODULE ? "module" : t->how.by == BY_LINE ? "line" : "function";
}

/* The width of the column beside the names that are shown, within reason; 0 if nothing stands there. */
static unsigned
beside_columns(const struct table *t, uint32_t shown)
{
	const char *last = NULL;
	unsigned most = 0, cap = t->how.width && t->how.width < 100 ? 16 : 28, least = t->how.by == BY_LINE ? 8 : 6;

	for (uint32_t i = 0; i < shown && most < cap; i++) {
		const char *beside = rows_at(&t->rows, t->line[i]).words.beside;
		unsigned n = beside == last ? 0 : columns_of(beside);

		ask_ahead(&t->rows, i + SORT_AHEAD < shown ? &t->line[i + SORT_AHEAD] : NULL, NULL, true);
		most = n > most ? n : most;
		last = beside;
	}
	return most ? (most < least ? least : most < cap ? most : cap) : 0;
}

/* The columns before a row's name, and how many are left for the name; 0: as many as it needs. */
struct layout {
	bool bars, other;          /* OTHER: the other figures; the total if the rows are by their own, else their own */
	unsigned amount;           /* an amount's columns */
	unsigned beside, name;
};

enum { AMOUNT = 12, AMOUNT_LEAST = 7, SHARE = 7, BAR = 9, GAP = 2 };

static unsigned
used(const struct layout *l)
{
	return (l->amount + SHARE) * (l->other ? 2 : 1) + GAP + (l->bars ? BAR : 0u) + (l->beside ? l->beside + GAP : 0u);
}

/* The layout for the width.  First bars go, then blanks, then the other figures, then what stands beside the name; only then
 * is the hottest name cut. */
static struct layout
layout_for(const struct table *t, const struct row *hottest, unsigned beside)
{
	struct columns_cell most = table_amount(t, hottest->weight.total);
	unsigned width = t->how.width, wanted = columns_of(hottest->words.name) + (unsigned)strlen(row_suffix(&hottest->words));
	struct layout l = { t->how.bars, true, AMOUNT, beside, 0 };

	if (!width)
		return l;
	if (width >= NARROW && wanted > width / 2)   /* enough to recognize it */
		wanted = width / 2;
	if (used(&l) + wanted > width)
		l.bars = false;
	if (used(&l) + wanted > width)
		l.amount = most.n >= AMOUNT ? AMOUNT : most.n < AMOUNT_LEAST ? AMOUNT_LEAST : most.n + 1;
	if (used(&l) + wanted > width)
		l.other = false;
	if (used(&l) + wanted > width)
		l.beside = 0;
	l.name = width > used(&l) ? width - used(&l) : 1;
	return l;
}

/* What stands before a row's name. */
static void
put_figures(const struct table *t, const char *beside, uint64_t key, uint64_t other, const struct layout *l)
{
	struct columns_cell a = table_amount(t, key), b = table_amount(t, other);

	columns_right(t->out, &a, l->amount);
	table_percent(t, key);
	if (l->bars) {
		sink_char(t->out, ' ');
		put_bar(t, key);
	}
	table_ink(t, "2");
	if (l->other) {
		columns_right(t->out, &b, l->amount);
		table_percent(t, other);
	}
	columns_pad(t->out, GAP);
	if (l->beside)
		columns_pad(t->out, l->beside - columns_cut(t->out, beside, l->beside) + GAP);
	table_ink(t, "0");
}

static void
put_head(const struct table *t, const char *key, const char *other, const struct layout *l)
{
	sink_char(t->out, '\n');
	table_ink(t, "2");
	sink_fmt(t->out, "%*s%7s%*s", (int)l->amount, key, "", l->bars ? BAR : 0, "");
	if (l->other)
		sink_fmt(t->out, "%*s%7s", (int)l->amount, other, "");
	columns_pad(t->out, GAP);
	if (l->beside)
		sink_fmt(t->out, "%-*s  ", (int)l->beside, t->how.by == BY_LINE ? "function" : "module");
	sink_str(t->out, what(t));
	table_ink(t, "0");
	sink_char(t->out, '\n');
}

/* Writes that COUNT rows were left out; REST is their own weight, if it is worth writing. */
static void
put_more(const struct table *t, uint32_t count, const uint64_t *rest)
{
	struct columns_cell more = columns_number(count, 0), share = columns_number(rest ? table_permille(*rest, t->sum) : 0, 1);

	table_ink(t, "2");
	sink_fmt(t->out, "%12s and %.*s more %s%s", "", (int)more.n, more.text, what(t), plural(count));
	if (rest)
		sink_fmt(t->out, " with %.*s%%", (int)share.n, share.text);
	table_ink(t, "0");
	sink_char(t->out, '\n');
}

/* Finds the rows that have weight; returns how many have weight of their own. */
static uint32_t
find_rows(struct table *t)
{
	uint32_t own = 0;

	t->lines = 0;
	t->own = 0;
	for (uint32_t i = 0; i < t->rows.n; i++) {
		const struct row_weight *w = &t->rows.weight[i];

		own += w->self != 0;
		t->own += w->self;
		if (w->total)
			t->line[t->lines++] = i;
	}
	return own;
}

/* Sorts the rows, which are sorted by self, by total: rows with the same total stay as they are.  Those that call nothing are
 * sorted by total, too.  So only the others are sorted, and then take their places behind those that weigh as much. */
static void
sort_by_total(struct table *t)
{
	const struct row_weight *weight = t->rows.weight;
	struct item *item = NULL;
	uint32_t cap = 0, n = 0, leaves = 0, at = t->lines;
	bool good = true;

	for (uint32_t i = 0; i < t->lines && good; i++) {
		const struct row_weight *w = &weight[t->line[i]];

		ask_ahead(&t->rows, i + SORT_AHEAD < t->lines ? &t->line[i + SORT_AHEAD] : NULL, NULL, false);
		if (w->total == w->self)
			t->line[leaves++] = t->line[i];
		else if ((good = vec_room(&item, &cap, (uint64_t)n + 1, sizeof *item)))
			item[n++] = (struct item){ ~w->total, t->line[i], 0 };
	}
	good = good && sort_items(item, n);
	for (uint32_t i = 0; !good && i < n; i++)
		t->line[leaves + i] = item[i].a;
	while (good && n) {
		bool leaf = leaves && weight[t->line[leaves - 1]].total < ~item[n - 1].key;

		ask_ahead(&t->rows, leaves > SORT_AHEAD ? &t->line[leaves - SORT_AHEAD - 1] : NULL, NULL, false);
		t->line[--at] = leaf ? t->line[--leaves] : item[--n].a;
	}
	vec_free(&item, &cap, sizeof *item);
	if (!good)
		qsort_r(t->line, t->lines, sizeof *t->line, by_total, &t->rows);
}

/* Writes the first SHOWN rows.  In long tables most rows have the figures of the row before. */
static uint64_t
put_shown(const struct table *t, uint32_t shown, bool total, const struct layout *layout)
{
	struct table figures = *t;
	struct row last = { .words.beside = NULL };
	struct sink text;
	uint64_t sum = 0;

	sink_open(&text, -1);
	figures.out = &text;
	for (uint32_t i = 0; i < shown; i++) {
		struct row r = rows_at(&t->rows, t->line[i]);

		ask_ahead(&t->rows, i + 2 * SORT_AHEAD < shown ? &t->line[i + 2 * SORT_AHEAD] : NULL,
		          i + SORT_AHEAD < shown ? &t->line[i + SORT_AHEAD] : NULL, true);
		if (r.weight.self != last.weight.self || r.weight.total != last.weight.total || r.words.beside != last.words.beside) {
			text.len = 0;
			put_figures(&figures, r.words.beside, total ? r.weight.total : r.weight.self, total ? r.weight.self : r.weight.total, layout);
		}
		sink_put(t->out, text.buf, text.len);
		table_name(t, &r.words, layout->name);
		sink_char(t->out, '\n');
		sum += r.weight.self;
		last = r;
	}
	sink_fail(t->out, sink_close(&text));
	return sum;
}

/* Writes the first of LINES rows, which are sorted by self or by total, at least as far as they are shown. */
static void
put_rows(struct table *t, uint32_t lines, bool total)
{
	struct layout layout;
	struct row hottest;
	uint32_t shown = t->how.top || t->how.min ? 0 : lines;
	uint64_t rest;

	if (!lines)
		return;
	for (; shown < lines && (!t->how.top || shown < t->how.top); shown++) {
		const struct row_weight *w = &t->rows.weight[t->line[shown]];

		if (table_below(total ? w->total : w->self, t->sum, t->how.min))
			break;
	}
	hottest = rows_at(&t->rows, t->line[0]);
	layout = layout_for(t, &hottest, beside_columns(t, shown));
	put_head(t, total ? "total" : "self", total ? "self" : "total", &layout);
	rest = t->own - put_shown(t, shown, total, &layout);
	if (shown < lines)
		put_more(t, lines - shown, total ? NULL : &rest);
}

/* A few rows of many: sorts only those that may be among the first TOP.  What comes later takes its place behind its equals. */
static void
choose_rows(struct table *t, void (*keys)(const void *, struct item *, uint32_t, uint32_t), int (*compare)(const void *, const void *, void *))
{
	uint32_t top = t->how.top, kept = 0;
	bool cut = false;

	for (uint32_t i = 0; i < t->rows.n; i++) {
		if (!t->rows.weight[i].total || (cut && compare(&t->line[top - 1], &i, &t->rows) <= 0))
			continue;
		t->line[kept++] = i;
		if (kept == top + CHOICE) {
			sort_numbers(t->line, kept, keys, compare, &t->rows);
			kept = top;
			cut = true;
		}
	}
	sort_numbers(t->line, kept, keys, compare, &t->rows);
}

static int
by_tid(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;
	int32_t a = p->thread[*(const uint32_t *)va].tid, b = p->thread[*(const uint32_t *)vb].tid;

	return (a > b) - (a < b);
}

/* Counts the threads, and sorts them.  A thread with several names counts once; without thread numbers each name counts. */
static uint32_t
count_threads(const struct profile *p, uint32_t *thread, uint32_t n)
{
	uint32_t count = n;

	qsort_r(thread, n, sizeof *thread, by_tid, (void *)(uintptr_t)p);
	for (uint32_t i = 1; i < n; i++)
		count -= p->thread[thread[i]].tid && p->thread[thread[i]].tid == p->thread[thread[i - 1]].tid;
	return count;
}

/* Writes the sum of the section, and what it is the sum of. */
static void
put_sum(const struct table *t, uint32_t event, uint32_t *thread, uint32_t n)
{
	uint32_t threads = count_threads(t->p, thread, n);
	const char *name = event < t->p->nevent ? t->p->event[event].name : "?";
	bool waiting = event < t->p->nevent && t->p->event[event].waiting;
	struct columns_cell sum = table_amount(t, t->sum), samples = columns_number(t->rows.samples, 0);

	table_ink(t, "1");
	sink_put(t->out, sum.text, sum.n);
	table_ink(t, "0");
	if (!t->period && strcmp(name, "samples") == 0)
		sink_fmt(t->out, " sample%s", plural(t->sum));
	else {
		sink_str(t->out, t->period && t->p->unit == UNIT_SAMPLES && !waiting ? " on CPU (" : " (");
		columns_cut(t->out, name, 0);
		sink_char(t->out, ')');
		if (table_has_samples(t))
			sink_fmt(t->out, "%sin %.*s sample%s", t->how.width && t->how.width < NARROW ? "\n" : " ", (int)samples.n, samples.text, plural(t->rows.samples));
	}
	sink_fmt(t->out, " of %u thread%s", threads, plural(threads));
	if (t->how.before && event < t->p->nevent && t->how.before[event] != t->sum) {
		struct columns_cell share = columns_number(table_permille(t->sum, t->how.before[event]), 1);

		sink_fmt(t->out, ", %.*s%% of the whole", (int)share.n, share.text);
	}
}

static bool
together(const struct profile *p, uint32_t ia, uint32_t ib)
{
	const struct thread *a = &p->thread[ia], *b = &p->thread[ib];

	return a->pid == b->pid && (!p->by_thread || a->tid == b->tid);
}

/* Writes the rows by their own weight, and by the total. */
static void
put_tables(struct table *t)
{
	uint32_t own = find_rows(t);
	bool few = t->how.top && t->how.top < t->lines / 2 && t->lines > 2 * CHOICE;

	if (few)
		choose_rows(t, self_keys, by_self);
	else
		sort_numbers(t->line, t->lines, self_keys, by_self, &t->rows);
	put_rows(t, own, false);
	if (few)
		choose_rows(t, total_keys, by_total);
	else
		sort_by_total(t);
	put_rows(t, t->lines, true);
}

/* Writes the tables that the user asks for, of N threads. */
static void
put_section(struct table *t, const uint32_t *thread, uint32_t n)
{
	if (t->how.by == BY_THREAD || t->how.by == BY_COMM) {
		report_threads(t, thread, n);
	} else if (t->how.callers || t->how.callees) {
		report_around(t);
	} else if (t->how.tree) {
		report_tree(t);
	} else {
		put_tables(t);
	}
}

/* With --threads or --pids: writes the tables for each of them, at most for the busiest 50. */
static void
put_sections(struct table *t, uint32_t *thread, uint32_t n)
{
	struct report how = t->how;

	t->how.top = 25;
	t->how.before = NULL;
	for (uint32_t i = 0, m, sections = 0; i < n && sections < 50; i += m, sections++) {
		const struct thread *first = &t->p->thread[thread[i]];

		for (m = 1; i + m < n && together(t->p, thread[i], thread[i + m]); m++)
			;
		rows_add(&t->rows, thread + i, m);
		t->sum = t->rows.sum;
		sink_str(t->out, "\n\n");
		columns_cut(t->out, *first->comm ? first->comm : "[unknown]", 0);
		sink_fmt(t->out, t->p->by_thread ? " %d/%d: " : " %d: ", first->pid, first->tid);
		put_sum(t, first->event, thread + i, m);
		sink_char(t->out, '\n');
		put_section(t, thread + i, m);
	}
	t->how = how;
}

static int
by_event(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;
	const struct thread *a = &p->thread[*(const uint32_t *)va], *b = &p->thread[*(const uint32_t *)vb];

	return a->event != b->event     ? (a->event < b->event ? -1 : 1)
	       : a->weight != b->weight ? table_heavier(a->weight, b->weight)
	       : a->pid != b->pid       ? (a->pid < b->pid ? -1 : 1)
	       : a->tid != b->tid       ? (a->tid < b->tid ? -1 : 1)
	                                : strcmp(a->comm, b->comm);
}

static int
by_process(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;
	const struct thread *a = &p->thread[*(const uint32_t *)va], *b = &p->thread[*(const uint32_t *)vb];

	return a->event != b->event ? (a->event < b->event ? -1 : 1)
	       : a->pid != b->pid   ? (a->pid < b->pid ? -1 : 1)
	       : p->by_thread && a->tid != b->tid ? (a->tid < b->tid ? -1 : 1)
	                            : by_event(va, vb, ctx);
}

static void
put_event(struct table *t, uint32_t *thread, uint32_t n)
{
	uint32_t event = t->p->thread[*thread].event;
	bool whole = t->how.by != BY_THREAD && t->how.by != BY_COMM && !t->how.tree && !t->how.callers && !t->how.callees;

	t->period = event < t->p->nevent ? t->p->event[event].period_ns : 0;
	rows_add(&t->rows, thread, n);
	t->sum = t->rows.sum;
	put_sum(t, event, thread, n);
	if (!t->how.top && t->p->command && *t->p->command) {
		sink_str(t->out, ": ");
		columns_cut(t->out, t->p->command, 0);
	}
	sink_char(t->out, '\n');
	put_section(t, thread, n);
	if (n > 1 && whole)
		report_threads(t, thread, n);
	if (!t->how.top && whole && (t->p->by_thread || t->p->by_process)) {
		qsort_r(thread, n, sizeof *thread, by_process, (void *)(uintptr_t)t->p);
		put_sections(t, thread, n);
	}
}

static void
put_events(struct table *t)
{
	const struct profile *p = t->p;

	for (uint32_t i = 0; i < p->nthread; i++)
		t->thread[i] = i;
	if (p->nthread)
		qsort_r(t->thread, p->nthread, sizeof *t->thread, by_event, (void *)(uintptr_t)p);
	for (uint32_t lo = 0, n; lo < p->nthread; lo += n) {
		for (n = 1; lo + n < p->nthread; n++)
			if (p->thread[t->thread[lo]].event != p->thread[t->thread[lo + n]].event)
				break;
		if (lo)
			sink_str(t->out, "\n\n");
		put_event(t, t->thread + lo, n);
	}
}

void
report_write(struct sink *out, const struct profile *p, const struct report *how)
{
	struct table t = { .p = p, .out = out, .how = *how };

	if (!p->nthread)
		sink_str(out, "no samples\n");
	else if (rows_open(&t.rows, p, how->by) && vec_room(&t.line, &t.line_cap, t.rows.n, sizeof *t.line) &&
	         vec_room(&t.thread, &t.thread_cap, p->nthread, sizeof *t.thread))
		put_events(&t);
	else
		sink_fail(out, ENOMEM);
	rows_free(&t.rows);
	vec_free(&t.line, &t.line_cap, sizeof *t.line);
	vec_free(&t.thread, &t.thread_cap, sizeof *t.thread);
}

void
report_summary(struct sink *out, const struct profile *p, unsigned top, unsigned width, bool colour)
{
	width = width ? width : 80;
	report_write(out, p, &(struct report){ .top = top, .width = width, .colour = colour, .bars = width >= 76 });
}
