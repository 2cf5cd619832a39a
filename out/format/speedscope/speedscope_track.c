/* The samples of a speedscope profile, read: sampled stacks beside their weights, or events that open and close frames.
 *
 * A place is the sum of the weights before it; an empty stack is a time in which nothing ran. */
#include "speedscope_track.h"

enum { DEPTH_MAX = 10000 };

/* Adds a stack of so much weight that begins at AT, both as the track counts. */
static void
add_stack(struct reading *r, struct track *t, uint64_t at, uint64_t weight)
{
	uint64_t period = r->p->event[t->event].period_ns, length = t->time ? weight : 0;
	bool each = t->own && period && !r->p->event[t->event].waiting;   /* a sample is one period */
	struct run run = { .start = r->base + at + length, .weight = weight };

	if (!weight || (!r->depth && t->time))
		return;
	if (t->time && period) {
		run.weight = (t->carry + weight) / period;
		t->carry = (t->carry + weight) % period;
	}
	if (!run.weight)
		return;
	run.samples = each || (!t->time && !t->bytes) ? run.weight : 1;
	if (each && run.samples > 1) {
		run.start = r->base + at + period;
		run.span = length > period ? length - period : 0;
	}
	r->sum += run.weight < WEIGHT_MAX ? run.weight : WEIGHT_MAX;
	if (r->sum >= WEIGHT_MAX) {
		json_bad(r->c, "the sum of the weights is too large");
		return;
	}
	if (!vec_room(&r->leaf_first, &r->leaf_cap, r->depth, sizeof *r->leaf_first)) {
		json_bad(r->c, "out of memory");
		return;
	}
	for (uint32_t i = 0; i < r->depth; i++)
		r->leaf_first[i] = r->stack[r->depth - 1 - i];
	profile_add_run(r->p, t->thread, &run, r->leaf_first, r->depth);
}

/* Reads a frame's number at the cursor, and puts that frame's code on the stack. */
static void
push(struct reading *r)
{
	const uint8_t *at = r->c->pos;
	int64_t i = json_number(r->c, 0);

	if (r->c->bad)
		return;
	if (i < 0 || i >= r->frames) {
		r->c->pos = at;
		json_bad(r->c, "a frame is missing from the table of frames");
	} else if (i + 1 == r->marker && !r->depth)
		r->waiting = true;
	else if (r->waiting)
		return;
	else if (!vec_room(&r->stack, &r->stack_cap, (uint64_t)r->depth + 1, sizeof *r->stack))
		json_bad(r->c, "out of memory");
	else
		r->stack[r->depth++] = r->frame[i];
}

/* A weight or a time, which is at least LEAST. */
static uint64_t
read_amount(struct reading *r, const struct track *t, uint64_t least, const char *why)
{
	const uint8_t *at = r->c->pos;
	int64_t v = json_number(r->c, t->places);

	if (!r->c->bad && (v < 0 || (uint64_t)v < least || (uint64_t)v > WEIGHT_MAX * 8)) {
		r->c->pos = at;
		json_bad(r->c, v > 0 && (uint64_t)v >= least ? "a number is too large" : why);
	}
	return r->c->bad ? least : (uint64_t)v;
}

static void
read_samples(struct reading *r, struct track *t)
{
	struct cursor samples = t->samples, weights = t->weights, *was = r->c;
	struct json_list stacks = json_open(&samples, '['), amounts = json_open(&weights, '['), frames;
	uint64_t at = 0, weight;
	bool more;

	for (;;) {
		more = json_next(&samples, &stacks);
		r->c = &weights;
		if (json_next(&weights, &amounts) != more && !samples.bad)
			json_bad(&weights, "the number of weights is not that of samples");
		if (!more || samples.bad || weights.bad)
			break;
		weight = read_amount(r, t, 0, "a weight is below zero");
		if (weights.bad)
			break;
		r->c = &samples;
		r->depth = 0;
		r->waiting = false;
		for (frames = json_open(&samples, '['); json_next(&samples, &frames);)
			push(r);
		if (!samples.bad)
			add_stack(r, t, at, weight);
		at += weight;
		if (at > WEIGHT_MAX * 8)
			json_bad(&samples, "the sum of the weights is too large");
	}
	r->c = was;
	if (samples.bad || weights.bad)
		*was = samples.bad ? samples : weights;
	if (t->time && r->p->start + r->base + at > r->p->end)
		r->p->end = r->p->start + r->base + at;
}

/* {"type":"O" or "C", "frame":N, "at":T} at time LAST or later: from LAST to T the frames that are open have run. */
static uint64_t
read_step(struct reading *r, struct track *t, uint64_t last)
{
	struct cursor frame = { .pos = NULL }, *was = r->c;
	const uint8_t *begin = r->c->pos;
	struct json_list list;
	uint64_t at = last;
	char type = 0;

	for (list = json_open(r->c, '{'); json_next(r->c, &list);) {
		const char *key = json_key(r->c, &r->text);

		if (is(key, "at"))
			at = read_amount(r, t, last, "time runs backwards");
		else if (is(key, "type")) {
			type = *json_string(r->c, &r->text);
		} else {
			if (is(key, "frame"))
				frame = *r->c;
			json_skip(r->c);
		}
	}
	if (r->c->bad)
		return last;
	add_stack(r, t, last - t->start, at - last);
	if (!frame.pos || (type != 'O' && type != 'C') || r->depth == DEPTH_MAX) {
		r->c->pos = begin;
		json_bad(r->c, r->depth == DEPTH_MAX ? "a stack has more than 10,000 frames" : "an event neither opens nor closes a frame");
		return last;
	}
	r->c = &frame;
	push(r);
	r->c = was;
	if (frame.bad)
		*r->c = frame;
	else if (type == 'C' && (r->depth < 2 || r->stack[r->depth - 1] != r->stack[r->depth - 2])) {
		r->c->pos = begin;
		json_bad(r->c, "an event closes a frame that is not the innermost");
	} else if (type == 'C')
		r->depth -= 2;
	return at;
}

static void
read_steps(struct reading *r, struct track *t)
{
	struct cursor events = t->events, *was = r->c;
	struct json_list list = json_open(&events, '[');
	uint64_t at = t->start;

	r->c = &events;
	r->depth = 0;
	while (json_next(&events, &list))
		at = read_step(r, t, at);
	r->c = was;
	if (events.bad)
		*was = events;
	if (t->time && r->p->start + r->base + at - t->start > r->p->end)
		r->p->end = r->p->start + r->base + at - t->start;
}

void
speedscope_track(struct reading *r, struct track *t)
{
	const char *missing = t->type == 's' ? (t->samples.pos ? t->weights.pos ? NULL : "a profile has no weights"
	                                                       : "a profile has no samples")
	                      : t->type == 'e' ? (t->events.pos ? NULL : "a profile has no events")
	                                       : "a profile is neither sampled nor evented";

	if (missing)
		json_bad(r->c, missing);
	else
		(t->type == 's' ? read_samples : read_steps)(r, t);
}
