/* See flame.h.  Nothing recurses: a stack of items holds what is still to be shown, the next one last.  An item is a node of
 * the profile's tree; items of one depth and rank that follow each other on the stack are one frame.
 *
 * A function is narrow if all that it weighs, anywhere, is too little for one frame.  A large profile has millions of these.  They
 * need no order among themselves: what counts is between which of the others they stand.
 *
 * Callers (reversed) need no tree of their own: an item is then a node and the weight that ran in it, and goes up. */
#include "flame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sort.h"

#define RANK_ROOT UINT32_MAX
#define UNKNOWN UINT32_MAX   /* a narrow function's rank until somebody asks for it */
enum { BUCKETS_LEAST = 1024 };

struct pending {
	uint64_t weight;
	int64_t delta;
	uint32_t node;             /* NODE_NONE: a root */
	uint32_t rank, depth, root;
};

struct touched {
	uint32_t node;
	uint64_t weight;           /* of its own */
};

/* Threads that stand under one name. */
struct root {
	const char *name;
	uint32_t thread;
};

int
function_order(const struct profile *p, const struct function *a, const struct function *b)
{
	int c = strcmp(a->name, b->name);

	if (!c)
		c = (a->kind > b->kind) - (a->kind < b->kind);
	if (!c)
		c = strcmp(a->module, b->module);
	if (!c && p->lines)
		c = (a->line > b->line) - (a->line < b->line);
	return c;
}

static int
by_function(const void *va, const void *vb, void *ctx)
{
	const struct profile *p = ctx;

	return function_order(p, &p->function[*(const uint32_t *)va], &p->function[*(const uint32_t *)vb]);
}

static void
function_keys(const void *ctx, struct item *item, uint32_t n, uint32_t part)
{
	const struct function *function = ((const struct profile *)ctx)->function;

	sort_text_keys(item, n, part, &function->name, sizeof *function);
}

/* Sorts the wide functions, which ORDER holds, and ranks them: 1, 3, 5, ...; those that look alike have the same rank. */
static void
rank_wide(struct flame *f, uint32_t *order, uint32_t n)
{
	const struct profile *p = f->p;

	sort_numbers(order, n, function_keys, by_function, p);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || by_function(&order[i - 1], &order[i], (void *)(uintptr_t)p))
			f->wide[f->wides++] = order[i];
		f->rank[order[i]] = 2 * f->wides - 1;
	}
}

/* The rank of a narrow function: twice the number of wide ones before it. */
static uint32_t
rank_narrow(const struct flame *f, uint32_t function)
{
	uint32_t lo = 0, hi = f->wides;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (function_order(f->p, &f->p->function[f->wide[mid]], &f->p->function[function]) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 2 * lo;
}

/* Adds to each bucket what its functions weigh.  The buckets' numbers stand in RANK. */
static void
weigh_buckets(struct flame *f, uint64_t *bucket)
{
	const struct tree *t = &f->p->tree;

	for (uint32_t i = 0; i < f->roots; i++) {
		struct run_reader reader;
		struct run run;

		for (runs_open(&reader, f->p, &f->p->thread[f->root[i].thread]); runs_next(&reader, &run);)
			if (run.node < t->n)
				f->weight[run.node] += run.weight;
	}
	for (uint32_t i = t->n; i--; f->weight[i] = 0) {
		uint64_t *sum = &bucket[f->rank[t->node[i].frame]];

		if (__builtin_add_overflow(*sum, f->weight[i], sum))
			*sum = UINT64_MAX;
		if (t->node[i].parent != NODE_NONE)
			f->weight[t->node[i].parent] += f->weight[i];
	}
}

/* Finds the wide functions.  Functions that look alike are in one bucket, because they have the same name.  A picture of changes
 * also shows the changes of what is too narrow, so all are wide there. */
static bool
rank_functions(struct flame *f)
{
	const struct profile *p = f->p;
	uint64_t *bucket = NULL;
	uint32_t *order = NULL, order_cap = 0, bucket_cap = 0, n = p->nfunction, buckets = BUCKETS_LEAST, wide = 0;
	bool all = !f->least || p->delta, ok = true;

	while (buckets < n / 2)
		buckets *= 2;
	if (!vec_room(&f->rank, &f->rank_cap, n, sizeof *f->rank) || (!all && !vec_room(&bucket, &bucket_cap, buckets, sizeof *bucket)))
		return false;
	for (uint32_t i = 0; !all && i < n; i++)
		f->rank[i] = hash_str(p->function[i].name) & (buckets - 1);
	if (!all)
		weigh_buckets(f, bucket);
	for (uint32_t i = 0; i < n; i++) {
		if (!all && bucket[f->rank[i]] < f->least)
			f->rank[i] = UNKNOWN;
		else if ((ok = vec_room(&order, &order_cap, (uint64_t)wide + 1, sizeof *order)))
			order[wide++] = i;
		else
			break;
	}
	vec_free(&bucket, &bucket_cap, sizeof *bucket);
	ok = ok && vec_room(&f->wide, &f->wide_cap, wide, sizeof *f->wide) &&
	      vec_room(&f->gap, &f->gap_cap, (uint64_t)wide + 1, sizeof *f->gap);
	if (ok)
		rank_wide(f, order, wide);
	vec_free(&order, &order_cap, sizeof *order);
	return ok;
}

static bool
list_children(struct flame *f)
{
	const struct tree *t = &f->p->tree;

	if (!vec_room(&f->child, &f->child_cap, (uint64_t)t->n + 1, sizeof *f->child) ||
	    !vec_room(&f->next, &f->next_cap, t->n, sizeof *f->next) ||
	    !vec_room(&f->weight, &f->weight_cap, t->n, sizeof *f->weight))
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t parent = t->node[i].parent == NODE_NONE ? t->n : t->node[i].parent;

		f->next[i] = f->child[parent];
		f->child[parent] = i + 1;
	}
	return true;
}

