/* speedscope's JSON: https://www.speedscope.app/file-format-schema.json, profiles of type "sampled".
 *
 * Such a profile has no time but the running sum of its weights, so idle time is an empty stack with the gap's weight.
 * Everything is streamed: threads' runs are merged by a heap, once for the samples and once for their weights. */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS_MAX = 256,          /* profiles of their own; the rest are joined in one */
	DEPTH_MAX = 2000            /* the viewer fails between 3,000 and 4,000 */
};

/* A thread's place in the merge: its next run and the reader behind it. */
struct lane {
	struct run_reader reader;
	struct run run;
	uint64_t begin;             /* of the run: where the time that its first sample stands for begins */
	uint32_t number;
};

/* What is written as one sample. */
struct piece {
	uint32_t node;              /* NODE_NONE: an empty stack */
	uint64_t ns;                /* or the plain weight, for events that are not time */
};

struct writing {
	const struct profile *p;
	struct sink *out;
	uint32_t *thread;           /* all, by event, the busiest first */
	uint32_t thread_cap;
	struct lane *lane;          /* a heap by time */
	uint32_t lane_cap, lanes;
	uint64_t period;            /* ns, or 0: of the event at hand */
	uint64_t busy;              /* until when a thread has run */
	uint64_t drawn;             /* of a single thread: where the running sum stands */
	bool single;
	struct piece ahead;         /* read, but perhaps not at its end */
	bool have;
	struct path path;
	uint32_t elided;            /* the frame that stands for those left out */
};

static uint64_t
first_begin(const struct writing *w, const struct run *run)
{
	uint64_t length = w->period && run->samples ? times(run->weight / run->samples, w->period) : 0;

	return run->start > length ? run->start - length : 0;
}

static bool
before(const struct lane *a, const struct lane *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->number < b->number;
}

static void
sift(struct writing *w, uint32_t i)
{
	struct lane moved = w->lane[i];
	uint32_t child;

	for (; (child = i * 2 + 1) < w->lanes; i = child) {
		if (child + 1 < w->lanes && before(&w->lane[child + 1], &w->lane[child]))
			child++;
		if (!before(&w->lane[child], &moved))
			break;
		w->lane[i] = w->lane[child];
	}
	w->lane[i] = moved;
}

/* The next run of the first lane; a lane that ends leaves the heap. */
static void
advance(struct writing *w)
{
	struct lane *first = w->lane;

	if (runs_next(&first->reader, &first->run))
		first->begin = first_begin(w, &first->run);
	else
		*first = w->lane[--w->lanes];
	if (w->lanes)
		sift(w, 0);
}

static void
merge_open(struct writing *w, const uint32_t *thread, uint32_t n)
{
	w->lanes = 0;
	w->busy = w->drawn = 0;
	w->single = n == 1;
	w->have = false;
	for (uint32_t i = 0; i < n; i++) {
		struct lane *lane = &w->lane[w->lanes];

		runs_open(&lane->reader, w->p, &w->p->thread[thread[i]]);
		if (!runs_next(&lane->reader, &lane->run))
			continue;
		lane->begin = first_begin(w, &lane->run);
		lane->number = i;
		w->lanes++;
	}
	for (uint32_t i = w->lanes / 2; i--;)
		sift(w, i);
}

/* The next run or gap.  What is shorter than half a period is no gap; samples never come in exact periods, and a gap
 * of a single thread is where its running sum comes back to the clock. */
static bool
merge_step(struct writing *w, struct piece *piece)
{
	const struct lane *first = w->lane;
	uint64_t from, end;

	if (!w->lanes)
		return false;
	if (w->period && first->begin > w->busy && first->begin - w->busy > w->period / 2) {
		from = w->single ? w->drawn : w->busy;
		w->busy = first->begin;
		if (from < first->begin) {
			*piece = (struct piece){ NODE_NONE, first->begin - from };
			w->drawn = first->begin;
			return true;
		}
	}
	end = first->run.start + first->run.span;
	if (end > w->busy)
		w->busy = end;
	*piece = (struct piece){ first->run.node, w->period ? times(first->run.weight, w->period) : first->run.weight };
	w->drawn += piece->ns;
	advance(w);
	return true;
}

/* The same with equal neighbours made one. */
static bool
merge_next(struct writing *w, struct piece *piece)
{
	if (!w->have && !merge_step(w, &w->ahead))
		return false;
	*piece = w->ahead;
	while ((w->have = merge_step(w, &w->ahead)) && w->ahead.node == piece->node)
		piece->ns += w->ahead.ns;
	return true;
}

static void
put_frames(struct writing *w)
{
	const struct profile *p = w->p;

	w->elided = UINT32_MAX;
	for (uint32_t i = 0; i < p->nfunction; i++) {
		const struct function *f = &p->function[i];

		if (f->kind == FUNCTION_MARK && strcmp(f->name, "[elided]") == 0)
			w->elided = i;
		sink_str(w->out, i ? ",\n{\"name\":\"" : "\n{\"name\":\"");
		sink_json_part(w->out, f->name);
		sink_str(w->out, function_suffix(f->kind));
		sink_char(w->out, '"');
		if (f->file && f->line) {
			sink_str(w->out, ",\"file\":");
			sink_json(w->out, f->file);
			sink_str(w->out, ",\"line\":");
			sink_u64(w->out, f->line);
		}
		sink_char(w->out, '}');
	}
	if (w->elided == UINT32_MAX && p->tree.n > DEPTH_MAX) {
		w->elided = p->nfunction;
		sink_str(w->out, p->nfunction ? ",\n{\"name\":\"[elided]\"}" : "\n{\"name\":\"[elided]\"}");
	}
}

