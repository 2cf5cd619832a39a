/* The runs of several threads of one event, or of one thread's running and waiting, in the order of time, with gaps where none of them ran.
 * Inside out/ only: for formats without clocks, where a sample's place is the sum of the weights before it. */
#ifndef OUT_PROFILE_MERGE_H
#define OUT_PROFILE_MERGE_H

#include "profile.h"

/* What is shown as one sample. */
struct piece {
	uint64_t ns;               /* its length; the plain weight for events that are not time */
	uint64_t key;              /* merge.c's own, to sort by */
	uint32_t node;             /* NODE_NONE: an empty stack, or nobody ran */
	bool waiting;              /* of an event that does */
	uint32_t leaf;             /* where inner frames were left out: the innermost, a function; else UINT32_MAX */
};

/* How much to show.  All zero is everything. */
struct detail {
	uint64_t step;             /* ns: within a step of time equal stacks are one, and like ones stand together */
	const uint32_t *order;     /* for that: the place of each node among all, parents first */
	/* Of each node, the innermost node of its stack that is heavy enough to be shown; of those further in, only the
	 * innermost function is. */
	const uint32_t *kept;
};

struct merge {
	const struct profile *profile;
	struct lane *lane;         /* a heap, by time */
	uint32_t lane_cap, lanes;
	uint64_t period;           /* ns, or 0: of the event, or of the one with the longer one */
	uint64_t busy;             /* until when a thread has run */
	uint64_t drawn;            /* of a single thread: where the running sum stands */
	bool single;
	struct detail detail;
	uint64_t step;             /* of time, within which pieces are sorted; 0: not at all */
	struct piece *piece;       /* of the step at hand, and as much again to sort them */
	uint32_t piece_cap, pieces, at;
	struct piece ahead;        /* read, but perhaps not at its end */
	bool have;
};

/* Begins with N threads, all of one event, or of one that runs and that waits.  False at the memory cap. */
bool merge_open(struct merge *, const struct profile *, const uint32_t *thread, uint32_t n, const struct detail *);
/* The next piece; two neighbours are never equal. */
bool merge_next(struct merge *, struct piece *);
void merge_free(struct merge *);

#endif
