/* See stack_weights.h: a walk over the tree of stacks counts, by key, the sites on the way. */
#include "stack_weights.h"

#include <string.h>

#include "report_rows.h"

#define NONE UINT32_MAX

void
stacks_free(struct stacks *s)
{
	vec_free(&s->walk, &s->walk_cap, sizeof *s->walk);
	vec_free(&s->self, &s->self_cap, sizeof *s->self);
	vec_free(&s->total, &s->total_cap, sizeof *s->total);
}

static void
add_thread(struct stacks *s, const struct thread *t)
{
	struct run_reader reader;
	struct run run;

	runs_open(&reader, s->p, t);
	reader.raw = true;
	while (runs_next(&reader, &run)) {
		s->sum += run.weight;
		if (run.node < s->p->raw.n)
			s->self[run.node] += run.weight;
	}
}

bool
stacks_open(struct stacks *s, const struct profile *p, uint32_t event)
{
	uint32_t n = p->raw.n, *order = NULL, cap = 0;
	bool ok;

	*s = (struct stacks){ .p = p };
	ok = vec_room(&order, &cap, n, sizeof *order) && vec_room(&s->walk, &s->walk_cap, n, sizeof *s->walk) &&
	     vec_room(&s->self, &s->self_cap, n, sizeof *s->self) &&
	     vec_room(&s->total, &s->total_cap, n, sizeof *s->total) && tree_order(&p->raw, order);
	for (uint32_t i = 0; ok && i < n; i++)
		s->walk[order[i]] = i;
	vec_free(&order, &cap, sizeof *order);
	if (!ok)
		return false;
	for (uint32_t i = 0; i < p->nthread; i++)
		if (event == NONE || p->thread[i].event == event)
			add_thread(s, &p->thread[i]);
	if (n)
		memcpy(s->total, s->self, n * sizeof *s->total);
	rows_sum(&p->raw, s->total, n);
	return true;
}

/* Goes from stack to stack: ON counts, by key, the sites on the way. */
struct passage {
	const struct stacks *s;
	const uint32_t *key;       /* of each site, or NONE */
	uint32_t *on, on_cap;
	struct weight *weight;     /* by key */
};

const struct location *
stacks_location(const struct profile *p, uint32_t node)
{
	uint32_t code = p->raw.node[node].frame;

	return code < p->nlocation ? &p->location[code] : NULL;
}

static void
leave(struct passage *w, uint32_t node)
{
	const struct location *l = stacks_location(w->s->p, node);

	for (uint32_t i = 0; l && i < l->sites; i++)
		if (w->key[l->site + i] != NONE)
			w->on[w->key[l->site + i]]--;
}

static void
enter(struct passage *w, uint32_t node)
{
	const struct location *l = stacks_location(w->s->p, node);
	uint32_t key = NONE;

	for (uint32_t i = 0; l && i < l->sites; i++) {
		key = w->key[l->site + i];
		if (key != NONE && w->on[key]++ == 0)
			w->weight[key].total += w->s->total[node];
	}
	if (key != NONE)   /* of the innermost site: what ran */
		w->weight[key].self += w->s->self[node];
}

bool
stacks_weigh(const struct stacks *s, const uint32_t *key, struct weight *weight, uint32_t n)
{
	struct passage w = { .s = s, .key = key, .weight = weight };
	const struct tree *t = &s->p->raw;
	uint32_t at = NODE_NONE;

	if (!vec_room(&w.on, &w.on_cap, n, sizeof *w.on))
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t node = s->walk[i];

		for (; at != t->node[node].parent; at = t->node[at].parent)
			leave(&w, at);
		enter(&w, node);
		at = node;
	}
	vec_free(&w.on, &w.on_cap, sizeof *w.on);
	return true;
}
