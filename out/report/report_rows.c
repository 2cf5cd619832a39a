/* See report_rows.h. */
#include "report_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
row_suffix(const struct words *r)
{
	return r->bare ? "" : function_suffix(r->kind);
}

static uint32_t
hash_row(const struct words *r)
{
	return hash_str(r->name) ^ hash_u64(((uint64_t)hash_str(r->beside) << 8) + r->kind);
}

/* Rows that came without a search are put into the index now. */
static bool
index_rows(struct rows *rows)
{
	while (rows->index.used < rows->n)
		if (!index_add(&rows->index, hash_row(&rows->words[rows->index.used]), rows->index.used))
			return false;
	return true;
}

uint32_t
rows_find(struct rows *rows, const struct words *r)
{
	uint32_t slot, i;

	if (!index_rows(rows))
		return INDEX_NONE;
	for (slot = index_first(&rows->index, hash_row(r)); (i = index_at(&rows->index, slot)) != INDEX_NONE;
	     slot = index_next(&rows->index, slot)) {
		const struct words *have = &rows->words[i];

		if (have->kind == r->kind && strcmp(have->name, r->name) == 0 && strcmp(have->beside, r->beside) == 0)
			break;
	}
	return i;
}

/* The number of the row; makes it if it is new. UINT32_MAX at the memory cap. */
static uint32_t
find_row(struct rows *rows, const struct words *r)
{
	uint32_t i = rows_find(rows, r);

	if (i != INDEX_NONE || !vec_room(&rows->words, &rows->words_cap, (uint64_t)rows->n + 1, sizeof *rows->words))
		return i;
	rows->words[rows->n] = *r;
	return rows->n++;
}

/* NAME:LINE. */
static const char *
with_line(struct arena *a, const struct function *f)
{
	size_t n = strlen(f->name), cap = n + 12;
	char *text = arena_alloc(a, cap);

	if (text)
		snprintf(text, cap, "%s:%u", f->name, f->line);
	return text ? text : f->name;
}

static struct words
words_of(struct rows *rows, const struct function *f, enum report_by by)
{
	struct words r = { .name = f->name, .beside = f->module, .kind = f->kind };

	if (rows->p->lines && f->line && by == BY_FUNCTION)
		r.name = with_line(&rows->arena, f);
	if (by == BY_MODULE) {
		r.name = *f->module ? f->module : f->kind == FUNCTION_MARK ? f->name : "[unknown]";
		r.beside = "";
		r.bare = true;
		r.kind = f->kind == FUNCTION_MARK || f->kind == FUNCTION_KERNEL ? f->kind : FUNCTION_USER;
	} else if (by == BY_NAME) {   /* names that look the same are the same */
		r.beside = "";
		r.kind = *function_suffix(f->kind) ? f->kind : FUNCTION_USER;
	}
	return r;
}

static uint32_t
line_row(struct rows *rows, const struct site *site)
{
	const struct function *f = &rows->p->function[site->function];
	struct words r = { .name = "[no line]", .beside = f->name, .kind = f->kind, .bare = true };
	uint32_t line = site->line ? site->line : rows->p->lines ? f->line : 0, n = rows->n, found;
	char text[512];

	if (f->file && line) {
		snprintf(text, sizeof text, "%s:%u", f->file, line);
		r.name = text;
	}
	found = find_row(rows, &r);
	if (found == n && n < rows->n && r.name == text && !(rows->words[n].name = arena_str(&rows->arena, text, strlen(text))))
		rows->words[n].name = "?";
	return found;
}

/* The node of ROW under NODE.  A row that calls itself directly is one node, unless prof compares two trees node by node. */
static uint32_t
under(struct rows *rows, uint32_t node, uint32_t row, enum report_by by)
{
	uint32_t inner;

	if (row != UINT32_MAX && by != BY_NAME && node != NODE_NONE && rows->tree.node[node].frame == row)
		return node;
	inner = row == UINT32_MAX ? NODE_NONE : tree_node(&rows->tree, node, row);
	rows->full |= inner == NODE_NONE;
	return inner;
}