static int
by_name(const void *va, const void *vb)
{
	const struct root *a = va, *b = vb;
	int c = strcmp(a->name, b->name);

	return c ? c : (a->thread > b->thread) - (a->thread < b->thread);
}

static const char *
root_name(struct flame *f, const struct thread *t)
{
	const char *title = f->p->by_thread ? thread_title(t) : t->comm, *comm = *title ? title : "[unknown]";
	size_t n = strlen(comm) + 32;
	char *name;

	if ((!f->p->by_thread && !f->p->by_process) || !(name = arena_alloc(&f->arena, n)))
		return comm;
	n = strlen(comm);
	memcpy(name, comm, n);
	n += (size_t)snprintf(name + n, 16, "-%d", t->pid);
	if (f->p->by_thread)
		snprintf(name + n, 16, "/%d", t->tid);
	return name;
}

static bool
sort_roots(struct flame *f)
{
	f->roots = 0;
	if (!vec_room(&f->root, &f->root_cap, f->p->nthread, sizeof *f->root))
		return false;
	for (uint32_t i = 0; i < f->p->nthread; i++)
		if (f->p->thread[i].event == f->event && f->p->thread[i].samples) {
			f->root[f->roots++] = (struct root){ root_name(f, &f->p->thread[i]), i };
			f->total += f->p->thread[i].weight;
			f->samples += f->p->thread[i].samples;
		}
	if (f->roots)
		qsort(f->root, f->roots, sizeof *f->root, by_name);
	return true;
}

static uint32_t
parent_of(const struct flame *f, uint32_t node)
{
	return f->p->tree.node[node].parent;
}

/* Adds the threads from root LO to HI up: TOUCHED are the nodes that ran, N of them.  False at the memory cap. */
static bool
add_up(struct flame *f, uint32_t lo, uint32_t hi, uint32_t *n)
{
	*n = 0;
	for (; lo < hi; lo++) {
		struct run_reader reader;
		struct run run;

		runs_open(&reader, f->p, &f->p->thread[f->root[lo].thread]);
		while (runs_next(&reader, &run)) {
			if (run.node >= f->p->tree.n)
				continue;
			if (!f->weight[run.node]) {
				if (!vec_room(&f->touched, &f->touched_cap, (uint64_t)*n + 1, sizeof *f->touched))
					return false;
				f->touched[(*n)++].node = run.node;
			}
			f->weight[run.node] += run.weight;
		}
	}
	for (uint32_t i = 0; i < *n; i++) {
		f->touched[i].weight = f->weight[f->touched[i].node];
		f->weight[f->touched[i].node] = 0;
	}
	return true;
}

static bool
push(struct flame *f, struct pending item)
{
	if (!vec_room(&f->item, &f->item_cap, (uint64_t)f->items + 1, sizeof item))
		return false;
	f->item[f->items++] = item;
	return true;
}

