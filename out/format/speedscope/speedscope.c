/* speedscope's JSON: https://www.speedscope.app/file-format-schema.json, profiles of type "sampled".
 *
 * Such a profile has no time but the running sum of its weights, so idle time is an empty stack with the gap's weight.
 * Everything is streamed: threads' runs are merged by a heap, once for the samples and once for their weights; and once
 * before, to see whether the viewer will bear it.  If not, less detail is shown and the profile's name says so: first
 * equal stacks are joined within steps of time, which loses nothing but order; at last rare stacks lose
 * their middle frames. */
#include "out/format/format.h"
#include "out/profile/merge.h"
#include "speedscope_track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS_MAX = 256,          /* profiles of their own; the rest are joined in one */
	DEPTH_MAX = 2000            /* the viewer fails between 3,000 and 4,000 */
};

/* What a profile costs the viewer: its tree's nodes, and frames written.  It makes a node for each frame that begins in
 * the order of time, and one for each that is distinct. */
struct cost {
	uint64_t nodes, frames;
};

/* What it bears: twice 4 million nodes load in half a minute, at twice 10 million the tab crashes; and the text must
 * fit in a string.  Once for all threads, once for each of them. */
static const struct cost bearable = { 4000000, 40000000 };

struct writing {
	const struct profile *p;
	struct sink *out;
	uint32_t *thread;           /* all, by event, the busiest first */
	uint32_t thread_cap;
	struct cost most;
	struct merge merge;
	struct detail detail;
	uint32_t *order, *kept;     /* for the detail */
	uint32_t order_cap, kept_cap;
	uint64_t period;            /* ns, or 0: of the event at hand */
	struct path path;
	uint32_t elided;            /* the frame that stands for those left out */
	uint32_t waiting;           /* the frame below those that wait, where the stacks of both are together */
	bool pairs;
	/* the outermost `told` frames of the path as text, each behind a comma; the text of the first i ends at end[i] */
	uint32_t told, end[DEPTH_MAX + 1];
	char text[DEPTH_MAX * 11];
};

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
	for (uint32_t i = 1; i < p->nevent; i++)
		if (p->event[i].waiting && !w->waiting && p->nfunction) {
			w->waiting = p->nfunction + (w->elided == p->nfunction);
			sink_str(w->out, ",\n{\"name\":\"[");
			sink_json_part(w->out, p->event[i].name);
			sink_str(w->out, "]\"}");
		}
}

/* A path that is too deep for the viewer, without its middle. */
static void
put_deep(struct writing *w)
{
	for (uint32_t i = 0; i < w->path.n; i++) {
		bool cut = i == DEPTH_MAX / 2;

		sink_str(w->out, i ? "," : "");
		sink_u64(w->out, cut ? w->elided : w->p->tree.node[w->path.node[i]].frame);
		if (cut)
			i = w->path.n - DEPTH_MAX / 2;
	}
	w->told = 0;
}

/* Most stacks share their outer frames with the last one, and so the text. */
static void
put_path(struct writing *w, uint32_t node)
{
	uint32_t shared = tree_path(&w->p->tree, node, &w->path), i;

	if (w->path.n > DEPTH_MAX) {
		put_deep(w);
		return;
	}
	for (i = shared < w->told ? shared : w->told; i < w->path.n; i++) {
		uint32_t frame = w->p->tree.node[w->path.node[i]].frame;
		char digit[10], *to = w->text + w->end[i];
		unsigned n = 0;

		do
			digit[n++] = (char)('0' + frame % 10);
		while (frame /= 10);
		*to++ = ',';
		while (n)
			*to++ = digit[--n];
		w->end[i + 1] = (uint32_t)(to - w->text);
	}
	w->told = w->path.n;
	if (w->told)
		sink_put(w->out, w->text + 1, w->end[w->told] - 1);
}

static void
put_stack(struct writing *w, const struct piece *piece)
{
	sink_char(w->out, '[');
	if (w->pairs && piece->waiting) {
		sink_u64(w->out, w->waiting);
		sink_str(w->out, piece->node != NODE_NONE ? "," : "");
	}
	if (piece->node != NODE_NONE)
		put_path(w, piece->node);
	if (piece->leaf != UINT32_MAX) {
		sink_str(w->out, piece->node != NODE_NONE ? "," : "");
		sink_u64(w->out, w->elided);
		sink_char(w->out, ',');
		sink_u64(w->out, piece->leaf);
	}
	sink_char(w->out, ']');
}

static bool
too_much(const struct writing *w, const struct cost *c)
{
	return c->nodes > w->most.nodes || c->frames > w->most.frames;
}

/* Adds what a profile of N threads costs, as far as it is not too much. */
static void
measure(struct writing *w, const uint32_t *thread, uint32_t n, struct cost *c)
{
	uint64_t distinct = w->p->tree.n, begun = 0;   /* each is distinct, until there are as many as stacks */
	struct piece piece;
	bool empty = true;

	if (!merge_open(&w->merge, w->p, thread, n, &w->detail))
		return;
	while (!too_much(w, c) && merge_next(&w->merge, &piece)) {
		uint32_t shared = 0, more = piece.leaf == UINT32_MAX ? 0 : 2, begin = more;

		if (piece.node != NODE_NONE) {
			shared = tree_path(&w->p->tree, piece.node, &w->path);
			begin += w->path.n - (empty ? 0 : shared);
			more += w->path.n;
		}
		empty = piece.node == NODE_NONE;
		c->nodes += begun < distinct ? 2 * begin : begin;
		c->frames += more;
		begun += begin;
	}
}

