/* A thread's samples in the order of time, as runs of equal stacks and weights, a few bytes each.  Inside out/ only. */
#ifndef OUT_TIMELINE_H
#define OUT_TIMELINE_H

#include "profile.h"

struct chunk;

struct timeline {
	struct chunk *first, *last;
	/* behind what is written: the end of its last run, and that run's node, which the next is told relative to */
	uint64_t time;
	uint32_t at;
	/* the open run (samples 0: none): raw node, time of its first and last sample in µs since the profile's start */
	uint32_t node;
	uint64_t lo, hi, weight, samples;
	/* the last sample's stack, outermost first: `depth` codes, and behind them, at `room / 2`, their nodes */
	uint32_t *stack;
	uint32_t room, depth;
};

/* Adds what RUN says, of a raw node; PERIOD: what a weight of one is worth, in ns, or 0.
 * False at the memory cap, and nothing has changed. */
bool timeline_add(struct timeline *, struct arena *, const struct run *, uint64_t period);

#endif
