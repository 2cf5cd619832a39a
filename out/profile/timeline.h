/* A thread's samples in the order of time, as runs of equal stacks and weights, a few bytes each. */
#ifndef OUT_PROFILE_TIMELINE_H
#define OUT_PROFILE_TIMELINE_H

#include "tree.h"

/* The product of a duration or count; UINT64_MAX if it is larger. */
static inline uint64_t
times(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Neighbouring samples of a thread that are equal. */
struct run {
	uint64_t start;            /* of its first sample: ns since profile's start */
	uint64_t span;             /* from its first sample to its last */
	uint64_t weight, samples;
	uint64_t first;            /* the weight of its first sample */
	uint32_t node;             /* of `tree`; NODE_NONE for a sample without a stack */
};

struct chunk;

struct timeline {
	struct chunk *first, *last;
	/* the end and the node of the last run that is written; the next run is written relative to them */
	uint64_t time;
	uint32_t at;
	/* the open run (samples 0: none): raw node, time of its first and last sample in µs since the profile's start */
	uint32_t node;
	uint64_t lo, hi, weight, samples;
};

/* Adds RUN, which has a raw node; PERIOD: what a weight of one is worth, in ns, or 0.  False at the memory cap: then nothing
 * has changed. */
bool timeline_add(struct timeline *, struct arena *, const struct run *, uint64_t period);

/* Reading a timeline, in the order of time. */
struct run_reader {
	const struct timeline *timeline;
	const uint32_t *named;     /* NNAMED: for each recorded node the one to give instead */
	uint32_t nnamed;
	const struct chunk *chunk;
	uint32_t pos, node;
	uint64_t time, period;
	bool end;
	bool raw;                  /* set it once the reader is open: it gives nodes as they were recorded, and runs, too, if all
	                            * samples of a run weigh the same */
};
/* Opens a timeline, or NULL; PERIOD: as timeline_add got it. */
void timeline_open(struct run_reader *, const struct timeline *, uint64_t period, const uint32_t *named, uint32_t nnamed);
/* The next run of equal stacks: if NAMED makes neighbours equal, they are one. */
bool runs_next(struct run_reader *, struct run *);

#endif