/* The thread, and what is known of its waiting, which its gaps are filled with; how many these are. */
static uint32_t
pair_of(struct writing *w, uint32_t thread, uint32_t *pair)
{
	const struct thread *t = &w->p->thread[thread], *other;
	uint32_t n = 1;

	pair[0] = thread;
	for (uint32_t i = 0; w->waiting && !t->event && w->period && i < w->p->nthread && n == 1; i++) {
		other = &w->p->thread[i];
		if (other->event && w->p->event[other->event].waiting && other->tid == t->tid && other->pid == t->pid &&
		    strcmp(other->comm, t->comm) == 0)
			pair[n++] = i;
	}
	w->pairs = n == 2;
	return n;
}

/* What N threads cost: one profile of all, or as many as they get of their own and one of the rest. */
static bool
fits(struct writing *w, const uint32_t *thread, uint32_t n, bool all)
{
	uint32_t own = all ? 0 : n > THREADS_MAX ? THREADS_MAX : n;
	struct cost c = { 0, 0 };

	for (uint32_t i = 0; i < own; i++) {
		uint32_t pair[2], both = pair_of(w, thread[i], pair);

		measure(w, pair, both, &c);
	}
	if (own < n)
		measure(w, thread + own, n - own, &c);
	return !too_much(w, &c);
}

