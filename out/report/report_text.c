/* The tables for people: what matters first, then rows by their own time and by all that they call, then threads.
 *
 * A function that recurses counts once a stack in its total.  Names come last in a line, where they may be long. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#include "out/format/format.h"

unsigned
permille(uint64_t w, uint64_t all)
{
	for (; all > UINT64_MAX / 2000; all /= 2)
		w /= 2;
	return all ? (unsigned)((w * 1000 + all / 2) / all) : 0;
}

bool
below(uint64_t w, uint64_t all, unsigned min)
{
	for (; all > UINT64_MAX / 20000; all /= 2)
		w /= 2;
	return w * 10000 < all * min;
}

struct cell
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

void
ink(const struct table *t, const char *code)
{
	if (t->how.colour)
		sink_fmt(t->out, "\033[%sm", code);
}

void
put_percent(const struct table *t, uint64_t weight)
{
	struct cell c = number(permille(weight, t->sum), 1);

	put_right(t->out, &c, 6);
	sink_char(t->out, '%');
}

/* Eight columns, in eighths of a column. */
static void
put_bar(const struct table *t, uint64_t weight)
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

static int
compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int
by_self(const void *va, const void *vb, void *ctx)
{
	const struct row *row = ctx, *a = &row[*(const uint32_t *)va], *b = &row[*(const uint32_t *)vb];

	return a->self != b->self     ? compare(a->self, b->self)
	       : a->total != b->total ? compare(a->total, b->total)
	                              : strcmp(a->name, b->name);
}

static int
by_total(const void *va, const void *vb, void *ctx)
{
	const struct row *row = ctx;
	uint64_t a = row[*(const uint32_t *)va].total, b = row[*(const uint32_t *)vb].total;

	return a != b ? compare(a, b) : by_self(va, vb, ctx);
}

static const char *
what(const struct table *t)
{
	return t->how.by == BY_MODULE ? "module" : t->how.by == BY_LINE ? "line" : "function";
}

/* The width of the column of what stands beside a name: of those that are shown, within reason; 0 where there is none. */
static unsigned
beside_columns(const struct table *t, uint32_t shown)
{
	unsigned most = 0, cap = t->how.width && t->how.width < 100 ? 16 : 28, least = t->how.by == BY_LINE ? 8 : 6;

	for (uint32_t i = 0; i < shown; i++) {
		unsigned n = columns(t->rows.row[t->line[i]].beside);

		most = n > most ? n : most;
	}
	return most ? (most < least ? least : most < cap ? most : cap) : 0;
}

void
put_name(const struct table *t, const struct row *r, unsigned room)
{
	unsigned suffix = (unsigned)strlen(r->suffix);

	ink(t, r->kind == FUNCTION_KERNEL ? "35" : r->kind == FUNCTION_MARK ? "2" : "1");
	put_cut(t->out, r->name, room > suffix ? room - suffix : room ? 1 : 0);
	sink_str(t->out, r->suffix);
	ink(t, "0");
}

static void
put_row(const struct table *t, const struct row *r, uint64_t key, uint64_t other, unsigned beside)
{
	struct cell a = amount(t, key), b = amount(t, other);
	unsigned used = 12 + 7 + 12 + 7 + 2 + (beside ? beside + 2 : 0) + (t->how.bars ? 9 : 0);

	put_right(t->out, &a, 12);
	put_percent(t, key);
	if (t->how.bars) {
		sink_char(t->out, ' ');
		put_bar(t, key);
	}
	ink(t, "2");
	put_right(t->out, &b, 12);
	put_percent(t, other);
	pad(t->out, 2);
	if (beside)
		pad(t->out, beside - put_cut(t->out, r->beside, beside) + 2);
	ink(t, "0");
	put_name(t, r, !t->how.width ? 0 : t->how.width > used + 12 ? t->how.width - used : 12);
	sink_char(t->out, '\n');
}

static void
put_head(const struct table *t, const char *key, const char *other, unsigned beside)
{
	sink_char(t->out, '\n');
	ink(t, "2");
	sink_fmt(t->out, "%12s%7s%*s%12s%7s  ", key, "", t->how.bars ? 9 : 0, "", other, "");
	if (beside)
		sink_fmt(t->out, "%-*s  ", (int)beside, t->how.by == BY_LINE ? "function" : "module");
	sink_str(t->out, what(t));
	ink(t, "0");
	sink_char(t->out, '\n');
}