/* Whether each function has a row of its own: they differ in more than where they are written. */
static bool
all_differ(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nfunction; i++)
		if (p->function[i].file || p->function[i].line)
			return false;
	return true;
}

static bool
calls_itself(const struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->node[i].parent != NODE_NONE && t->node[t->node[i].parent].frame == t->node[i].frame)
			return true;
	return false;
}

/* If rows are functions, and none of them calls itself, their tree is the functions': nothing has to be searched for. */
static bool
as_functions(struct rows *rows)
{
	const struct profile *p = rows->p;

	if (!all_differ(p) || calls_itself(&p->tree))
		return false;
	rows->n = p->nfunction;
	rows->tree.node = p->tree.node;
	rows->tree.n = rows->nnode = p->tree.n;
	return rows->lent = true;
}

static bool
by_functions(struct rows *rows, enum report_by by)
{
	const struct profile *p = rows->p;
	uint32_t *row = NULL, cap = 0;

	if (by == BY_FUNCTION && as_functions(rows))
		return true;
	if (!vec_room(&rows->node, &rows->node_cap, p->tree.n, sizeof *rows->node) ||
	    !vec_room(&row, &cap, p->nfunction, sizeof *row))
		return false;
	for (uint32_t i = 0; i < p->nfunction; i++) {
		struct words r = words_of(rows, &p->function[i], by);

		row[i] = find_row(rows, &r);
	}
	for (uint32_t i = 0; i < p->tree.n; i++) {
		uint32_t parent = p->tree.node[i].parent;

		rows->node[i] = under(rows, parent == NODE_NONE ? NODE_NONE : rows->node[parent], row[p->tree.node[i].frame], by);
	}
	rows->nnode = p->tree.n;
	vec_free(&row, &cap, sizeof *row);
	return !rows->full;
}

/* Makes the rows from the raw tree: only places have lines, functions do not. */
static bool
by_lines(struct rows *rows)
{
	const struct profile *p = rows->p;

	rows->raw = true;
	if (!vec_room(&rows->node, &rows->node_cap, p->raw.n, sizeof *rows->node))
		return false;
	for (uint32_t i = 0; i < p->raw.n; i++) {
		struct node raw = p->raw.node[i];
		uint32_t node = raw.parent == NODE_NONE ? NODE_NONE : rows->node[raw.parent];
		const struct location *l = raw.frame < p->nlocation ? &p->location[raw.frame] : NULL;

		for (uint32_t s = 0; l && s < l->sites; s++)
			if (p->site[l->site + s].function < p->nfunction)
				node = under(rows, node, line_row(rows, &p->site[l->site + s]), BY_LINE);
		rows->node[i] = node;
	}
	rows->nnode = p->raw.n;
	return !rows->full;
}

/* Whether each row has one node at most: then no node recurs. */
static bool
all_once(const struct rows *rows)
{
	bool *seen = NULL, good;
	uint32_t cap = 0;

	good = rows->tree.n <= rows->n && vec_room(&seen, &cap, rows->n, sizeof *seen);
	for (uint32_t i = 0; good && i < rows->tree.n; i++) {
		bool *at = &seen[rows->tree.node[i].frame];

		good = !*at;
		*at = true;
	}
	vec_free(&seen, &cap, sizeof *seen);
	return good;
}

/* Finds the nodes that recur: a walk over the tree counts, by row, the nodes on the way. */
static bool
find_again(struct rows *rows)
{
	const struct tree *t = &rows->tree;
	uint32_t *order = NULL, *walk = NULL, *on = NULL, order_cap = 0, walk_cap = 0, on_cap = 0, at = NODE_NONE;
	bool ok = vec_room(&rows->again, &rows->again_cap, t->n, sizeof *rows->again);

	if (!ok || all_once(rows))
		return ok;
	ok = vec_room(&order, &order_cap, t->n, sizeof *order) && vec_room(&walk, &walk_cap, t->n, sizeof *walk) &&
	     vec_room(&on, &on_cap, rows->n, sizeof *on) && tree_order(t, order);
	for (uint32_t i = 0; ok && i < t->n; i++)
		walk[order[i]] = i;
	for (uint32_t i = 0; ok && i < t->n; i++) {
		struct node node = t->node[walk[i]];

		for (; at != node.parent; at = t->node[at].parent)
			on[t->node[at].frame]--;
		rows->again[walk[i]] = on[node.frame]++ > 0;
		at = walk[i];
	}
	vec_free(&order, &order_cap, sizeof *order);
	vec_free(&walk, &walk_cap, sizeof *walk);
	vec_free(&on, &on_cap, sizeof *on);
	return ok;
}

