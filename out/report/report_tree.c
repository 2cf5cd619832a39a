/* Who calls whom, as text.  If only one callee of a function matters, it stands under its caller in the same column; a new
 * column begins only where paths part, so that deep stacks stay readable.  A function that calls itself directly stands there
 * once.
 *
 *     100.0%    0.0%  main
 *      74.2%    0.1%  ├─ parse
 *      70.0%   12.5%  │  lex
 *      25.8%   25.8%  └─ write */
#include "report_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

enum { AROUND_MAX = 20, CALLERS_MAX = 512 };

/* A tree, its rows' names, and what its nodes weigh. */
struct shown {
	struct table *t;
	const struct tree *tree;
	const uint64_t *self, *total;   /* SELF: or NULL, where it means nothing */
	uint64_t least;            /* nodes of less are left out */
	uint32_t *head, *next;     /* lists of nodes + 1 by their parent, the heaviest first; the roots' is the last */
	uint32_t head_cap, next_cap;
	uint32_t *others;          /* how many of a node's callees were left out */
	uint32_t others_cap;
	uint64_t *rest;            /* the weight of these callees */
	uint32_t rest_cap;
	struct level *level;
	uint32_t level_cap;
	uint32_t lines, left_out;
};

/* One level of the way from a root to the node at hand. */
struct level {
	uint32_t next;             /* the node after this one */
	uint32_t parent;           /* the node that they are callees of; for the roots, the number of nodes */
	bool parts, others;        /* PARTS: it has its own column; OTHERS: a row for the callees that were left out must still come */
};

static int
by_node(const void *va, const void *vb, void *ctx)
{
	const struct shown *s = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct rows *rows = &s->t->rows;
	int c;

	if (s->total[a] != s->total[b])
		return s->total[a] < s->total[b] ? -1 : 1;
	c = strcmp(rows_name(rows, s->tree->node[b].frame), rows_name(rows, s->tree->node[a].frame));
	return c ? c : a < b ? 1 : -1;
}

/* Lists of what is shown, by parent. */
static bool
make_lists(struct shown *s)
{
	uint32_t n = s->tree->n, *order = NULL, cap = 0, m = 0;

	if (!vec_room(&s->head, &s->head_cap, (uint64_t)n + 1, sizeof *s->head) ||
	    !vec_room(&s->next, &s->next_cap, n, sizeof *s->next) ||
	    !vec_room(&s->others, &s->others_cap, (uint64_t)n + 1, sizeof *s->others) ||
	    !vec_room(&s->rest, &s->rest_cap, (uint64_t)n + 1, sizeof *s->rest) || !vec_room(&order, &cap, n, sizeof *order))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = s->tree->node[i].parent == NODE_NONE ? n : s->tree->node[i].parent;

		if (s->total[i] && s->total[i] >= s->least) {
			order[m++] = i;
		} else if (s->total[i]) {
			s->others[parent]++;
			s->rest[parent] += s->total[i];
		}
	}
	if (m)
		qsort_r(order, m, sizeof *order, by_node, s);
	for (uint32_t i = 0; i < m; i++) {
		uint32_t parent = s->tree->node[order[i]].parent == NODE_NONE ? n : s->tree->node[order[i]].parent;

		s->next[order[i]] = s->head[parent];
		s->head[parent] = order[i] + 1;
	}
	vec_free(&order, &cap, sizeof *order);
	return true;
}

static void
put_numbers(const struct shown *s, uint64_t total, const uint64_t *self)
{
	struct columns_cell a = table_amount(s->t, total);

	columns_right(s->t->out, &a, 12);
	table_percent(s->t, total);
	if (s->self && self)
		table_percent(s->t, *self);
	else if (s->self)
		columns_pad(s->t->out, 7);
	columns_pad(s->t->out, 2);
}

/* The lines that lead to an entry of level DEPTH; returns their columns. */
static unsigned
put_lines(const struct shown *s, uint32_t depth)
{
	unsigned width = s->t->how.width, room = !width ? UINT32_MAX : width > 72 ? width - 48 : width > 48 ? width / 3 : 9, all = 0, from = 0, n = 0;

	for (uint32_t i = 0; i <= depth; i++)
		all += s->level[i].parts ? 3 : 0;
	table_ink(s->t, "2");
	for (uint32_t i = 0, at = 0; i <= depth; i++) {
		const struct level *l = &s->level[i];
		bool more = l->next || l->others;

		if (!l->parts)
			continue;
		at += 3;
		if (all > room && at + room <= all + 3) {
			from = at;
			continue;
		}
		if (from) {   /* the outer levels have no room */
			sink_str(s->t->out, "\u2026 ");
			n += 2;
			from = 0;
		}
		sink_str(s->t->out, i < depth ? (more ? "\u2502  " : "   ") : more ? "\u251c\u2500 " : "\u2514\u2500 ");
		n += 3;
	}
	table_ink(s->t, "0");
	return n;
}

