/* speedscope's JSON: https://www.speedscope.app/file-format-schema.json, profiles of type "sampled".
 *
 * Such a profile has no time but the running sum of its weights, so idle time is an empty stack with the gap's weight.
 * Everything is streamed: a heap merges the threads' runs, once for the samples and once for their weights; and once before
 * that, to see whether the viewer will bear it.  If not, less detail is shown and the profile's name says so: first equal
 * stacks are joined within steps of time, which loses nothing but order; at last rare stacks lose their middle frames. */
#include "out/format/format.h"
#include "speedscope_detail.h"
#include "speedscope_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 2000            /* the viewer fails between 3,000 and 4,000 */
};

struct writing {
	const struct profile *p;
	struct sink *out;
	uint32_t *thread;           /* all, by event, the busiest first */
	uint32_t thread_cap;
	struct speedscope_detail shown;
	bool bytes;                 /* the unit of weights */
	/* the outermost `told` frames of the path as text, each behind a comma; the text of the first i ends at end[i] */
	uint32_t told, end[DEPTH_MAX + 1];
	char text[DEPTH_MAX * 11];
};

static void
put_frames(struct writing *w)
{
	const struct profile *p = w->p;

	w->shown.elided = UINT32_MAX;
	for (uint32_t i = 0; i < p->nfunction; i++) {
		const struct function *f = &p->function[i];

		if (f->kind == FUNCTION_MARK && strcmp(f->name, "[elided]") == 0)
			w->shown.elided = i;
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
	if (w->shown.elided == UINT32_MAX && p->tree.n > DEPTH_MAX) {
		w->shown.elided = p->nfunction;
		sink_str(w->out, p->nfunction ? ",\n{\"name\":\"[elided]\"}" : "\n{\"name\":\"[elided]\"}");
	}
	for (uint32_t i = 1; i < p->nevent; i++)
		if (p->event[i].waiting && !w->shown.waiting && p->nfunction) {
			w->shown.waiting = p->nfunction + (w->shown.elided == p->nfunction);
			sink_str(w->out, ",\n{\"name\":\"[");
			sink_json_part(w->out, p->event[i].name);
			sink_str(w->out, "]\"}");
		}
}

/* A path that is too deep for the viewer, without its middle. */
static void
put_deep(struct writing *w)
{
	for (uint32_t i = 0; i < w->shown.path.n; i++) {
		bool cut = i == DEPTH_MAX / 2;

		sink_str(w->out, i ? "," : "");
		sink_u64(w->out, cut ? w->shown.elided : w->p->tree.node[w->shown.path.node[i]].frame);
		if (cut)
			i = w->shown.path.n - DEPTH_MAX / 2;
	}
	w->told = 0;
}

/* Most stacks share their outer frames with the last one, and so the text. */
static void
put_path(struct writing *w, uint32_t node)
{
	uint32_t shared = tree_path(&w->p->tree, node, &w->shown.path), i;

	if (w->shown.path.n > DEPTH_MAX) {
		put_deep(w);
		return;
	}
	for (i = shared < w->told ? shared : w->told; i < w->shown.path.n; i++) {
		uint32_t frame = w->p->tree.node[w->shown.path.node[i]].frame;
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
	w->told = w->shown.path.n;
	if (w->told)
		sink_put(w->out, w->text + 1, w->end[w->told] - 1);
}

static void
put_stack(struct writing *w, const struct piece *piece)
{
	sink_char(w->out, '[');
	if (w->shown.pairs && piece->waiting) {
		sink_u64(w->out, w->shown.waiting);
		sink_str(w->out, piece->node != NODE_NONE ? "," : "");
	}
	if (piece->node != NODE_NONE)
		put_path(w, piece->node);
	if (piece->leaf != UINT32_MAX) {
		sink_str(w->out, piece->node != NODE_NONE ? "," : "");
		sink_u64(w->out, w->shown.elided);
		sink_char(w->out, ',');
		sink_u64(w->out, piece->leaf);
	}
	sink_char(w->out, ']');
}

static bool
open_merge(struct writing *w, const uint32_t *thread, uint32_t n)
{
	w->told = 0;
	if (!merge_open(&w->shown.merge, w->p, thread, n, &w->shown.detail))
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
	for (bool first = true; merge_next(&w->shown.merge, &piece); first = false) {
		if (!first)
			sink_char(w->out, ',');
		sink_decimal(w->out, piece.ns, w->shown.period ? 9 : 0);
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
	sink_str(w->out, w->shown.period ? "\"seconds\"" : w->bytes ? "\"bytes\"" : "\"none\"");
	sink_str(w->out, ",\"startValue\":0,\n\"samples\":[");
	if (!open_merge(w, thread, n))
		return;
	for (bool first = true; merge_next(&w->shown.merge, &piece); first = false) {
		if (!first)
			sink_char(w->out, ',');
		put_stack(w, &piece);
	}
	sink_str(w->out, "],\n\"weights\":[");
	total = put_weights(w, thread, n);
	sink_str(w->out, "],\n\"endValue\":");
	sink_decimal(w->out, total, w->shown.period ? 9 : 0);
	sink_char(w->out, '}');
}

/* Writes the rest of a profile's name: what was left out, and which event it is. */
static void
put_name_end(struct writing *w, uint32_t event)
{
	uint64_t length = speedscope_detail_length(w->p);

	if (w->shown.detail.order && w->shown.detail.step > length)
		sink_str(w->out, " (not in the order of time");
	else if (w->shown.detail.order) {
		sink_str(w->out, " (in steps of ");
		sink_decimal(w->out, w->shown.detail.step / 1000000, 3);
		sink_str(w->out, " s");
	}
	if (w->shown.detail.order)
		sink_str(w->out, w->shown.detail.kept ? ", rare stacks without their middle)" : ")");
	if (w->p->nevent > 1 && event < w->p->nevent) {
		sink_str(w->out, ": ");
		sink_json_part(w->out, w->p->event[event].name);
	}
	sink_char(w->out, '"');
}

/* Writes, for prof's own reader, what otherwise only a name tells.  The profile of all threads does not need it, because the
 * others hold the same samples. */
static void
put_own_thread(struct writing *w, const struct thread *t)
{
	sink_str(w->out, ",\"prof\":{\"comm\":");
	sink_json(w->out, t->comm);
	if (t->name) {
		sink_str(w->out, ",\"thread\":");
		sink_json(w->out, t->name);
	}
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
	uint32_t own = n > DETAIL_THREADS_MAX ? DETAIL_THREADS_MAX : n;

	w->shown.period = event < w->p->nevent ? w->p->event[event].period_ns : 0;
	w->bytes = event < w->p->nevent && event_in_bytes(&w->p->event[event]);
	speedscope_detail_choose(&w->shown, thread, n, true);
	sink_str(w->out, !first ? ",\n{\"name\":\"all threads" : "\n{\"name\":\"all threads");
	put_name_end(w, event);
	put_profile(w, thread, n);
	speedscope_detail_choose(&w->shown, thread, n, false);
	for (uint32_t i = 0; i < own; i++) {
		const struct thread *t = &w->p->thread[thread[i]];
		uint32_t pair[2], both = speedscope_detail_pair(&w->shown, thread[i], pair);

		sink_str(w->out, ",\n{\"name\":\"");
		sink_json_part(w->out, *thread_title(t) ? thread_title(t) : "[unknown]");
		sink_fmt(w->out, " %d/%d", t->pid, t->tid);
		put_name_end(w, event);
		put_own_thread(w, t);
		put_profile(w, pair, both);
		w->shown.pairs = false;
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

/* What the viewer bears: twice 4 million nodes load in half a minute; with twice 10 million the tab crashes; and the text
 * must fit in a string.  Once for all threads, once for each of them. */
static const struct cost bearable = { 4000000, 40000000 };

static void
write_within(struct sink *out, const struct profile *p, struct cost most)
{
	struct writing w = { .p = p, .out = out, .shown = { .p = p, .most = most } };
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
	speedscope_detail_free(&w.shown);
}

static void
speedscope_write(struct sink *out, const struct profile *p)
{
	write_within(out, p, bearable);
}

const struct format format_speedscope = {
	.name = "speedscope",
	.suffixes = ".json .speedscope",
	.what = "for speedscope (speedscope.app)",
	.write = speedscope_write,
	.is = speedscope_is,
	.read = speedscope_read,
};
