/* What a page shows of a profile: all of it; or, if that is too much for a browser, rare stacks without their middle, and equal
 * stacks joined within steps of time. */
#ifndef OUT_FORMAT_HTML_HTML_SHOWN_H
#define OUT_FORMAT_HTML_HTML_SHOWN_H

#include "out/profile/profile.h"
#include "out/profile/timeline.h"

/* What a browser can show. */
struct bounds {
	uint32_t nodes, runs;
};

struct shown {
	const struct profile *p;
	struct bounds most;
	struct profile runs;       /* the profile, but the nodes of its runs are those of TREE */
	const struct tree *tree;   /* its frames are sites */
	struct tree lined, cut;
	struct site *site;
	uint32_t nsite, site_cap;
	struct index sites;
	uint32_t *map[2];          /* the tree's node for each raw one; with lines, and where stacks were cut */
	uint32_t map_cap[2];
	uint64_t *weight;          /* of each node, with what it calls */
	uint8_t *ran;              /* whether anything ran right there */
	uint32_t weight_cap, ran_cap;
	uint64_t least;            /* the weight of the rarest whole stack; 0: all are whole */
	uint64_t step;             /* ns; 0: runs as they are */
};

/* A thread's runs as the page shows them: within a step of time, equal stacks are one. */
struct shown_reader {
	const struct shown *s;
	struct run_reader runs;
	struct run ahead, *held;   /* of a step, sorted by node */
	uint32_t cap, n, at;
	bool have;
};

/* Chooses what to show of the profile.  False at the memory cap; call shown_free in any case. */
bool shown_choose(struct shown *, const struct profile *, struct bounds);
void shown_free(struct shown *);

/* Opens the runs of one thread after the other.  A reader is all zero before its first thread. */
void shown_open(struct shown_reader *, const struct shown *, const struct thread *);
bool shown_next(struct shown_reader *, struct run *);
void shown_close(struct shown_reader *);

#endif