/* kept[node] = the innermost node of its stack with at least that weight. */
static bool
keep_heavy(struct writing *w, const uint32_t *thread, uint32_t n, uint64_t least)
{
	const struct tree *tree = &w->p->tree;
	uint64_t *weight = NULL;
	uint32_t cap = 0;
	struct run_reader reader;
	struct run run;

	if (!vec_room(&weight, &cap, tree->n, sizeof *weight) || !vec_room(&w->kept, &w->kept_cap, tree->n, sizeof *w->kept)) {
		vec_free(&weight, &cap, sizeof *weight);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		for (runs_open(&reader, w->p, &w->p->thread[thread[i]]); runs_next(&reader, &run);)
			if (run.node < tree->n)
				weight[run.node] += run.weight;
	for (uint32_t i = tree->n; i--;)
		if (tree->node[i].parent != NODE_NONE)
			weight[tree->node[i].parent] += weight[i];
	for (uint32_t i = 0; i < tree->n; i++) {
		uint32_t parent = tree->node[i].parent;

		w->kept[i] = weight[i] >= least ? i : parent == NODE_NONE ? NODE_NONE : w->kept[parent];
	}
	vec_free(&weight, &cap, sizeof *weight);
	w->detail.kept = w->kept;
	return true;
}

static uint64_t
length_of(const struct profile *p)
{
	return p->end > p->start ? p->end - p->start : UINT64_MAX / 4;
}

/* As much detail as the viewer bears. */
static void
choose_detail(struct writing *w, const uint32_t *thread, uint32_t n, bool all)
{
	uint64_t length = length_of(w->p);

	w->detail = (struct detail){ 0 };
	if (fits(w, thread, n, all))
		return;
	if (!vec_room(&w->order, &w->order_cap, w->p->tree.n, sizeof *w->order) || !tree_order(&w->p->tree, w->order))
		return;
	w->detail.order = w->order;
	for (uint64_t steps = 512; steps > 1; steps /= 8) {
		w->detail.step = length / steps + 1;
		if (fits(w, thread, n, all))
			return;
	}
	for (uint64_t least = 2, steps = 512; w->elided != UINT32_MAX && least < UINT64_MAX / 4; least *= 4) {
		w->detail.step = length / steps + 1;
		if (!keep_heavy(w, thread, n, least) || fits(w, thread, n, all))
			return;
		steps = steps > 1 ? steps / 8 : 1;
	}
}

static bool
open_merge(struct writing *w, const uint32_t *thread, uint32_t n)
{
	w->told = 0;
	if (!merge_open(&w->merge, w->p, thread, n, &w->detail))
		sink_fail(w->out, ENOMEM);
	return !w->out->err;
}

static uint64_t
put_weights(struct writing *w, const uint32_t *thread, uint32_t n)
{
	uint64_t total = 0;
	struct piece piece;

	if (!open_merge(w, thread, n))
		return 0;
	for (bool first = true; merge_next(&w->merge, &piece); first = false) {
		if (!first)
			sink_char(w->out, ',');
		sink_decimal(w->out, piece.ns, w->period ? 9 : 0);
		total += piece.ns;
	}
	return total;
}

/* A profile of N threads of one event. */
static void
put_profile(struct writing *w, const uint32_t *thread, uint32_t n)
{
	struct piece piece;
	uint64_t total;

	sink_str(w->out, ",\"type\":\"sampled\",\"unit\":");
	sink_str(w->out, w->period ? "\"seconds\"" : "\"none\"");
	sink_str(w->out, ",\"startValue\":0,\n\"samples\":[");
	if (!open_merge(w, thread, n))
		return;
	for (bool first = true; merge_next(&w->merge, &piece); first = false) {
		if (!first)
			sink_char(w->out, ',');
		put_stack(w, &piece);
	}
	sink_str(w->out, "],\n\"weights\":[");
	total = put_weights(w, thread, n);
	sink_str(w->out, "],\n\"endValue\":");
	sink_decimal(w->out, total, w->period ? 9 : 0);
	sink_char(w->out, '}');
}

/* The rest of a profile's name: what was left out, and which event it is. */
static void
put_name_end(struct writing *w, uint32_t event)
{
	uint64_t length = length_of(w->p);

	if (w->detail.order && w->detail.step > length)
		sink_str(w->out, " (not in the order of time");
	else if (w->detail.order) {
		sink_str(w->out, " (in steps of ");
		sink_decimal(w->out, w->detail.step / 1000000, 3);
		sink_str(w->out, " s");
	}
	if (w->detail.order)
		sink_str(w->out, w->detail.kept ? ", rare stacks without their middle)" : ")");
	if (w->p->nevent > 1 && event < w->p->nevent) {
		sink_str(w->out, ": ");
		sink_json_part(w->out, w->p->event[event].name);
	}
	sink_char(w->out, '"');
}

/* For prof itself, where it reads the file back: what only a name tells otherwise.  The profile of all threads has none of
 * it, as the others hold the same. */
static void
put_own_thread(struct writing *w, const struct thread *t)
{
	sink_str(w->out, ",\"prof\":{\"comm\":");
	sink_json(w->out, t->comm);
	sink_fmt(w->out, ",\"pid\":%d,\"tid\":%d,\"event\":%u}", t->pid, t->tid, t->event);
}

static void
put_own(struct sink *out, const struct profile *p)
{
	sink_str(out, ",\n\"prof\":{\"epoch\":");
	sink_u64(out, p->epoch);
	sink_char(out, ',');
	format_events(out, p);
	sink_str(out, ",\"notes\":{");
	for (unsigned i = 0; i < p->nnote; i++) {
		sink_str(out, i ? "," : "");
		sink_json(out, p->note[i].key);
		sink_char(out, ':');
		sink_json(out, p->note[i].value);
	}
	sink_str(out, "}}");
}

/* The profiles of one event: THREAD, N of them, the busiest first. */
static void
put_profiles(struct writing *w, uint32_t event, const uint32_t *thread, uint32_t n, bool first)
{
	uint32_t own = n > THREADS_MAX ? THREADS_MAX : n;

	w->period = event < w->p->nevent ? w->p->event[event].period_ns : 0;
	choose_detail(w, thread, n, true);
	sink_str(w->out, !first ? ",\n{\"name\":\"all threads" : "\n{\"name\":\"all threads");
	put_name_end(w, event);
	put_profile(w, thread, n);
	choose_detail(w, thread, n, false);
	for (uint32_t i = 0; i < own; i++) {
		const struct thread *t = &w->p->thread[thread[i]];
		uint32_t pair[2], both = pair_of(w, thread[i], pair);

		sink_str(w->out, ",\n{\"name\":\"");
		sink_json_part(w->out, *t->comm ? t->comm : "[unknown]");
		sink_fmt(w->out, " %d/%d", t->pid, t->tid);
		put_name_end(w, event);
		put_own_thread(w, t);
		put_profile(w, pair, both);
		w->pairs = false;
	}
	if (own < n) {
		struct thread rest = { .comm = "[other threads]", .event = event };

		sink_fmt(w->out, ",\n{\"name\":\"%u other threads", n - own);
		put_name_end(w, event);
		put_own_thread(w, &rest);
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

	if (!vec_room(&w->thread, &w->thread_cap, (uint64_t)n + 1, sizeof *w->thread))
		return false;
	for (uint32_t i = 0; i < n; i++)
		w->thread[i] = i;
	if (n)
		qsort_r(w->thread, n, sizeof *w->thread, by_weight, w->p->thread);
	return true;
}

static void
write_within(struct sink *out, const struct profile *p, struct cost most)
{
	struct writing w = { .p = p, .out = out, .most = most };
	uint32_t lo = 0, hi = 0;

	if (!sort_threads(&w))
		sink_fail(out, ENOMEM);
	sink_str(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":");
	sink_json(out, p->exporter ? p->exporter : "prof");
	sink_str(out, ",\n\"name\":");
	sink_json(out, p->command && *p->command ? p->command : "prof");
	put_own(out, p);
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
	vec_free(&w.order, &w.order_cap, sizeof *w.order);
	vec_free(&w.kept, &w.kept_cap, sizeof *w.kept);
	merge_free(&w.merge);
	path_free(&w.path);
}

static void
speedscope_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, bearable);
}

const struct format format_speedscope = { .name = "speedscope", .suffixes = ".json .speedscope", .write = speedscope_write,
                                          .is = speedscope_is, .read = speedscope_read };