static void
put_node(const struct shown *s, uint32_t node, uint32_t depth)
{
	const struct table *t = s->t;
	struct words r = rows_at(&t->rows, s->tree->node[node].frame).words;
	unsigned used = 12 + 7 + (s->self ? 7 : 0) + 2;

	put_numbers(s, s->total[node], s->self ? &s->self[node] : NULL);
	used += put_lines(s, depth);
	table_name(t, &r, !t->how.width ? 0 : t->how.width > used + 12 ? t->how.width - used : 12);
	if (*r.beside && (t->how.by == BY_LINE || !t->how.width)) {
		table_ink(t, "2");
		sink_str(t->out, "  ");
		columns_cut(t->out, r.beside, t->how.width ? 28 : 0);
		table_ink(t, "0");
	}
	sink_char(t->out, '\n');
}

static void
put_others(struct shown *s, uint32_t parent, uint32_t depth)
{
	struct columns_cell n = columns_number(s->others[parent], 0);

	s->level[depth].others = false;
	put_numbers(s, s->rest[parent], NULL);
	put_lines(s, depth);
	table_ink(s->t, "2");
	sink_fmt(s->t->out, "(%.*s other%s)", (int)n.n, n.text, plural(s->others[parent]));
	table_ink(s->t, "0");
	sink_char(s->t->out, '\n');
}

/* Makes PARENT's callees a level.  Those that were left out get a row beside others if their sum is not too small. */
static bool
enter(struct shown *s, uint32_t depth, uint32_t parent)
{
	uint32_t first = s->head[parent];
	bool others = first && s->others[parent] && s->rest[parent] >= s->least;

	if (!vec_room(&s->level, &s->level_cap, (uint64_t)depth + 1, sizeof *s->level))
		return false;
	s->level[depth] = (struct level){ first, parent, first && (s->next[first - 1] || others), others };
	return true;
}

static void
walk(struct shown *s)
{
	uint32_t depth = 0;

	if (!enter(s, 0, s->tree->n))
		return;
	for (;;) {
		struct level *l = &s->level[depth];
		uint32_t node = l->next - 1;

		if (l->next) {
			l->next = s->next[node];
			put_node(s, node, depth);
			if (!enter(s, ++depth, node))
				return;
			continue;
		}
		if (l->others)
			put_others(s, l->parent, depth);
		if (!depth--)
			return;
	}
}

static void
put_shown(struct shown *s, uint64_t whole)
{
	unsigned min = s->t->how.min;

	s->least = whole / 10000 * min + whole % 10000 * min / 10000;
	if (make_lists(s))
		walk(s);
	else
		sink_fail(s->t->out, ENOMEM);
	vec_free(&s->head, &s->head_cap, sizeof *s->head);
	vec_free(&s->next, &s->next_cap, sizeof *s->next);
	vec_free(&s->others, &s->others_cap, sizeof *s->others);
	vec_free(&s->rest, &s->rest_cap, sizeof *s->rest);
	vec_free(&s->level, &s->level_cap, sizeof *s->level);
}

static void
put_title(const struct table *t, bool self, const char *words, const struct words *of)
{
	sink_char(t->out, '\n');
	table_ink(t, "2");
	sink_fmt(t->out, "%12s%7s%s  %s", "total", "", self ? "   self" : "", words);
	table_ink(t, "0");
	if (of)
		table_name(t, of, 0);
	sink_char(t->out, '\n');
}

void
report_tree(struct table *t)
{
	struct shown s = { .t = t, .tree = &t->rows.tree, .total = t->rows.total };

	if (!rows_own(&t->rows)) {
		sink_fail(t->out, ENOMEM);
		return;
	}
	s.self = t->rows.self;
	put_title(t, true, "call tree", NULL);
	put_shown(&s, t->sum);
}

/* A tree that prof makes only for this table. */
struct made {
	struct tree tree;
	uint64_t *self, *total;
	uint32_t self_cap, total_cap;
	uint32_t *node;            /* of it, for each node of the whole tree */
	uint32_t node_cap;
	bool full;
};

static void
add_weight(struct made *m, uint32_t node, uint64_t weight)
{
	if (!vec_room(&m->self, &m->self_cap, (uint64_t)node + 1, sizeof *m->self))
		m->full = true;
	else
		m->self[node] += weight;
}

