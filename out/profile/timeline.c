/* See timeline.h.  A run is written as varints (LEB128):
 *
 *     (first sample - the run before's last sample, µs) << 1 | 1 for a single sample of weight 1
 *     node - the run before's node, zigzag, modulo 2^32
 *     and unless single: samples << 1 | weight differs, last sample - first, and the weight where it differs
 *
 * Chunks double from 64 bytes to 4 KiB, so that a thousand short threads cost little. */
#include "timeline.h"

#include <string.h>

struct chunk {
	struct chunk *next;
	uint32_t used, size;
	uint8_t byte[];
};

enum { CHUNK_MIN = 64, CHUNK_MAX = 4096, RUN_MAX = 10 + 5 + 10 + 10 + 10 };
#define SAMPLES_MAX (UINT64_MAX / 4)   /* of a run: twice as many still have room in a varint */

static uint8_t *
put(uint8_t *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint64_t
get(const struct chunk *c, uint32_t *pos)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = c->byte[(*pos)++];

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
}

static bool
chunk_room(struct timeline *t, struct arena *arena, uint32_t n)
{
	struct chunk *c = t->last;
	uint32_t size = !c ? CHUNK_MIN : c->size + sizeof *c < CHUNK_MAX ? (uint32_t)(c->size + sizeof *c) * 2 : CHUNK_MAX;

	if (c && n <= c->size - c->used)
		return true;
	if (!(c = arena_alloc(arena, size)))
		return false;
	c->size = size - (uint32_t)sizeof *c;
	*(t->last ? &t->last->next : &t->first) = c;
	t->last = c;
	return true;
}

/* Writes the open run behind the others. */
static bool
write_run(struct timeline *t, struct arena *arena)
{
	uint8_t run[RUN_MAX], *p = run;
	bool single = t->samples == 1 && t->weight == 1;
	uint32_t delta = t->node - t->at;

	p = put(p, (t->lo - t->time) << 1 | single);
	p = put(p, (uint32_t)(delta << 1 ^ -(delta >> 31)));
	if (!single) {
		p = put(p, t->samples << 1 | (t->weight != t->samples));
		p = put(p, t->hi - t->lo);
		if (t->weight != t->samples)
			p = put(p, t->weight);
	}
	if (!chunk_room(t, arena, (uint32_t)(p - run)))
		return false;
	memcpy(t->last->byte + t->last->used, run, (size_t)(p - run));
	t->last->used += (uint32_t)(p - run);
	t->time = t->hi;
	t->at = t->node;
	return true;
}

/* Whether samples follow each other closely: WEIGHT of them, GAP µs after the last, by the period's length. */
static inline bool
adjoins(uint64_t gap, uint64_t weight, uint64_t period)
{
	return !period || gap <= times(weight, period) / 2000 * 3 + 1;
}

bool
timeline_add(struct timeline *t, struct arena *arena, const struct run *run, uint64_t period)
{
	uint64_t lo = run->start / 1000, hi = (run->start + run->span) / 1000;

	if (lo < t->hi)
		lo = t->hi;
	if (hi < lo)
		hi = lo;
	if (run->samples > SAMPLES_MAX)
		return false;
	if (t->samples && t->node == run->node && run->samples <= SAMPLES_MAX - t->samples &&
	    t->weight * run->samples == run->weight * t->samples &&
	    adjoins(lo - t->hi, run->weight / run->samples, period)) {
		t->hi = hi;
		t->weight += run->weight;
		t->samples += run->samples;
		return true;
	}
	if (t->samples && !write_run(t, arena))
		return false;
	t->node = run->node;
	t->lo = lo;
	t->hi = hi;
	t->weight = run->weight;
	t->samples = run->samples;
	return true;
}

void
timeline_open(struct run_reader *r, const struct timeline *t, uint64_t period, const uint32_t *named, uint32_t nnamed)
{
	*r = (struct run_reader){ .timeline = t, .named = named, .nnamed = nnamed, .chunk = t ? t->first : NULL, .period = period,
		                  .end = !t };
}

static uint32_t
node_of(const struct run_reader *r, uint32_t node)
{
	return r->raw ? node : node < r->nnamed ? r->named[node] : NODE_NONE;
}

/* Reads the open run, which comes last. */
static bool
read_open(struct run_reader *r, struct run *run)
{
	const struct timeline *t = r->timeline;

	if (r->end || !t->samples)
		return false;
	*run = (struct run){ t->lo * 1000, (t->hi - t->lo) * 1000, t->weight, t->samples, t->weight / t->samples,
	                     node_of(r, t->node) };
	return r->end = true;
}

/* The next run as it was recorded. */
static bool
read_run(struct run_reader *r, struct run *run)
{
	const struct chunk *c = r->chunk;
	uint64_t v, span = 0;
	uint32_t zigzag;

	if (c && r->pos >= c->used) {
		r->chunk = c = c->next;
		r->pos = 0;
	}
	if (!c || r->pos >= c->used)
		return read_open(r, run);
	v = get(c, &r->pos);
	r->time += v >> 1;
	zigzag = (uint32_t)get(c, &r->pos);
	r->node += zigzag >> 1 ^ -(zigzag & 1);
	*run = (struct run){ .start = r->time * 1000, .weight = 1, .samples = 1 };
	if (!(v & 1)) {
		v = get(c, &r->pos);
		span = get(c, &r->pos);
		run->samples = run->weight = v >> 1;
		if (v & 1)
			run->weight = get(c, &r->pos);
	}
	run->first = run->weight / run->samples;
	run->span = span * 1000;
	r->time += span;
	run->node = node_of(r, r->node);
	return true;
}

bool
runs_next(struct run_reader *r, struct run *run)
{
	struct run_reader ahead;
	struct run next;

	if (!read_run(r, run))
		return false;
	if (r->raw)
		return true;
	for (ahead = *r; read_run(&ahead, &next) && next.node == run->node; *r = ahead) {
		uint64_t gap = (next.start - run->start - run->span) / 1000;

		if (!adjoins(gap, next.first, r->period))
			break;
		run->span = next.start + next.span - run->start;
		run->weight += next.weight;
		run->samples += next.samples;
	}
	return true;
}
