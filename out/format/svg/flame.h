/* What a flame graph shows of one event: the frames that matter, with their place and weight.  Inside out/ only. */
#ifndef OUT_FORMAT_SVG_FLAME_H
#define OUT_FORMAT_SVG_FLAME_H

#include "out/profile/profile.h"

struct flame_frame {
	const char *name;          /* NULL: neighbours that are too light to draw, and what they call */
	uint32_t function;         /* UINT32_MAX: a root */
	uint32_t label;            /* the same for frames that look alike; less than the flame's wides + the profile's threads + 1 */
	uint32_t depth;            /* 0: all there is */
	uint64_t at, weight;       /* from AT on; callees begin at their caller's AT, and the rest is the caller's own weight */
	int64_t delta;             /* the change, if the profile has deltas: parts per 100,000 of all */
};

struct flame {
	const struct profile *p;
	uint32_t event;
	struct flame_frame *frame; /* callees behind their caller, before its next sibling; siblings by name */
	uint32_t n, cap;
	uint32_t depth;            /* of the deepest */
	uint64_t total, samples;
	uint64_t least;            /* frames below that weight are drawn as one */
	/* while it is being made */
	struct arena arena;
	uint32_t *rank;            /* of each function: those that look alike have the same; even: it is nowhere wide enough */
	uint32_t *wide, *gap;      /* functions with odd ranks, one of each; before each of them, the item for narrow ones, + 1 */
	uint32_t *child, *next;    /* of each node: its first callee and its next sibling, + 1 */
	uint64_t *weight;          /* of each node */
	uint64_t *cursor;          /* of each depth: where its next frame begins */
	struct root *root;         /* threads that stand under one name are neighbours */
	struct pending *item;         /* still to be shown: the next one last */
	struct touched *touched;
	uint32_t rank_cap, wide_cap, wides, gap_cap, child_cap, next_cap, weight_cap, cursor_cap, root_cap, item_cap, touched_cap;
	uint32_t roots, items;
};

/* The frames of the EVENT's threads with at least weight LEAST.  It takes a higher LEAST if there were many more frames than
 * MOST.  A reversed picture goes from each frame to its callers.  False at the memory cap. */
bool flame_make(struct flame *, const struct profile *, uint32_t event, uint64_t least, uint32_t most);
void flame_free(struct flame *);

/* Whether functions look alike: the same name, kind and module, and the same line if the profile has lines. */
int function_order(const struct profile *, const struct function *, const struct function *);

#endif
