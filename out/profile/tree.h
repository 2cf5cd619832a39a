/* A tree of stacks: each node is one frame, called by its parent; equal stacks share their nodes. */
#ifndef OUT_PROFILE_TREE_H
#define OUT_PROFILE_TREE_H

#include "lib/tags.h"

#define NODE_NONE UINT32_MAX   /* the empty stack: the parent of outermost frames */

struct node {
	uint32_t parent;           /* always a smaller number, or NODE_NONE */
	uint32_t frame;
};

static inline uint64_t
node_hash(uint32_t parent, uint32_t frame)
{
	uint64_t v = ((uint64_t)parent << 32 | frame) * 0x9e3779b97f4a7c15u;

	return (v ^ v >> 32) * 0xd6e8feb86659fd93u;
}

struct tree {
	struct node *node;
	uint32_t n, cap;
	struct tags tags;
	uint32_t placed;           /* nodes that are in the table, if they need a slot; the others have room there */
	uint32_t with_slot;        /* nodes that need one */
	uint64_t fresh;            /* no node has such a frame or a larger one */
	bool full;                 /* the memory cap is reached: it finds nodes, but adds none */
	uint16_t *depth;           /* frames of each node's stack; once settled, if there is memory */
	uint32_t ndepth, depth_cap;
};

/* The node of FRAME called by PARENT, made if it is new; NODE_NONE at the memory cap. */
uint32_t tree_node(struct tree *, uint32_t parent, uint32_t frame);
/* Gives the hash table back; the next tree_node makes it again. */
void tree_drop_table(struct tree *);
/* Says that the tree does not change any more: that makes paths quicker. */
void tree_settle(struct tree *);
void tree_free(struct tree *);

/* Puts the frames of NODE into STACK as function numbers, outermost first, only the outermost MAX; returns how many there
 * are. */
uint32_t tree_stack(const struct tree *, uint32_t node, uint32_t *stack, uint32_t max);

/* Numbers all nodes, into ORDER: a node's callees follow it, before the other callees of its parent.  False at the memory
 * cap. */
bool tree_order(const struct tree *, uint32_t *order);

/* The nodes from the outermost to some node, kept between calls; all zero is an empty one. */
struct path {
	uint32_t *node;
	uint32_t n, cap;
};
/* Makes PATH the path of NODE; returns how many outer nodes it shares with the old path.  At the memory cap the path is cut
 * short. */
uint32_t tree_path(const struct tree *, uint32_t node, struct path *);
void path_free(struct path *);

#endif