/* What was left out: COUNT rows; REST, their own weight, where that is to be said. */
static void
put_more(const struct table *t, uint32_t count, const uint64_t *rest)
{
	struct cell more = number(count, 0), share = number(rest ? permille(*rest, t->sum) : 0, 1);

	ink(t, "2");
	sink_fmt(t->out, "%12s and %.*s more %s%s", "", (int)more.n, more.text, what(t), count == 1 ? "" : "s");
	if (rest)
		sink_fmt(t->out, " with %.*s%%", (int)share.n, share.text);
	ink(t, "0");
	sink_char(t->out, '\n');
}

/* Rows by self or by total. */
static void
put_rows(struct table *t, bool total)
{
	uint32_t shown = 0, beside;
	uint64_t rest = 0;

	t->lines = 0;
	for (uint32_t i = 0; i < t->rows.n; i++)
		if (total ? t->rows.row[i].total : t->rows.row[i].self)
			t->line[t->lines++] = i;
	if (!t->lines)
		return;
	qsort_r(t->line, t->lines, sizeof *t->line, total ? by_total : by_self, t->rows.row);
	for (; shown < t->lines && (!t->how.top || shown < t->how.top); shown++) {
		const struct row *r = &t->rows.row[t->line[shown]];

		if (below(total ? r->total : r->self, t->sum, t->how.min))
			break;
	}
	beside = beside_columns(t, shown);
	put_head(t, total ? "total" : "self", total ? "self" : "total", beside);
	for (uint32_t i = 0; i < t->lines; i++) {
		const struct row *r = &t->rows.row[t->line[i]];

		if (i < shown)
			put_row(t, r, total ? r->total : r->self, total ? r->self : r->total, beside);
		else
			rest += r->self;
	}
	if (shown < t->lines)
		put_more(t, t->lines - shown, total ? NULL : &rest);
}

/* Threads, or all threads of one name. */
struct group {
	const char *comm;
	int32_t pid, tid;
	uint32_t threads;
	uint64_t weight, samples;
};

static int
by_comm(const void *va, const void *vb)
{
	return strcmp(((const struct group *)va)->comm, ((const struct group *)vb)->comm);
}

static int
by_weight(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;

	return a->weight != b->weight ? compare(a->weight, b->weight)
	       : a->pid != b->pid     ? (a->pid < b->pid ? -1 : 1)
	       : a->tid != b->tid     ? (a->tid < b->tid ? -1 : 1)
	                              : by_comm(a, b);
}

/* Joins neighbours of one name; returns how many groups are left. */
static uint32_t
join(struct group *group, uint32_t n)
{
	uint32_t m = 0;

	if (n)
		qsort(group, n, sizeof *group, by_comm);
	for (uint32_t i = 0; i < n; i++) {
		struct group *last = m ? &group[m - 1] : NULL;

		if (last && by_comm(last, &group[i]) == 0) {
			last->weight += group[i].weight;
			last->samples += group[i].samples;
			last->threads++;
		} else {
			group[m++] = group[i];
		}
	}
	return m;
}

static void
put_group(const struct table *t, const struct group *g, bool samples)
{
	struct cell a = amount(t, g->weight), b = number(g->samples, 0), threads = number(g->threads, 0);

	put_right(t->out, &a, 12);
	put_percent(t, g->weight);
	if (samples)
		put_right(t->out, &b, 12);
	if (t->how.by == BY_COMM)
		put_right(t->out, &threads, 9);
	pad(t->out, 2);
	put_cut(t->out, *g->comm ? g->comm : "[unknown]", t->how.width ? 16 : 0);
	if (t->how.by != BY_COMM && (g->pid || g->tid || !t->p->timeless))
		sink_fmt(t->out, " %d/%d", g->pid, g->tid);
	sink_char(t->out, '\n');
}

/* Folded stacks of times have microseconds alone: each would count as a sample. */
static bool
has_samples(const struct table *t)
{
	return !t->p->timeless || t->period != 1000 || t->rows.samples != t->sum;
}

static void
put_groups(const struct table *t, const struct group *group, uint32_t n)
{
	bool samples = has_samples(t) && (t->period || !t->p->timeless);   /* else weights are all there is */
	uint32_t shown = 0;

	sink_char(t->out, '\n');
	ink(t, "2");
	sink_fmt(t->out, "%12s%7s%*s%*s  %s", t->period ? "time" : "count", "", samples ? 12 : 0, samples ? "samples" : "",
	         t->how.by == BY_COMM ? 9 : 0, t->how.by == BY_COMM ? "threads" : "", t->how.by == BY_COMM ? "name" : "thread");
	ink(t, "0");
	sink_char(t->out, '\n');
	for (; shown < n && (!t->how.top || shown < t->how.top) && !below(group[shown].weight, t->sum, t->how.min); shown++)
		put_group(t, &group[shown], samples);
	if (shown < n)
		sink_fmt(t->out, "%12s and %u more\n", "", n - shown);
}

