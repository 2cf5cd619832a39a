/* How much of a profile is written, so that speedscope can show it.  Inside this folder only. */
#ifndef OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_DETAIL_H
#define OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_DETAIL_H

#include "out/profile/merge.h"

enum { DETAIL_THREADS_MAX = 256 };   /* profiles of their own; the rest are joined in one */

/* What a profile costs the viewer: the nodes of its tree, and the frames written.  The viewer makes a node for each frame that
 * begins in the order of time, and one for each distinct frame. */
struct cost {
	uint64_t nodes, frames;
};

struct speedscope_detail {
	const struct profile *p;
	struct cost most;
	struct merge merge;
	struct detail detail;       /* what was chosen */
	uint32_t *order, *kept;     /* for the detail */
	uint32_t order_cap, kept_cap;
	uint64_t period;            /* ns, or 0: of the event at hand */
	struct path path;
	uint32_t elided;            /* the frame that stands for those left out */
	uint32_t waiting;           /* the frame below those that wait, where the stacks of both are together */
	bool pairs;
};

/* As much detail as MOST allows for N threads: in one profile if ALL, else in one for each. */
void speedscope_detail_choose(struct speedscope_detail *, const uint32_t *thread, uint32_t n, bool all);
/* Puts the thread, and its waits, which fill its gaps, into PAIR; returns their number. */
uint32_t speedscope_detail_pair(struct speedscope_detail *, uint32_t thread, uint32_t *pair);
/* ns of the profile's time. */
uint64_t speedscope_detail_length(const struct profile *);
void speedscope_detail_free(struct speedscope_detail *);

#endif