/* A tree that ROW begins: the callees of all its outermost calls joined. */
static void
make_callees(struct made *m, const struct rows *rows, uint32_t row)
{
	const struct tree *t = &rows->tree;

	if (!vec_room(&m->node, &m->node_cap, t->n, sizeof *m->node)) {
		m->full = true;
		return;
	}
	for (uint32_t i = 0; i < t->n && !m->full; i++) {
		uint32_t parent = t->node[i].parent, above = parent == NODE_NONE ? NODE_NONE : m->node[parent];

		m->node[i] = NODE_NONE;
		if (above == NODE_NONE && t->node[i].frame != row)
			continue;
		m->node[i] = tree_node(&m->tree, above, t->node[i].frame);
		if (m->node[i] == NODE_NONE)
			m->full = true;
		else
			add_weight(m, m->node[i], rows->self[i]);
	}
}

/* A tree that ROW begins: its callees are the callers of ROW's outermost calls. */
static void
make_callers(struct made *m, const struct rows *rows, uint32_t row)
{
	const struct tree *t = &rows->tree;

	for (uint32_t i = 0; i < t->n && !m->full; i++) {
		uint32_t at = i, node = NODE_NONE;

		if (t->node[i].frame != row || rows->again[i] || !rows->total[i])
			continue;
		for (unsigned depth = 0; at != NODE_NONE && depth < CALLERS_MAX; at = t->node[at].parent, depth++) {
			uint32_t inner = tree_node(&m->tree, node, t->node[at].frame);

			if (inner == NODE_NONE)
				break;
			node = inner;
		}
		if (node == NODE_NONE)
			m->full = true;
		else
			add_weight(m, node, rows->total[i]);
	}
}

static void
put_made(struct table *t, uint32_t row, bool callers)
{
	struct made m = { 0 };
	struct shown s = { .t = t };
	struct row of = rows_at(&t->rows, row);

	(callers ? make_callers : make_callees)(&m, &t->rows, row);
	if (m.full || !vec_room(&m.self, &m.self_cap, m.tree.n, sizeof *m.self) ||
	    !vec_room(&m.total, &m.total_cap, m.tree.n, sizeof *m.total)) {
		sink_fail(t->out, ENOMEM);
	} else {
		memcpy(m.total, m.self, m.tree.n * sizeof *m.total);
		rows_sum(&m.tree, m.total, m.tree.n);
		s.tree = &m.tree;
		s.self = callers ? NULL : m.self;
		s.total = m.total;
		put_title(t, !callers, callers ? "callers of " : "callees of ", &of.words);
		put_shown(&s, of.weight.total);
	}
	tree_free(&m.tree);
	vec_free(&m.self, &m.self_cap, sizeof *m.self);
	vec_free(&m.total, &m.total_cap, sizeof *m.total);
	vec_free(&m.node, &m.node_cap, sizeof *m.node);
}

/* Whether its name is NAME, with or without the suffix. */
static bool
is_called(const struct words *r, const char *name)
{
	size_t n = strlen(r->name);

	return strncmp(r->name, name, n) == 0 && (!name[n] || strcmp(name + n, row_suffix(r)) == 0);
}

static int
by_total(const void *va, const void *vb, void *ctx)
{
	const struct rows *rows = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	uint64_t ta = rows->weight[a].total, tb = rows->weight[b].total;

	return ta != tb ? (ta < tb ? 1 : -1) : strcmp(rows_name(rows, a), rows_name(rows, b));
}

void
report_around(struct table *t)
{
	const char *name = t->how.callers ? t->how.callers : t->how.callees;
	bool exact = false;

	t->lines = 0;
	if (!rows_own(&t->rows)) {
		sink_fail(t->out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < t->rows.n; i++) {
		struct row r = rows_at(&t->rows, i);

		exact |= is_called(&r.words, name);
	}
	for (uint32_t i = 0; i < t->rows.n; i++) {
		struct row r = rows_at(&t->rows, i);

		if (r.weight.total && (exact ? is_called(&r.words, name) : t->how.pattern && regex_find(t->how.pattern, r.words.name)))
			t->line[t->lines++] = i;
	}
	if (t->lines)
		qsort_r(t->line, t->lines, sizeof *t->line, by_total, &t->rows);
	for (uint32_t i = 0; i < t->lines && i < AROUND_MAX; i++)
		put_made(t, t->line[i], t->how.callers != NULL);
	if (t->lines > AROUND_MAX)
		sink_fmt(t->out, "\nand %u more functions match\n", t->lines - AROUND_MAX);
	if (!t->lines) {
		sink_str(t->out, "\nno function has the name ");
		columns_cut(t->out, name, 0);
		sink_char(t->out, '\n');
	}
}
