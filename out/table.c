/* The table for people: what matters first, then functions by their own time and by all that they call, then threads.
 *
 * A function that recurses counts once a stack in its total.  Names come last in a line, where they may be long. */
#include "cell.h"
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t self, total;
};

struct table {
	const struct profile *p;
	struct sink *out;
	unsigned top, width;       /* rows and columns; 0: all */
	bool colour, bars;
	uint64_t *weight;          /* of each node */
	uint32_t weight_cap;
	struct tally *tally;       /* of each function */
	uint32_t tally_cap;
	uint32_t *row;             /* functions, as they are shown */
	uint32_t row_cap, rows;
	uint32_t *thread;          /* sorted: those of one event, and of one section, stand together */
	uint32_t thread_cap;
	uint64_t sum, samples;     /* of the section */
	uint64_t period;
};

/* W of ALL in tenths of a percent. */
static unsigned
permille(uint64_t w, uint64_t all)
{
	for (; all > UINT64_MAX / 2000; all /= 2)
		w /= 2;
	return all ? (unsigned)((w * 1000 + all / 2) / all) : 0;
}

/* A weight as time in one unit for all of a section (s, or ms where it lasted less than one), or as a count. */
static struct cell
amount(const struct table *t, uint64_t weight)
{
	uint64_t ns = times(weight, t->period);
	bool ms = times(t->sum, t->period) < 1000000000;
	struct cell c = t->period ? number((ns + (ms ? 5000 : 500000)) / (ms ? 10000 : 1000000), ms ? 2 : 3)
	                          : number(weight, 0);

	if (t->period) {
		memcpy(c.text + c.n, ms ? " ms" : " s", 3);
		c.n += ms ? 3 : 2;
	}
	return c;
}

static void
ink(const struct table *t, const char *code)
{
	if (t->colour)
		sink_fmt(t->out, "\033[%sm", code);
}

static void
put_percent(struct table *t, uint64_t weight)
{
	struct cell c = number(permille(weight, t->sum), 1);

	put_right(t->out, &c, 6);
	sink_char(t->out, '%');
}

