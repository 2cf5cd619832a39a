/* What of a profile a page shows: all of it, or, where that is more than a browser bears, rare stacks without their middle
 * and equal stacks joined within steps of time. */
#ifndef OUT_HTML_SHOWN_H
#define OUT_HTML_SHOWN_H

#include "out/profile/profile.h"
#include "out/profile/timeline.h"

/* What a browser bears. */
struct bounds {
	uint32_t nodes, runs;
};

struct shown {
	const struct profile *p;
	struct bounds most;
	struct profile runs;       /* the same, but its runs' nodes are those of TREE */
	const struct tree *tree;   /* its frames are sites */
	struct tree lined, cut;
	struct site *site;
	uint32_t nsite, site_cap;
	struct index sites;
	uint32_t *map[2];          /* the tree's node for each raw one; with lines, and where stacks were cut */
	uint32_t map_cap[2];
	uint64_t *weight;          /* of each node, with what it calls */
	uint8_t *ran;              /* did anything run right there? */
	uint32_t weight_cap, ran_cap;
	uint64_t least;            /* what the rarest whole stack weighs; 0: all are whole */
	uint64_t step;             /* ns; 0: runs as they are */
};

/* A thread's runs as they are shown: within a step of time, equal stacks are one. */
struct shown_reader {
	const struct shown *s;
	struct run_reader runs;
	struct run ahead, *held;   /* of a step, sorted by node */
	uint32_t cap, n, at;
	bool have;
};

/* Chooses what of the profile is shown.  False at the memory cap; shown_free in any case. */
bool shown_choose(struct shown *, const struct profile *, struct bounds);
void shown_free(struct shown *);

/* The runs of one thread after the other: a reader begins as zeros. */
void shown_open(struct shown_reader *, const struct shown *, const struct thread *);
bool shown_next(struct shown_reader *, struct run *);
void shown_close(struct shown_reader *);

#endif