static void
put_stack(struct writing *w, uint32_t node)
{
	uint32_t n;

	w->path.n = node == NODE_NONE ? 0 : w->path.n;
	if (node != NODE_NONE)
		tree_path(&w->p->tree, node, &w->path);
	n = w->path.n;
	sink_char(w->out, '[');
	for (uint32_t i = 0; i < n; i++) {
		bool cut = n > DEPTH_MAX && i == DEPTH_MAX / 2;

		if (i)
			sink_char(w->out, ',');
		sink_u64(w->out, cut ? w->elided : w->p->tree.node[w->path.node[i]].frame);
		if (cut)
			i = n - DEPTH_MAX / 2;
	}
	sink_char(w->out, ']');
}

/* A profile of N threads of one event. */
static void
put_profile(struct writing *w, const uint32_t *thread, uint32_t n)
{
	unsigned places = w->period ? 9 : 0;
	uint64_t total = 0, count = 0;
	struct piece piece;

	sink_str(w->out, ",\"type\":\"sampled\",\"unit\":");
	sink_str(w->out, w->period ? "\"seconds\"" : "\"none\"");
	sink_str(w->out, ",\"startValue\":0,\n\"samples\":[");
	for (merge_open(w, thread, n); merge_next(w, &piece);) {
		if (count++)
			sink_char(w->out, ',');
		put_stack(w, piece.node);
	}
	sink_str(w->out, "],\n\"weights\":[");
	count = 0;
	for (merge_open(w, thread, n); merge_next(w, &piece); total += piece.ns) {
		if (count++)
			sink_char(w->out, ',');
		sink_decimal(w->out, piece.ns, places);
	}
	sink_str(w->out, "],\n\"endValue\":");
	sink_decimal(w->out, total, places);
	sink_char(w->out, '}');
}

static void
put_event(struct writing *w, uint32_t event)
{
	if (w->p->nevent > 1 && event < w->p->nevent) {
		sink_str(w->out, ": ");
		sink_json_part(w->out, w->p->event[event].name);
	}
	sink_char(w->out, '"');
}

/* The profiles of one event: THREAD, N of them, the busiest first. */
static void
put_profiles(struct writing *w, uint32_t event, const uint32_t *thread, uint32_t n, bool first)
{
	uint32_t own = n > THREADS_MAX ? THREADS_MAX : n;

	w->period = event < w->p->nevent ? w->p->event[event].period_ns : 0;
	sink_str(w->out, !first ? ",\n{\"name\":\"all threads" : "\n{\"name\":\"all threads");
	put_event(w, event);
	put_profile(w, thread, n);
	for (uint32_t i = 0; i < own; i++) {
		const struct thread *t = &w->p->thread[thread[i]];

		sink_str(w->out, ",\n{\"name\":\"");
		sink_json_part(w->out, *t->comm ? t->comm : "[unknown]");
		sink_fmt(w->out, " %d/%d", t->pid, t->tid);
		put_event(w, event);
		put_profile(w, &thread[i], 1);
	}
	if (own < n) {
		sink_fmt(w->out, ",\n{\"name\":\"%u other threads", n - own);
		put_event(w, event);
		put_profile(w, thread + own, n - own);
	}
}

static int
by_weight(const void *va, const void *vb, void *threads)
{
	const struct thread *a = (const struct thread *)threads + *(const uint32_t *)va;
	const struct thread *b = (const struct thread *)threads + *(const uint32_t *)vb;

	return a->event != b->event   ? (a->event < b->event ? -1 : 1)
	       : a->weight != b->weight ? (a->weight > b->weight ? -1 : 1)
	       : a->pid != b->pid     ? (a->pid < b->pid ? -1 : 1)
	       : a->tid != b->tid     ? (a->tid < b->tid ? -1 : 1)
	                              : strcmp(a->comm, b->comm);
}

static bool
sort_threads(struct writing *w)
{
	uint32_t n = w->p->nthread;

	if (!vec_room(&w->thread, &w->thread_cap, (uint64_t)n + 1, sizeof *w->thread) ||
	    !vec_room(&w->lane, &w->lane_cap, (uint64_t)n + 1, sizeof *w->lane))
		return false;
	for (uint32_t i = 0; i < n; i++)
		w->thread[i] = i;
	if (n)
		qsort_r(w->thread, n, sizeof *w->thread, by_weight, w->p->thread);
	return true;
}

static void
speedscope_write(struct sink *out, const struct profile *p)
{
	struct writing w = { .p = p, .out = out };
	uint32_t lo = 0, hi = 0;

	if (!sort_threads(&w))
		sink_fail(out, ENOMEM);
	sink_str(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":");
	sink_json(out, p->exporter ? p->exporter : "prof");
	sink_str(out, ",\n\"name\":");
	sink_json(out, p->command && *p->command ? p->command : "prof");
	sink_str(out, ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	put_frames(&w);
	sink_str(out, "]},\n\"profiles\":[");
	for (bool first = true; !out->err && (first || lo < p->nthread); first = false, lo = hi) {
		uint32_t event = lo < p->nthread ? p->thread[w.thread[lo]].event : 0;

		while (hi < p->nthread && p->thread[w.thread[hi]].event == event)
			hi++;
		put_profiles(&w, event, w.thread + lo, hi - lo, first);
	}
	sink_str(out, "]}\n");
	vec_free(&w.thread, &w.thread_cap, sizeof *w.thread);
	vec_free(&w.lane, &w.lane_cap, sizeof *w.lane);
	path_free(&w.path);
}

const struct format format_speedscope = { "speedscope", ".json .speedscope", speedscope_write };