/* Eight columns, in eighths of a column. */
static void
put_bar(struct table *t, uint64_t weight)
{
	static const char *const part[] = { "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned share = permille(weight, t->sum), eighths = (share * 64 + 999) / 1000, full = eighths / 8;

	ink(t, share >= 200 ? "31" : share >= 50 ? "33" : "32");
	for (unsigned i = 0; i < full; i++)
		sink_str(t->out, "\u2588");
	sink_str(t->out, part[eighths % 8]);
	ink(t, "0");
	pad(t->out, 8 - full - (eighths % 8 != 0));
}

/* Adds up N threads: weights of nodes, then of functions. */
static void
add_up(struct table *t, const uint32_t *thread, uint32_t n)
{
	const struct tree *tree = &t->p->tree;

	t->sum = t->samples = 0;
	if (tree->n)
		memset(t->weight, 0, tree->n * sizeof *t->weight);
	if (t->p->nfunction)
		memset(t->tally, 0, t->p->nfunction * sizeof *t->tally);
	for (uint32_t i = 0; i < n; i++) {
		struct run_reader reader;
		struct run run;

		runs_open(&reader, t->p, &t->p->thread[thread[i]]);
		while (runs_next(&reader, &run)) {
			t->sum += run.weight;
			t->samples += run.samples;
			if (run.node >= tree->n)
				continue;
			t->weight[run.node] += run.weight;
			t->tally[tree->node[run.node].frame].self += run.weight;
		}
	}
	for (uint32_t i = tree->n; i--;) {
		struct node node = tree->node[i];
		uint32_t up = node.parent;

		if (!t->weight[i])
			continue;
		if (up != NODE_NONE)
			t->weight[up] += t->weight[i];
		while (up != NODE_NONE && tree->node[up].frame != node.frame)
			up = tree->node[up].parent;
		if (up == NODE_NONE)
			t->tally[node.frame].total += t->weight[i];
	}
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int
by_self(const void *va, const void *vb, void *ctx)
{
	const struct table *t = ctx;
	uint32_t fa = *(const uint32_t *)va, fb = *(const uint32_t *)vb;
	const struct tally *a = &t->tally[fa], *b = &t->tally[fb];

	return a->self != b->self     ? compare(a->self, b->self)
	       : a->total != b->total ? compare(a->total, b->total)
	                              : strcmp(t->p->function[fa].name, t->p->function[fb].name);
}

static int
by_total(const void *va, const void *vb, void *ctx)
{
	const struct table *t = ctx;
	uint64_t a = t->tally[*(const uint32_t *)va].total, b = t->tally[*(const uint32_t *)vb].total;

	return a != b ? compare(a, b) : by_self(va, vb, ctx);
}

/* The width of the column of modules: of those that are shown, within reason. */
static unsigned
module_columns(const struct table *t, uint32_t rows)
{
	unsigned most = 6, cap = t->width && t->width < 100 ? 16 : 28;

	for (uint32_t i = 0; i < rows; i++) {
		unsigned n = columns(t->p->function[t->row[i]].module);

		most = n > most ? n : most;
	}
	return most < cap ? most : cap;
}

static void
put_row(struct table *t, const struct function *f, uint64_t key, uint64_t other, unsigned module)
{
	struct cell a = amount(t, key), b = amount(t, other);
	unsigned used = 12 + 7 + 12 + 7 + 2 + module + 2 + (t->bars ? 9 : 0);
	const char *suffix = function_suffix(f->kind);
	unsigned room = t->width ? (t->width > used + 12 ? t->width - used : 12) : 0;

	put_right(t->out, &a, 12);
	put_percent(t, key);
	if (t->bars) {
		sink_char(t->out, ' ');
		put_bar(t, key);
	}
	ink(t, "2");
	put_right(t->out, &b, 12);
	put_percent(t, other);
	pad(t->out, 2);
	pad(t->out, module - put_cut(t->out, f->module, module) + 2);
	ink(t, "0");
	ink(t, f->kind == FUNCTION_KERNEL ? "35" : f->kind == FUNCTION_MARK ? "2" : "1");
	put_cut(t->out, f->name, room ? room - (unsigned)strlen(suffix) : 0);
	sink_str(t->out, suffix);
	ink(t, "0");
	sink_char(t->out, '\n');
}

static void
put_head(struct table *t, const char *key, const char *other, unsigned module)
{
	sink_char(t->out, '\n');
	ink(t, "2");
	sink_fmt(t->out, "%12s%7s%*s%12s%7s  %-*s  function", key, "", t->bars ? 9 : 0, "", other, "", (int)module, "module");
	ink(t, "0");
	sink_char(t->out, '\n');
}

/* Functions by self or by total time. */
static void
put_functions(struct table *t, bool total)
{
	uint32_t shown, module;
	uint64_t rest = 0;

	t->rows = 0;
	for (uint32_t i = 0; i < t->p->nfunction; i++)
		if (total ? t->tally[i].total : t->tally[i].self)
			t->row[t->rows++] = i;
	if (!t->rows)
		return;
	qsort_r(t->row, t->rows, sizeof *t->row, total ? by_total : by_self, t);
	shown = t->top && t->rows > t->top ? t->top : t->rows;
	module = module_columns(t, shown);
	put_head(t, total ? "total" : "self", total ? "self" : "total", module);
	for (uint32_t i = 0; i < t->rows; i++) {
		const struct tally *f = &t->tally[t->row[i]];

		if (i < shown)
			put_row(t, &t->p->function[t->row[i]], total ? f->total : f->self, total ? f->self : f->total, module);
		else
			rest += f->self;
	}
	if (shown < t->rows) {
		struct cell more = number(t->rows - shown, 0), share = number(permille(rest, t->sum), 1);

		ink(t, "2");
		sink_fmt(t->out, "%12s and %.*s more functions", "", (int)more.n, more.text);
		if (!total)
			sink_fmt(t->out, " with %.*s%%", (int)share.n, share.text);
		ink(t, "0");
		sink_char(t->out, '\n');
	}
}

static void
put_threads(struct table *t, const uint32_t *thread, uint32_t n)
{
	uint32_t shown = t->top && n > t->top ? t->top : n;

	sink_char(t->out, '\n');
	ink(t, "2");
	sink_fmt(t->out, "%12s%7s%12s  thread", t->period ? "time" : "count", "", "samples");
	ink(t, "0");
	sink_char(t->out, '\n');
	for (uint32_t i = 0; i < shown; i++) {
		const struct thread *th = &t->p->thread[thread[i]];
		struct cell a = amount(t, th->weight), b = number(th->samples, 0);

		put_right(t->out, &a, 12);
		put_percent(t, th->weight);
		put_right(t->out, &b, 12);
		pad(t->out, 2);
		put_cut(t->out, *th->comm ? th->comm : "[unknown]", t->width ? 16 : 0);
		sink_fmt(t->out, " %d/%d\n", th->pid, th->tid);
	}
	if (shown < n)
		sink_fmt(t->out, "%12s and %u more threads\n", "", n - shown);
}

/* The number that matters, and what it is of. */
static void
put_sum(struct table *t, uint32_t event, uint32_t threads)
{
	struct cell sum = amount(t, t->sum), samples = number(t->samples, 0);

	ink(t, "1");
	sink_put(t->out, sum.text, sum.n);
	ink(t, "0");
	sink_str(t->out, t->period && t->p->unit == UNIT_SAMPLES ? " on CPU (" : " (");
	put_cut(t->out, event < t->p->nevent ? t->p->event[event].name : "?", 0);
	sink_fmt(t->out, ") in %.*s sample%s of %u thread%s", (int)samples.n, samples.text, t->samples == 1 ? "" : "s",
	         threads, threads == 1 ? "" : "s");
}

static bool
together(const struct profile *p, uint32_t ia, uint32_t ib)
{
	const struct thread *a = &p->thread[ia], *b = &p->thread[ib];

	return a->pid == b->pid && (!p->by_thread || a->tid == b->tid);
}

/* With --threads or --pids: the same for each of them, the busiest 50. */
static void
put_sections(struct table *t, const uint32_t *thread, uint32_t n)
{
	unsigned top = t->top;
	uint64_t all = t->sum;

	t->top = 25;
	for (uint32_t i = 0, m, sections = 0; i < n && sections < 50; i += m, sections++) {
		const struct thread *first = &t->p->thread[thread[i]];

		for (m = 1; i + m < n && together(t->p, thread[i], thread[i + m]); m++)
			;
		add_up(t, thread + i, m);
		sink_str(t->out, "\n\n");
		put_cut(t->out, *first->comm ? first->comm : "[unknown]", 0);
		sink_fmt(t->out, t->p->by_thread ? " %d/%d: " : " %d: ", first->pid, first->tid);
		put_sum(t, first->event, m);
		sink_char(t->out, '\n');
		put_functions(t, false);
		put_functions(t, true);
	}
	t->top = top;
	t->sum = all;
}

static int
by_event(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;
	const struct thread *a = &p->thread[*(const uint32_t *)va], *b = &p->thread[*(const uint32_t *)vb];

	return a->event != b->event     ? (a->event < b->event ? -1 : 1)
	       : a->weight != b->weight ? compare(a->weight, b->weight)
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

	t->period = event < t->p->nevent ? t->p->event[event].period_ns : 0;
	add_up(t, thread, n);
	put_sum(t, event, n);
	if (!t->top && t->p->command && *t->p->command) {
		sink_str(t->out, ": ");
		put_cut(t->out, t->p->command, 0);
	}
	sink_char(t->out, '\n');
	put_functions(t, false);
	put_functions(t, true);
	if (n > 1)
		put_threads(t, thread, n);
	if (!t->top && (t->p->by_thread || t->p->by_process)) {
		qsort_r(thread, n, sizeof *thread, by_process, (void *)(uintptr_t)t->p);
		put_sections(t, thread, n);
	}
}

static void
put_table(struct table *t)
{
	const struct profile *p = t->p;

	if (!p->nthread)
		sink_str(t->out, "no samples\n");
	if (!vec_room(&t->weight, &t->weight_cap, p->tree.n, sizeof *t->weight) ||
	    !vec_room(&t->tally, &t->tally_cap, p->nfunction, sizeof *t->tally) ||
	    !vec_room(&t->row, &t->row_cap, p->nfunction, sizeof *t->row) ||
	    !vec_room(&t->thread, &t->thread_cap, p->nthread, sizeof *t->thread))
		sink_fail(t->out, ENOMEM);
	for (uint32_t i = 0; !t->out->err && i < p->nthread; i++)
		t->thread[i] = i;
	if (!t->out->err && p->nthread)
		qsort_r(t->thread, p->nthread, sizeof *t->thread, by_event, (void *)(uintptr_t)p);
	for (uint32_t lo = 0, n; !t->out->err && lo < p->nthread; lo += n) {
		for (n = 1; lo + n < p->nthread; n++)
			if (p->thread[t->thread[lo]].event != p->thread[t->thread[lo + n]].event)
				break;
		if (lo)
			sink_str(t->out, "\n\n");
		put_event(t, t->thread + lo, n);
	}
	vec_free(&t->weight, &t->weight_cap, sizeof *t->weight);
	vec_free(&t->tally, &t->tally_cap, sizeof *t->tally);
	vec_free(&t->row, &t->row_cap, sizeof *t->row);
	vec_free(&t->thread, &t->thread_cap, sizeof *t->thread);
}

static void
table_write(struct sink *out, const struct profile *p)
{
	struct table t = { .p = p, .out = out };

	put_table(&t);
}

void
table_summary(struct sink *out, const struct profile *p, unsigned top, unsigned width, bool colour)
{
	struct table t = { .p = p, .out = out, .top = top, .width = width ? width : 80, .colour = colour };

	t.bars = t.width >= 76;
	put_table(&t);
}

const struct format format_table = { .name = "table", .suffixes = ".txt", .write = table_write };
