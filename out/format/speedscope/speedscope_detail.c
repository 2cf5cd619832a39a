/* See speedscope_detail.h.  This goes through a profile as the writer would, and counts what that costs. */
#include "speedscope_detail.h"

#include <string.h>

static bool
too_much(const struct speedscope_detail *s, const struct cost *c)
{
	return c->nodes > s->most.nodes || c->frames > s->most.frames;
}

/* Adds what a profile of N threads costs, as far as it is not too much. */
static void
measure(struct speedscope_detail *s, const uint32_t *thread, uint32_t n, struct cost *c)
{
	uint64_t distinct = s->p->tree.n, begun = 0;   /* each frame counts as distinct, until there are as many as the tree has nodes */
	struct piece piece;
	bool empty = true;

	if (!merge_open(&s->merge, s->p, thread, n, &s->detail))
		return;
	while (!too_much(s, c) && merge_next(&s->merge, &piece)) {
		uint32_t shared = 0, more = piece.leaf == UINT32_MAX ? 0 : 2, begin = more;

		if (piece.node != NODE_NONE) {
			shared = tree_path(&s->p->tree, piece.node, &s->path);
			begin += s->path.n - (empty ? 0 : shared);
			more += s->path.n;
		}
		empty = piece.node == NODE_NONE;
		c->nodes += begun < distinct ? 2 * begin : begin;
		c->frames += more;
		begun += begin;
	}
}

uint32_t
speedscope_detail_pair(struct speedscope_detail *s, uint32_t thread, uint32_t *pair)
{
	const struct thread *t = &s->p->thread[thread], *other;
	uint32_t n = 1;

	pair[0] = thread;
	for (uint32_t i = 0; s->waiting && !t->event && s->period && i < s->p->nthread && n == 1; i++) {
		other = &s->p->thread[i];
		if (other->event && s->p->event[other->event].waiting && other->tid == t->tid && other->pid == t->pid &&
		    strcmp(other->comm, t->comm) == 0)
			pair[n++] = i;
	}
	s->pairs = n == 2;
	return n;
}

/* What N threads cost: in one profile of all; or in profiles of their own, and one of the rest. */
static bool
fits(struct speedscope_detail *s, const uint32_t *thread, uint32_t n, bool all)
{
	uint32_t own = all ? 0 : n > DETAIL_THREADS_MAX ? DETAIL_THREADS_MAX : n;
	struct cost c = { 0, 0 };

	for (uint32_t i = 0; i < own; i++) {
		uint32_t pair[2], both = speedscope_detail_pair(s, thread[i], pair);

		measure(s, pair, both, &c);
	}
	if (own < n)
		measure(s, thread + own, n - own, &c);
	return !too_much(s, &c);
}

/* kept[node] = the innermost node of its stack with at least that weight. */
static bool
keep_heavy(struct speedscope_detail *s, const uint32_t *thread, uint32_t n, uint64_t least)
{
	const struct tree *tree = &s->p->tree;
	uint64_t *weight = NULL;
	uint32_t cap = 0;
	struct run_reader reader;
	struct run run;

	if (!vec_room(&weight, &cap, tree->n, sizeof *weight) || !vec_room(&s->kept, &s->kept_cap, tree->n, sizeof *s->kept)) {
		vec_free(&weight, &cap, sizeof *weight);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		for (runs_open(&reader, s->p, &s->p->thread[thread[i]]); runs_next(&reader, &run);)
			if (run.node < tree->n)
				weight[run.node] += run.weight;
	for (uint32_t i = tree->n; i--;)
		if (tree->node[i].parent != NODE_NONE)
			weight[tree->node[i].parent] += weight[i];
	for (uint32_t i = 0; i < tree->n; i++) {
		uint32_t parent = tree->node[i].parent;

		s->kept[i] = weight[i] >= least ? i : parent == NODE_NONE ? NODE_NONE : s->kept[parent];
	}
	vec_free(&weight, &cap, sizeof *weight);
	s->detail.kept = s->kept;
	return true;
}

uint64_t
speedscope_detail_length(const struct profile *p)
{
	return p->end > p->start ? p->end - p->start : UINT64_MAX / 4;
}

void
speedscope_detail_choose(struct speedscope_detail *s, const uint32_t *thread, uint32_t n, bool all)
{
	uint64_t length = speedscope_detail_length(s->p);

	s->detail = (struct detail){ 0 };
	if (fits(s, thread, n, all))
		return;
	if (!vec_room(&s->order, &s->order_cap, s->p->tree.n, sizeof *s->order) || !tree_order(&s->p->tree, s->order))
		return;
	s->detail.order = s->order;
	for (uint64_t steps = 512; steps > 1; steps /= 8) {
		s->detail.step = length / steps + 1;
		if (fits(s, thread, n, all))
			return;
	}
	for (uint64_t least = 2, steps = 512; s->elided != UINT32_MAX && least < UINT64_MAX / 4; least *= 4) {
		s->detail.step = length / steps + 1;
		if (!keep_heavy(s, thread, n, least) || fits(s, thread, n, all))
			return;
		steps = steps > 1 ? steps / 8 : 1;
	}
}

void
speedscope_detail_free(struct speedscope_detail *s)
{
	vec_free(&s->order, &s->order_cap, sizeof *s->order);
	vec_free(&s->kept, &s->kept_cap, sizeof *s->kept);
	merge_free(&s->merge);
	path_free(&s->path);
}