bool
rows_open(struct rows *rows, const struct profile *p, enum report_by by)
{
	*rows = (struct rows){ .p = p };
	if (!(by == BY_LINE ? by_lines(rows) : by_functions(rows, by)))
		return false;
	tree_drop_table(&rows->tree);
	return vec_room(&rows->weight, &rows->weight_cap, rows->n, sizeof *rows->weight) &&
	       vec_room(&rows->total, &rows->total_cap, rows->tree.n, sizeof *rows->total) && find_again(rows);
}

void
rows_free(struct rows *rows)
{
	vec_free(&rows->words, &rows->words_cap, sizeof *rows->words);
	vec_free(&rows->weight, &rows->weight_cap, sizeof *rows->weight);
	vec_free(&rows->node, &rows->node_cap, sizeof *rows->node);
	if (rows->lent)
		rows->tree.node = NULL;
	vec_free(&rows->again, &rows->again_cap, sizeof *rows->again);
	vec_free(&rows->self, &rows->self_cap, sizeof *rows->self);
	vec_free(&rows->total, &rows->total_cap, sizeof *rows->total);
	index_free(&rows->index);
	tree_free(&rows->tree);
	arena_free(&rows->arena);
}

void
rows_sum(const struct tree *t, uint64_t *total, uint32_t n)
{
	for (uint32_t i = n; i--;)
		if (t->node[i].parent != NODE_NONE)
			total[t->node[i].parent] += total[i];
}

void
rows_add(struct rows *rows, const uint32_t *thread, uint32_t n)
{
	const struct tree *t = &rows->tree;

	rows->sum = rows->samples = 0;
	for (uint32_t i = 0; i < t->n; i++)
		rows->total[i] = 0;
	for (uint32_t i = 0; i < rows->n; i++)
		rows->weight[i] = (struct row_weight){ 0, 0 };
	for (uint32_t i = 0; i < n; i++) {
		struct run_reader reader;
		struct run run;

		runs_open(&reader, rows->p, &rows->p->thread[thread[i]]);
		reader.raw = rows->raw;
		while (runs_next(&reader, &run)) {
			uint32_t node = run.node >= rows->nnode ? NODE_NONE : rows->lent ? run.node : rows->node[run.node];

			rows->sum += run.weight;
			rows->samples += run.samples;
			if (node != NODE_NONE)
				rows->total[node] += run.weight;
		}
	}
	for (uint32_t i = 0; i < t->n; i++)
		rows->weight[t->node[i].frame].self += rows->total[i];
	rows_sum(t, rows->total, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		rows->weight[t->node[i].frame].total += rows->again[i] ? 0 : rows->total[i];
}

bool
rows_own(struct rows *rows)
{
	const struct tree *t = &rows->tree;

	if (!vec_room(&rows->self, &rows->self_cap, t->n, sizeof *rows->self))
		return false;
	if (t->n)
		memcpy(rows->self, rows->total, t->n * sizeof *rows->self);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->node[i].parent != NODE_NONE)
			rows->self[t->node[i].parent] -= rows->total[i];
	return true;
}

struct row
rows_at(const struct rows *rows, uint32_t row)
{
	const struct function *f = rows->lent ? &rows->p->function[row] : NULL;

	return (struct row){ f ? (struct words){ f->name, f->module, f->kind, false } : rows->words[row], rows->weight[row] };
}
