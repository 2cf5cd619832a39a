/* A tree of stacks: each node is one frame, called by its parent; equal stacks share their nodes. */
#ifndef OUT_PROFILE_TREE_H
#define OUT_PROFILE_TREE_H

#include "lib/mem.h"

#define NODE_NONE UINT32_MAX   /* the empty stack: the parent of outermost frames */

struct node {
	uint32_t parent;           /* always a smaller number, or NODE_NONE */
	uint32_t frame;
};

struct tree {
	struct node *node;
	uint32_t n, cap;
	uint32_t *slot;            /* hash table: a tag and a number each; at most four fifths full */
	uint32_t slots;
	bool full;                 /* the memory cap is reached: it finds nodes, but adds none */
	uint16_t *depth;           /* once settled, and as far as there is memory: frames of each node's stack */
	uint32_t ndepth, depth_cap;
};

/* The node of FRAME called by PARENT, made if it is new; NODE_NONE at the memory cap. */
uint32_t tree_node(struct tree *, uint32_t parent, uint32_t frame);
/* Gives the hash table back; the next tree_node makes it again. */
void tree_drop_table(struct tree *);
/* Says that the tree does not change any more: then paths become quicker. */
void tree_settle(struct tree *);
void tree_free(struct tree *);

/* The frames of NODE, outermost first, as function numbers into STACK (the outermost MAX of them); returns how many
 * there are. */
uint32_t tree_stack(const struct tree *, uint32_t node, uint32_t *stack, uint32_t max);

/* Numbers all nodes so that a node's callees follow it, before its parent's others, into ORDER.  False at the memory cap. */
bool tree_order(const struct tree *, uint32_t *order);

/* The nodes from the outermost to some node, kept between calls; all zero is an empty one. */
struct path {
	uint32_t *node;
	uint32_t n, cap;
};
/* Makes PATH that of NODE; returns how many outer nodes it shares with what it was.  At the memory cap it is cut short. */
uint32_t tree_path(const struct tree *, uint32_t node, struct path *);
void path_free(struct path *);

#endif
