/* What a flame graph shows of one event: frames with their place and weight, those that matter.  Inside out/ only. */
#ifndef OUT_FLAME_H
#define OUT_FLAME_H

#include "out/profile/profile.h"

struct flame_frame {
	const char *name;          /* NULL: neighbours that are too light to be told apart, and what they call */
	uint32_t function;         /* UINT32_MAX: a root */
	uint32_t label;            /* the same for frames that look alike: below the profile's functions + threads + 1 */
	uint32_t depth;            /* 0: all there is */
	uint64_t at, weight;       /* from AT on; what is called begins at its caller's AT, and its own weight is what is left */
	int64_t delta;             /* where the profile has them: parts per 100,000 of all */
};

struct flame {
	const struct profile *p;
	uint32_t event;
	struct flame_frame *frame; /* callees behind their caller, before its next sibling; siblings by name */
	uint32_t n, cap;
	uint32_t depth;            /* of the deepest */
	uint64_t total, samples;
	uint64_t least;            /* frames below that weight are not told apart */
	/* while it is being made */
	struct arena arena;
	uint32_t *rank;            /* of each function: those that look alike have the same */
	uint32_t *child, *next;    /* of each node: its first callee and its next sibling, + 1 */
	uint64_t *weight;          /* of each node */
	uint64_t *cursor;          /* of each depth: where its next frame begins */
	struct root *root;         /* threads that stand under one name are neighbours */
	struct item *item;         /* still to be shown: the next one last */
	struct touched *touched;
	uint32_t rank_cap, child_cap, next_cap, weight_cap, cursor_cap, root_cap, item_cap, touched_cap;
	uint32_t roots, items;
};

/* The frames of the EVENT's threads of at least weight LEAST, or more, so that there are not many more than MOST; by their
 * callers where the picture is to be reversed.  False at the memory cap. */
bool flame_make(struct flame *, const struct profile *, uint32_t event, uint64_t least, uint32_t most);
void flame_free(struct flame *);

/* Functions that look alike: the same name, kind and module, and line where lines are told apart. */
int function_order(const struct profile *, const struct function *, const struct function *);

#endif
