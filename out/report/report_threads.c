/* See report_threads.h. */
#include "report_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

	return a->weight != b->weight ? table_heavier(a->weight, b->weight)
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
	struct columns_cell a = table_amount(t, g->weight), b = columns_number(g->samples, 0), threads = columns_number(g->threads, 0);

	columns_right(t->out, &a, 12);
	table_percent(t, g->weight);
	if (samples)
		columns_right(t->out, &b, 12);
	if (t->how.by == BY_COMM)
		columns_right(t->out, &threads, 9);
	columns_pad(t->out, 2);
	columns_cut(t->out, *g->comm ? g->comm : "[unknown]", t->how.width ? 16 : 0);
	if (t->how.by != BY_COMM && (g->pid || g->tid || !t->p->timeless))
		sink_fmt(t->out, " %d/%d", g->pid, g->tid);
	sink_char(t->out, '\n');
}

static void
put_groups(const struct table *t, const struct group *group, uint32_t n)
{
	bool samples = table_has_samples(t) && (t->period || !t->p->timeless);   /* else the profile has only weights */
	uint32_t shown = 0;

	sink_char(t->out, '\n');
	table_ink(t, "2");
	sink_fmt(t->out, "%12s%7s%*s%*s  %s", t->period ? "time" : "count", "", samples ? 12 : 0, samples ? "samples" : "",
	         t->how.by == BY_COMM ? 9 : 0, t->how.by == BY_COMM ? "threads" : "", t->how.by == BY_COMM ? "name" : "thread");
	table_ink(t, "0");
	sink_char(t->out, '\n');
	for (; shown < n && (!t->how.top || shown < t->how.top) && !table_below(group[shown].weight, t->sum, t->how.min); shown++)
		put_group(t, &group[shown], samples);
	if (shown < n)
		sink_fmt(t->out, "%12s and %u more\n", "", n - shown);
}

void
report_threads(const struct table *t, const uint32_t *thread, uint32_t n)
{
	struct group *group = NULL;
	uint32_t cap = 0;

	if (!vec_room(&group, &cap, n, sizeof *group)) {
		sink_fail(t->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct thread *th = &t->p->thread[thread[i]];

		group[i] = (struct group){ t->how.by == BY_COMM ? th->comm : thread_title(th), th->pid, th->tid, 1, th->weight, th->samples };
	}
	if (t->how.by == BY_COMM)
		n = join(group, n);
	if (n)
		qsort(group, n, sizeof *group, by_weight);
	put_groups(t, group, n);
	vec_free(&group, &cap, sizeof *group);
}