static uint32_t
rank_of(const struct flame *f, uint32_t node)
{
	uint32_t *rank = &f->rank[f->p->tree.node[node].frame];

	if (*rank == UNKNOWN)
		*rank = rank_narrow(f, f->p->tree.node[node].frame);
	return *rank;
}

static bool
narrow(const struct pending *item)
{
	return item->node != NODE_NONE && !(item->rank & 1);
}

/* Pushes an item.  Narrow ones that stand between the same wide ones are one item, until close_gaps. */
static bool
push_beside(struct flame *f, struct pending item)
{
	uint32_t *gap = narrow(&item) ? &f->gap[item.rank / 2] : NULL;

	if (gap && *gap) {
		f->item[*gap - 1].weight += item.weight;
		return true;
	}
	if (gap)
		*gap = f->items + 1;
	return push(f, item);
}

/* The items from LO on will be elsewhere. */
static void
close_gaps(struct flame *f, uint32_t lo)
{
	for (; lo < f->items; lo++)
		if (narrow(&f->item[lo]))
			f->gap[f->item[lo].rank / 2] = 0;
}

/* Puts the last rank first, because the next item is taken from the end. */
static int
by_rank(const void *va, const void *vb)
{
	const struct pending *a = va, *b = vb;

	return a->rank != b->rank ? (a->rank < b->rank ? 1 : -1) : (a->node < b->node) - (a->node > b->node);
}

static void
sort_pending(struct flame *f, uint32_t lo)
{
	if (f->items - lo > 1)
		qsort(f->item + lo, f->items - lo, sizeof *f->item, by_rank);
}

/* The node's own part of its change: without the changes of its callees. */
static int64_t
own_delta(const struct flame *f, uint32_t node)
{
	int64_t d = f->p->delta ? f->p->delta[node] : 0;

	for (uint32_t c = f->p->delta ? f->child[node] : 0; c; c = f->next[c - 1])
		d -= f->p->delta[c - 1];
	return d;
}

/* Replaces the N items from LO on by their callees. */
static bool
go_in(struct flame *f, uint32_t lo)
{
	uint32_t hi = f->items;

	for (uint32_t i = lo; i < hi; i++) {
		struct pending it = f->item[i];

		for (uint32_t c = f->child[it.node == NODE_NONE ? f->p->tree.n : it.node]; c; c = f->next[c - 1])
			if (f->weight[c - 1] && !push_beside(f, (struct pending){ f->weight[c - 1], f->p->delta ? f->p->delta[c - 1] : 0, c - 1,
			                                                          rank_of(f, c - 1), it.depth + 1, it.root }))
				return false;
	}
	close_gaps(f, hi);
	memmove(f->item + lo, f->item + hi, (f->items - hi) * sizeof *f->item);
	f->items -= hi - lo;
	return true;
}

/* Replaces the items from LO on by their callers. */
static void
go_out(struct flame *f, uint32_t lo)
{
	uint32_t n = lo;

	for (uint32_t i = lo; i < f->items; i++) {
		struct pending it = f->item[i];

		if (it.node == NODE_NONE)
			continue;
		it.node = parent_of(f, it.node);
		it.rank = it.node == NODE_NONE ? RANK_ROOT - f->roots + it.root : rank_of(f, it.node);
		it.depth++;
		f->item[n++] = it;
	}
	f->items = n;
}

static bool
put_frame(struct flame *f, struct flame_frame frame)
{
	struct flame_frame *last = f->n ? &f->frame[f->n - 1] : NULL;

	if (!frame.name && last && !last->name && last->depth == frame.depth && last->at + last->weight == frame.at) {
		last->weight += frame.weight;
		return true;
	}
	if (!vec_room(&f->frame, &f->cap, (uint64_t)f->n + 1, sizeof frame))
		return false;
	f->frame[f->n++] = frame;
	if (frame.name && frame.depth > f->depth)
		f->depth = frame.depth;
	return true;
}

