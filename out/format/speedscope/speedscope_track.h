/* The samples of one of a speedscope file's profiles, read.  Inside this folder only. */
#ifndef OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_TRACK_H
#define OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_TRACK_H

#include <string.h>

#include "lib/json.h"
#include "out/profile/profile.h"

/* A file that is being read. */
struct reading {
	struct profile *p;
	struct cursor *c;          /* what is being read, and where it is wrong */
	struct sink text;
	struct arena arena;        /* of what is needed while reading */
	uint32_t *frame;           /* the code of each */
	uint32_t frames, frame_cap;
	uint32_t event[16], events;    /* ours: the numbers that they have now */
	uint32_t *stack, depth, stack_cap;
	uint32_t *leaf_first;
	uint32_t leaf_cap;
	uint64_t base, sum;        /* where this file's time begins in the profile; of all weights */
	bool ours, timed;
	uint32_t marker;           /* the frame + 1 below a thread's waits among its runs; left out, because the event tells them apart */
	bool waiting;
};

/* What the file says about a profile before its samples. */
struct track {
	struct cursor samples, weights, events;
	char type;                 /* 's' or 'e' */
	uint64_t start;            /* in units; ns where they are time */
	unsigned places;           /* of a weight: 9 where it is in seconds */
	bool time, bytes, own;
	uint32_t event, thread;
	uint64_t carry;            /* ns below one of weight */
};

/* Reads the samples of a profile, after all else about it. */
void speedscope_track(struct reading *, struct track *);

static inline bool
is(const char *s, const char *what)
{
	return strcmp(s, what) == 0;
}

#endif
