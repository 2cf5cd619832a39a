/* The runs of several threads of one event, or of one thread's running and waiting, in the order of time, with gaps where none of them ran.
 * For formats without clocks, where a sample's place is the sum of the weights before it.  Inside out/ only. */
#ifndef OUT_PROFILE_MERGE_H
#define OUT_PROFILE_MERGE_H

#include "profile.h"

/* One sample, as it is shown. */
struct piece {
	uint64_t ns;               /* its length; the plain weight for events that are not time */
	uint64_t key;              /* merge.c's own, to sort by */
	uint32_t node;             /* NODE_NONE: an empty stack, or nobody ran */
	bool waiting;              /* of an event that waits */
	uint32_t leaf;             /* if inner frames were left out, the innermost one: a function; else UINT32_MAX */
};

/* How much to show.  All zero is everything. */
struct detail {
	uint64_t step;             /* ns: within a step of time equal stacks are one, and similar ones stand together */
	const uint32_t *order;     /* for the step: the place of each node among all, parents first */
	/* For each node, the innermost node of its stack that is heavy enough to be shown.  Of the nodes further in, only the
	 * innermost function is shown. */
	const uint32_t *kept;
};

struct merge {
	const struct profile *profile;
	struct lane *lane;         /* a heap, by time */
	uint32_t lane_cap, lanes;
	uint64_t period;           /* ns, or 0: of the event; of two events the longer one */
	uint64_t busy;             /* until when a thread has run */
	uint64_t drawn;            /* of a single thread: where the running sum stands */
	bool single;
	struct detail detail;
	uint64_t step;             /* of time, within which pieces are sorted; 0: not at all */
	struct piece *piece;       /* of the step at hand, and the same room again to sort them */
	uint32_t piece_cap, pieces, at;
	struct piece ahead;        /* read, but perhaps not to its end */
	bool have;
};

/* Begins with N threads, all of one event, or one thread's running and its waiting.  False at the memory cap. */
bool merge_open(struct merge *, const struct profile *, const uint32_t *thread, uint32_t n, const struct detail *);
/* The next piece; two neighbours are never equal. */
bool merge_next(struct merge *, struct piece *);
void merge_free(struct merge *);

#endif