static void
put_threads(struct table *t, const uint32_t *thread, uint32_t n)
{
	struct group *group = NULL;
	uint32_t cap = 0;

	if (!vec_room(&group, &cap, n, sizeof *group)) {
		sink_fail(t->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct thread *th = &t->p->thread[thread[i]];

		group[i] = (struct group){ th->comm, th->pid, th->tid, 1, th->weight, th->samples };
	}
	if (t->how.by == BY_COMM)
		n = join(group, n);
	if (n)
		qsort(group, n, sizeof *group, by_weight);
	put_groups(t, group, n);
	vec_free(&group, &cap, sizeof *group);
}

static int
by_tid(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;
	int32_t a = p->thread[*(const uint32_t *)va].tid, b = p->thread[*(const uint32_t *)vb].tid;

	return (a > b) - (a < b);
}

/* Under several names it is one; where there are no numbers, each name is.  Sorts them. */
static uint32_t
count_threads(const struct profile *p, uint32_t *thread, uint32_t n)
{
	uint32_t count = n;

	qsort_r(thread, n, sizeof *thread, by_tid, (void *)(uintptr_t)p);
	for (uint32_t i = 1; i < n; i++)
		count -= p->thread[thread[i]].tid && p->thread[thread[i]].tid == p->thread[thread[i - 1]].tid;
	return count;
}

/* The number that matters, and what it is of. */
static void
put_sum(const struct table *t, uint32_t event, uint32_t *thread, uint32_t n)
{
	uint32_t threads = count_threads(t->p, thread, n);
	const char *name = event < t->p->nevent ? t->p->event[event].name : "?";
	bool waiting = event < t->p->nevent && t->p->event[event].waiting;
	struct cell sum = amount(t, t->sum), samples = number(t->rows.samples, 0);

	ink(t, "1");
	sink_put(t->out, sum.text, sum.n);
	ink(t, "0");
	if (!t->period && strcmp(name, "samples") == 0)
		sink_fmt(t->out, " sample%s", t->sum == 1 ? "" : "s");
	else {
		sink_str(t->out, t->period && t->p->unit == UNIT_SAMPLES && !waiting ? " on CPU (" : " (");
		put_cut(t->out, name, 0);
		sink_char(t->out, ')');
		if (has_samples(t))
			sink_fmt(t->out, " in %.*s sample%s", (int)samples.n, samples.text, t->rows.samples == 1 ? "" : "s");
	}
	sink_fmt(t->out, " of %u thread%s", threads, threads == 1 ? "" : "s");
	if (t->how.before && event < t->p->nevent && t->how.before[event] != t->sum) {
		struct cell share = number(permille(t->sum, t->how.before[event]), 1);

		sink_fmt(t->out, ", %.*s%% of the whole", (int)share.n, share.text);
	}
}

static bool
together(const struct profile *p, uint32_t ia, uint32_t ib)
{
	const struct thread *a = &p->thread[ia], *b = &p->thread[ib];

	return a->pid == b->pid && (!p->by_thread || a->tid == b->tid);
}

/* What is asked for, of N threads. */
static void
put_section(struct table *t, const uint32_t *thread, uint32_t n)
{
	if (t->how.by == BY_THREAD || t->how.by == BY_COMM) {
		put_threads(t, thread, n);
	} else if (t->how.callers || t->how.callees) {
		put_around(t);
	} else if (t->how.tree) {
		put_tree(t);
	} else {
		put_rows(t, false);
		put_rows(t, true);
	}
}

/* With --threads or --pids: the same for each of them, the busiest 50. */
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
		put_cut(t->out, *first->comm ? first->comm : "[unknown]", 0);
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
	bool whole = t->how.by != BY_THREAD && t->how.by != BY_COMM && !t->how.tree && !t->how.callers && !t->how.callees;

	t->period = event < t->p->nevent ? t->p->event[event].period_ns : 0;
	rows_add(&t->rows, thread, n);
	t->sum = t->rows.sum;
	put_sum(t, event, thread, n);
	if (!t->how.top && t->p->command && *t->p->command) {
		sink_str(t->out, ": ");
		put_cut(t->out, t->p->command, 0);
	}
	sink_char(t->out, '\n');
	put_section(t, thread, n);
	if (n > 1 && whole)
		put_threads(t, thread, n);
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

static void
table_write(struct sink *out, const struct profile *p)
{
	report_write(out, p, &(struct report){ 0 });
}

void
table_summary(struct sink *out, const struct profile *p, unsigned top, unsigned width, bool colour)
{
	width = width ? width : 80;
	report_write(out, p, &(struct report){ .top = top, .width = width, .colour = colour, .bars = width >= 76 });
}

const struct format format_table = { .name = "table", .suffixes = ".txt", .write = table_write };