/* Puts the frame that the items at the end are, and replaces them by what it calls (or what calls it). */
static bool
take_frame(struct flame *f)
{
	const struct pending *last = &f->item[f->items - 1];
	struct flame_frame frame = { .depth = last->depth, .function = UINT32_MAX };
	uint32_t lo = f->items, rank = last->rank;
	bool light = narrow(last);

	if (!vec_room(&f->cursor, &f->cursor_cap, (uint64_t)frame.depth + 2, sizeof *f->cursor))
		return false;
	if (last->node == NODE_NONE) {
		frame.name = f->root[last->root].name;
		frame.label = f->wides + 1 + last->root;
	} else {
		frame.function = f->p->tree.node[last->node].frame;
		frame.name = f->p->function[frame.function].name;
		frame.label = rank / 2;
	}
	for (; lo && f->item[lo - 1].rank == rank && f->item[lo - 1].depth == frame.depth; lo--) {
		frame.weight += f->item[lo - 1].weight;
		frame.delta += f->item[lo - 1].delta;
	}
	frame.at = f->cursor[frame.depth];
	f->cursor[frame.depth] += frame.weight;
	f->cursor[frame.depth + 1] = frame.at;
	if (light || frame.weight < f->least) {
		frame.name = NULL;
		f->items = lo;
		return put_frame(f, frame);
	}
	if (!put_frame(f, frame))
		return false;
	if (f->p->picture.reverse)
		go_out(f, lo);
	else if (!go_in(f, lo))
		return false;
	sort_pending(f, lo);
	return true;
}

/* The items under one name; their weights are needed only while they are shown. */
static bool
put_root(struct flame *f, uint32_t lo, uint32_t hi)
{
	struct pending root = { 0, 0, NODE_NONE, RANK_ROOT - f->roots + lo, 1, lo };
	bool reverse = f->p->picture.reverse, ok;
	uint32_t n;

	for (uint32_t i = lo; i < hi; i++)
		root.weight += f->p->thread[f->root[i].thread].weight;
	if (!add_up(f, lo, hi, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct touched t = f->touched[i];

		if (reverse && !push_beside(f, (struct pending){ t.weight, own_delta(f, t.node), t.node, rank_of(f, t.node), 1, lo }))
			return false;
		root.weight -= reverse ? t.weight : 0;
		for (uint32_t up = reverse ? NODE_NONE : t.node; up != NODE_NONE; up = parent_of(f, up))
			f->weight[up] += t.weight;
	}
	if (reverse)
		return !root.weight || push(f, root);   /* samples without a stack have no callers */
	for (ok = push(f, root); ok && f->items;)
		ok = take_frame(f);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t up = f->touched[i].node; up != NODE_NONE && f->weight[up]; up = parent_of(f, up))
			f->weight[up] = 0;
	return ok;
}

static bool
put_all(struct flame *f)
{
	f->n = f->depth = f->items = 0;
	if (!vec_room(&f->cursor, &f->cursor_cap, 2, sizeof *f->cursor))
		return false;
	f->cursor[1] = 0;
	if (!put_frame(f, (struct flame_frame){ .name = "all", .function = UINT32_MAX, .label = f->wides, .weight = f->total }))
		return false;
	for (uint32_t lo = 0, hi; lo < f->roots; lo = hi) {
		for (hi = lo + 1; hi < f->roots && strcmp(f->root[lo].name, f->root[hi].name) == 0; hi++)
			;
		if (!put_root(f, lo, hi))
			return false;
	}
	close_gaps(f, 0);
	sort_pending(f, 0);
	while (f->items)
		if (!take_frame(f))
			return false;
	return true;
}

bool
flame_make(struct flame *f, const struct profile *p, uint32_t event, uint64_t least, uint32_t most)
{
	*f = (struct flame){ .p = p, .event = event, .least = least };
	if (!sort_roots(f) || !list_children(f) || !rank_functions(f))
		return false;
	do {
		if (!put_all(f))
			return false;
		f->least = f->least * 2 + 1;
	} while (f->n > most);
	f->least /= 2;
	return true;
}

void
flame_free(struct flame *f)
{
	vec_free(&f->frame, &f->cap, sizeof *f->frame);
	vec_free(&f->rank, &f->rank_cap, sizeof *f->rank);
	vec_free(&f->wide, &f->wide_cap, sizeof *f->wide);
	vec_free(&f->gap, &f->gap_cap, sizeof *f->gap);
	vec_free(&f->child, &f->child_cap, sizeof *f->child);
	vec_free(&f->next, &f->next_cap, sizeof *f->next);
	vec_free(&f->weight, &f->weight_cap, sizeof *f->weight);
	vec_free(&f->cursor, &f->cursor_cap, sizeof *f->cursor);
	vec_free(&f->root, &f->root_cap, sizeof *f->root);
	vec_free(&f->item, &f->item_cap, sizeof *f->item);
	vec_free(&f->touched, &f->touched_cap, sizeof *f->touched);
	arena_free(&f->arena);
}
