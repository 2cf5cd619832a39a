/* A tree of stacks: nodes are numbers, found by (parent, frame).
 *
 * A node costs 8 bytes and its share of the hash table, which is between 60 and 80 % full.  A node whose parent came just before it
 * needs no slot: it is found beside its parent.  That is most nodes, since a stack brings several new ones in a row.
 * A node is new, and not searched for, if its frame is, or if its parent came last: that one has no callees yet.  New nodes wait
 * for their slots until the next search. */
#include "tree.h"

enum { PLACE_AHEAD = 16, DEPTH_MANY = UINT16_MAX };

/* Whether the node stands beside its parent; the first node does so without one. */
static inline bool
beside(const struct tree *t, uint32_t number)
{
	return t->node[number].parent + 1 == number;
}

static inline bool
is(const struct tree *t, uint32_t number, uint32_t parent, uint32_t frame)
{
	return t->node[number].parent == parent && t->node[number].frame == frame;
}

static uint64_t
hash_of(const struct tree *t, uint32_t number)
{
	return node_hash(t->node[number].parent, t->node[number].frame);
}

static void
place_new(struct tree *t)
{
	for (; t->placed < t->n; t->placed++) {
		if (t->placed + PLACE_AHEAD < t->n)
			__builtin_prefetch(&t->tags.slot[tags_first(&t->tags, hash_of(t, t->placed + PLACE_AHEAD))]);
		if (!beside(t, t->placed))
			tags_place(&t->tags, hash_of(t, t->placed), t->placed);
	}
}

/* A new table, for what is there and a third more.  It frees the old one first: both at once would be the peak of memory. */
static void
rehash(struct tree *t)
{
	uint32_t old = t->tags.slots;

	t->with_slot = old ? t->with_slot : 0;
	for (uint32_t i = 0; !old && i < t->n; i++) {   /* nodes that came without a table */
		t->fresh = t->node[i].frame < t->fresh ? t->fresh : (uint64_t)t->node[i].frame + 1;
		t->with_slot += !beside(t, i);
	}
	t->placed = 0;
	tags_free(&t->tags);
	if (!tags_new(&t->tags, t->with_slot)) {
		t->full = true;
		if (t->with_slot < old)
			vec_room(&t->tags.slot, &t->tags.slots, old, sizeof *t->tags.slot);
	}
}

static uint32_t
add(struct tree *t, uint32_t parent, uint32_t frame)
{
	if (t->n == TAGS_MAX || !vec_room(&t->node, &t->cap, (uint64_t)t->n + 1, sizeof *t->node))
		return NODE_NONE;
	t->node[t->n] = (struct node){ parent, frame };
	t->fresh = frame < t->fresh ? t->fresh : (uint64_t)frame + 1;
	t->with_slot += !beside(t, t->n);
	return t->n++;
}

uint32_t
tree_node(struct tree *t, uint32_t parent, uint32_t frame)
{
	uint64_t hash;
	uint32_t at, number;

	if (tags_full(&t->tags, t->with_slot) && !t->full)
		rehash(t);
	if (!t->tags.slots)
		return NODE_NONE;
	if (parent + 1 == t->n || frame >= t->fresh)
		return t->full ? NODE_NONE : add(t, parent, frame);
	if (parent + 1 < t->n && is(t, parent + 1, parent, frame))
		return parent + 1;
	if (t->placed < t->n)
		place_new(t);
	hash = node_hash(parent, frame);
	for (at = tags_first(&t->tags, hash); tags_taken(&t->tags, at); at = tags_next(&t->tags, at))
		if (tags_like(&t->tags, at, hash) && is(t, number = tags_number(&t->tags, at), parent, frame))
			return number;
	if (t->full || (number = add(t, parent, frame)) == NODE_NONE)
		return NODE_NONE;
	tags_put(&t->tags, at, hash, number);
	t->placed = t->n;
	return number;
}

void
tree_drop_table(struct tree *t)
{
	tags_free(&t->tags);
	t->placed = 0;
	t->full = false;
}

void
tree_settle(struct tree *t)
{
	tree_drop_table(t);
	t->ndepth = 0;
	if (!vec_room(&t->depth, &t->depth_cap, t->n, sizeof *t->depth))
		return;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t parent = t->node[i].parent, above = parent == NODE_NONE ? 0 : t->depth[parent];

		t->depth[i] = (uint16_t)(above < DEPTH_MANY ? above + 1 : DEPTH_MANY);
	}
	t->ndepth = t->n;
}

void
tree_free(struct tree *t)
{
	tree_drop_table(t);
	vec_free(&t->node, &t->cap, sizeof *t->node);
	vec_free(&t->depth, &t->depth_cap, sizeof *t->depth);
	t->n = t->ndepth = 0;
}

static uint32_t
depth(const struct tree *t, uint32_t node)
{
	uint32_t n = 0;

	for (; node != NODE_NONE; node = t->node[node].parent, n++)
		if (node < t->ndepth && t->depth[node] != DEPTH_MANY)
			return n + t->depth[node];
	return n;
}

uint32_t
tree_stack(const struct tree *t, uint32_t node, uint32_t *stack, uint32_t max)
{
	uint32_t n = depth(t, node);

	for (uint32_t i = n; i--; node = t->node[node].parent)
		if (i < max)
			stack[i] = t->node[node].frame;
	return n;
}

uint32_t
tree_path(const struct tree *t, uint32_t node, struct path *path)
{
	uint32_t n = depth(t, node), i, before = path->n;

	if (!vec_room(&path->node, &path->cap, n, sizeof *path->node)) {
		for (; n > path->cap; n--)
			node = t->node[node].parent;
	}
	path->n = n;
	for (i = n; i--; node = t->node[node].parent) {
		if (i < before && path->node[i] == node)
			return i + 1;
		path->node[i] = node;
	}
	return 0;
}

void
path_free(struct path *path)
{
	vec_free(&path->node, &path->cap, sizeof *path->node);
	path->n = 0;
}

bool
tree_order(const struct tree *t, uint32_t *order)
{
	uint32_t *child = NULL, *next = NULL, child_cap = 0, next_cap = 0, at = 0, place = 0;
	bool ok = vec_room(&child, &child_cap, (uint64_t)t->n + 1, sizeof *child) &&
	          vec_room(&next, &next_cap, (uint64_t)t->n + 1, sizeof *next);

	for (uint32_t i = t->n; ok && i--;) {   /* lists hold numbers + 1, and 0 at their end */
		uint32_t parent = t->node[i].parent == NODE_NONE ? t->n : t->node[i].parent;

		next[i] = child[parent];
		child[parent] = i + 1;
	}
	for (at = ok ? child[t->n] : 0; at;) {
		uint32_t node = at - 1;

		order[node] = place++;
		for (at = child[node]; !at && node != NODE_NONE; node = t->node[node].parent)
			at = next[node];
	}
	vec_free(&child, &child_cap, sizeof *child);
	vec_free(&next, &next_cap, sizeof *next);
	return ok;
}
