/* Folded stacks, as flame graph programs read them: `root;outermost;…;innermost COUNT`, one line a distinct stack.
 *
 * The root is the comm, or perf's comm-PID and comm-PID/TID.  Lines are sorted frame by frame by what is written, never by
 * address, so that the same profile gives the same text.  Functions that are written alike are one frame.  Beside the tree
 * this needs at most 22 bytes for each node.  It makes one line at a time, and keeps the text of each before its own
 * innermost frames, because neighbours have most of their frames in common. */
#include "format.h"
#include "folded_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sort.h"

/* A frame as it is written. */
struct text {
	const char *s;
	uint32_t n;
	uint32_t rank;   /* equal texts have equal ranks, and ranks are sorted as texts are */
};

struct folding {
	const struct profile *p;
	struct sink *out;
	struct arena arena;
	struct text *text;         /* of each function */
	uint32_t text_cap;
	bool alike;                /* some functions are written alike */
	uint32_t *place;           /* of each node of the profile's tree: the place of its line among all */
	uint32_t place_cap;
	uint32_t nline;
	struct tree lines;         /* of the same stacks: its nodes are places */
	uint64_t *weight;          /* of the lines of one root */
	uint32_t weight_cap;
	struct path path;          /* of the last line, which is in LINE: END of each frame's text, and of the root's */
	struct sink line;
	uint32_t *end, end_cap;
	uint32_t root_end;
};

/* What a piece of a name becomes, N bytes of it: it is UTF-8, and holds nothing that divides frames or ends lines. */
static const char *
piece(const char *s, unsigned *n)
{
	unsigned char c = (unsigned char)*s, next = (unsigned char)s[1];

	*n = utf8_len(s);
	if (!*n) {
		*n = 1;
		return "\xef\xbf\xbd";
	}
	return c == ';' ? ":" : c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0) ? " " : NULL;
}

static struct text
clean(struct arena *arena, const char *name, const char *suffix)
{
	size_t bytes, n = 0;
	bool same = !*suffix;
	unsigned step;
	char *to;

	name = *name ? name : "[unknown]";
	for (const char *s = name; *s; s += step) {
		const char *other = piece(s, &step);

		n += other ? strlen(other) : step;
		same &= !other;
	}
	bytes = n + strlen(suffix);
	if (same || bytes > UINT32_MAX / 2 || !(to = arena_alloc(arena, bytes + 1)))
		return (struct text){ same ? name : "?", same ? (uint32_t)bytes : 1, 0 };
	n = 0;
	for (const char *s = name; *s; s += step) {
		const char *other = piece(s, &step);
		size_t len = other ? strlen(other) : step;

		memcpy(to + n, other ? other : s, len);
		n += len;
	}
	memcpy(to + n, suffix, bytes - n);
	return (struct text){ to, (uint32_t)bytes, 0 };
}

static int
by_text(const void *a, const void *b, void *texts)
{
	const struct text *t = texts;

	return strcmp(t[*(const uint32_t *)a].s, t[*(const uint32_t *)b].s);
}

static void
text_keys(const void *texts, struct item *item, uint32_t n, uint32_t part)
{
	const struct text *text = texts;

	sort_text_keys(item, n, part, &text->s, sizeof *text);
}

static bool
make_texts(struct folding *f)
{
	uint32_t n = f->p->nfunction, *order = NULL, cap = 0, rank = 0;

	if (!vec_room(&f->text, &f->text_cap, n, sizeof *f->text) || !vec_room(&order, &cap, n, sizeof *order))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct function *fn = &f->p->function[i];

		const char *suffix = function_suffix(fn->kind);
		char line[24];

		if (f->p->lines && fn->line) {
			snprintf(line, sizeof line, ":%u%s", fn->line, suffix);
			suffix = line;
		}
		f->text[i] = clean(&f->arena, fn->name, suffix);
		order[i] = i;
	}
	sort_numbers(order, n, text_keys, by_text, f->text);
	for (uint32_t i = 0; i < n; i++) {
		if (i + 2 * SORT_AHEAD < n)
			__builtin_prefetch(&f->text[order[i + 2 * SORT_AHEAD]]);
		if (i + SORT_AHEAD < n)
			__builtin_prefetch(f->text[order[i + SORT_AHEAD]].s);
		if (i && strcmp(f->text[order[i - 1]].s, f->text[order[i]].s) != 0)
			rank++;
		f->text[order[i]].rank = rank;
	}
	f->alike = rank + 1 < n;
	vec_free(&order, &cap, sizeof *order);
	return true;
}

static uint32_t
rank_of(const struct folding *f, uint32_t node)
{
	return f->text[f->p->tree.node[node].frame].rank;
}

/* While lines are being merged: the first of the nodes that are written like PARENT of NODE. */
static uint32_t
parent_of(const struct folding *f, uint32_t node)
{
	uint32_t parent = f->p->tree.node[node].parent;

	return parent == NODE_NONE ? NODE_NONE : f->place[parent];
}

static uint64_t
line_hash(const struct folding *f, uint32_t node)
{
	return node_hash(parent_of(f, node), rank_of(f, node));
}

/* place[node] = the first node with a stack that is written alike. */
static bool
merge_alike(struct folding *f)
{
	struct tags lines = { 0 };
	uint32_t n = f->p->tree.n;
	bool ok = vec_room(&f->place, &f->place_cap, n, sizeof *f->place) && (!f->alike || tags_new(&lines, n));

	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t at, j;
		uint64_t hash;

		f->place[i] = i;
		if (!f->alike)
			continue;
		hash = line_hash(f, i);
		for (at = tags_first(&lines, hash); tags_taken(&lines, at); at = tags_next(&lines, at))
			if (tags_like(&lines, at, hash) && parent_of(f, j = tags_number(&lines, at)) == parent_of(f, i) && rank_of(f, j) == rank_of(f, i))
				break;
		if (tags_taken(&lines, at))
			f->place[i] = tags_number(&lines, at);
		else
			tags_put(&lines, at, hash, i);
	}
	tags_free(&lines);
	return ok;
}

/* The nodes' callees, as they are sorted: those of NODE end at END[NODE], and begin where those of the node before end.  Behind
 * the last node stand those without a caller. */
struct callees {
	uint32_t *node, node_cap;
	uint32_t *end, end_cap;
};

static uint32_t
begin_of(const struct callees *c, uint32_t node)
{
	return node ? c->end[node - 1] : 0;
}

/* The nodes of the lines, sorted by rank, into ORDER. */
static bool
sort_by_rank(struct folding *f, uint32_t *order)
{
	uint32_t *next = NULL, cap = 0, n = f->p->tree.n, ranks = f->p->nfunction, sum = 0;

	if (!vec_room(&next, &cap, ranks, sizeof *next))
		return false;
	for (uint32_t i = 0; i < n; i++)
		next[rank_of(f, i)] += f->place[i] == i;
	for (uint32_t r = 0; r < ranks; r++) {
		uint32_t count = next[r];

		next[r] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i + SORT_AHEAD < n)
			__builtin_prefetch(&next[rank_of(f, i + SORT_AHEAD)]);
		if (f->place[i] == i)
			order[next[rank_of(f, i)]++] = i;
	}
	f->nline = sum;
	vec_free(&next, &cap, sizeof *next);
	return true;
}

/* Sorts each node's callees: nodes come in the order of their ranks. */
static void
find_callees(const struct folding *f, const uint32_t *order, struct callees *c)
{
	const struct node *node = f->p->tree.node;
	uint32_t n = f->p->tree.n, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (f->place[i] == i) {
			uint32_t parent = parent_of(f, i);

			c->end[parent == NODE_NONE ? n : parent]++;
		}
	for (uint32_t i = 0; i <= n; i++) {   /* until all are there, an end is where the next one goes */
		uint32_t count = c->end[i];

		c->end[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < f->nline; i++) {
		uint32_t parent = parent_of(f, order[i]);

		if (i + 2 * SORT_AHEAD < f->nline)
			__builtin_prefetch(&node[order[i + 2 * SORT_AHEAD]]);
		if (i + SORT_AHEAD < f->nline && (sum = node[order[i + SORT_AHEAD]].parent) != NODE_NONE)
			__builtin_prefetch(&c->end[sum]);
		c->node[c->end[parent == NODE_NONE ? n : parent]++] = order[i];
	}
}

/* Callees of one node that are still to come. */
struct level {
	uint32_t at, end;
};

/* Asks for what a walk will read of the callees that come soon, and of their first callees. */
__attribute__((always_inline)) static inline void
ask_for_callees(const struct folding *f, const struct callees *c, const struct level *level)
{
	const struct node *node = f->p->tree.node;
	uint32_t left = level->end - level->at, soon, first;

	if (left > 3 * SORT_AHEAD) {
		soon = c->node[level->at + 3 * SORT_AHEAD];
		__builtin_prefetch(&node[soon]);
		__builtin_prefetch(&c->end[soon]);
	}
	if (left > 2 * SORT_AHEAD)
		__builtin_prefetch(&c->node[begin_of(c, c->node[level->at + 2 * SORT_AHEAD])]);
	if (left > SORT_AHEAD && (first = begin_of(c, c->node[level->at + SORT_AHEAD])) < f->nline) {
		first = c->node[first];
		__builtin_prefetch(&node[first]);
		__builtin_prefetch(&c->end[first]);
	}
}

/* Gives every line its place, into PLACE: parents before children, children sorted by text. */
static bool
walk(struct folding *f, const struct callees *c, uint32_t *place)
{
	struct level *level = NULL;
	uint32_t cap = 0, depth = 0, node = f->p->tree.n, n = 0;

	for (;;) {
		if (!vec_room(&level, &cap, (uint64_t)depth + 1, sizeof *level)) {
			depth = 0;
			break;
		}
		level[depth++] = (struct level){ begin_of(c, node), c->end[node] };
		while (depth && level[depth - 1].at == level[depth - 1].end)
			depth--;
		if (!depth)
			break;
		ask_for_callees(f, c, &level[depth - 1]);
		node = c->node[level[depth - 1].at++];
		place[node] = n++;
	}
	vec_free(&level, &cap, sizeof *level);
	return n == f->nline;
}

/* The tree of the lines, and the place of every node's line.  PLACE: those of the lines' own nodes.  A parent comes before its callees. */
static bool
make_lines(struct folding *f, const uint32_t *place)
{
	struct tree *lines = &f->lines;

	if (!vec_room(&lines->node, &lines->cap, f->nline, sizeof *lines->node))
		return false;
	for (uint32_t i = 0; i < f->p->tree.n; i++) {
		bool own = f->place[i] == i;

		f->place[i] = place[f->place[i]];
		if (own)
			lines->node[f->place[i]] = (struct node){ parent_of(f, i), f->p->tree.node[i].frame };
	}
	lines->n = f->nline;
	return true;
}

static bool
sort_lines(struct folding *f)
{
	struct callees c = { 0 };
	uint32_t *order = NULL, cap = 0, n = f->p->tree.n;
	bool ok = merge_alike(f) && vec_room(&order, &cap, n, sizeof *order) && sort_by_rank(f, order) &&
	          vec_room(&c.node, &c.node_cap, n, sizeof *c.node) && vec_room(&c.end, &c.end_cap, (uint64_t)n + 1, sizeof *c.end);

	if (ok)
		find_callees(f, order, &c);
	ok = ok && walk(f, &c, order);
	vec_free(&c.node, &c.node_cap, sizeof *c.node);
	vec_free(&c.end, &c.end_cap, sizeof *c.end);
	ok = ok && make_lines(f, order);
	vec_free(&order, &cap, sizeof *order);
	tree_settle(&f->lines);
	return ok && vec_room(&f->weight, &f->weight_cap, f->nline, sizeof *f->weight);
}

/* What stands at the root, of threads that belong together. */
struct root {
	struct text comm, event_name;
	uint32_t thread;
	int32_t pid, tid;
	uint32_t event;
	uint64_t period;   /* ns that a weight of one stands for */
};

static int
by_root(const void *va, const void *vb)
{
	const struct root *a = va, *b = vb;
	int c = strcmp(a->comm.s, b->comm.s);

	return c                   ? c
	       : a->pid != b->pid ? (a->pid < b->pid ? -1 : 1)
	       : a->tid != b->tid ? (a->tid < b->tid ? -1 : 1)
	                          : (a->event > b->event) - (a->event < b->event);
}

/* Begins lines of another root. */
static void
set_root(struct folding *f, const struct root *root)
{
	struct sink *s = &f->line;

	s->len = 0;
	f->path.n = 0;
	sink_put(s, root->comm.s, root->comm.n);
	if (root->pid || (!f->p->timeless && (f->p->by_thread || f->p->by_process)))
		sink_fmt(s, "-%d", root->pid);
	if (root->tid || (!f->p->timeless && f->p->by_thread))
		sink_fmt(s, "/%d", root->tid);
	if (root->event_name.n) {
		sink_str(s, ";[");
		sink_put(s, root->event_name.s, root->event_name.n);
	}
	f->root_end = (uint32_t)s->len;
}

/* Makes LINE the line of the stack at PLACE: it writes only what differs from the last line. */
static void
set_stack(struct folding *f, const struct root *root, uint32_t place)
{
	const struct tree *tree = &f->lines;
	uint32_t i = tree_path(tree, place, &f->path);

	if (!vec_room(&f->end, &f->end_cap, f->path.n, sizeof *f->end)) {
		sink_fail(&f->line, ENOMEM);
		return;
	}
	f->line.len = i ? f->end[i - 1] : f->root_end;
	for (; i < f->path.n; i++) {
		const struct text *t = &f->text[tree->node[f->path.node[i]].frame];

		if (i || root->comm.n)
			sink_char(&f->line, ';');
		sink_put(&f->line, t->s, t->n);
		f->end[i] = (uint32_t)f->line.len;
	}
}

static void
put_line(struct folding *f, const struct root *root, uint64_t weight)
{
	sink_put(f->out, f->line.buf, f->line.len);
	sink_char(f->out, ' ');
	if (f->p->unit == UNIT_MICROSECONDS && root->period)
		weight = times(weight, root->period) / 1000;
	sink_u64(f->out, weight);
	sink_char(f->out, '\n');
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Asks for what the next lines read: the texts of places. */
__attribute__((always_inline)) static inline void
ask_ahead(const struct folding *f, uint32_t place)
{
	const struct node *node = f->lines.node;

	if (place + 2 * SORT_AHEAD < f->nline)
		__builtin_prefetch(&f->text[node[place + 2 * SORT_AHEAD].frame]);
	if (place + SORT_AHEAD < f->nline)
		__builtin_prefetch(f->text[node[place + SORT_AHEAD].frame].s);
}

/* The lines of N threads with one root.  It sorts a few lines; for many, it looks at all places. */
static void
put_lines(struct folding *f, const struct root *root, uint32_t n)
{
	uint32_t touched[1024], ntouched = 0;
	uint64_t bare = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct run_reader reader;
		struct run run;

		runs_open(&reader, f->p, &f->p->thread[root[i].thread]);
		reader.raw = true;   /* weights are all that counts: no need to look which neighbours are alike */
		while (runs_next(&reader, &run)) {
			uint32_t node = run.node < f->p->nnamed ? f->p->named[run.node] : NODE_NONE;
			uint32_t place = node < f->p->tree.n ? f->place[node] : NODE_NONE;

			if (place != NODE_NONE && !f->weight[place] && ntouched++ < 1024)
				touched[ntouched - 1] = place;
			*(place == NODE_NONE ? &bare : &f->weight[place]) += run.weight;
		}
	}
	set_root(f, root);
	if (bare)
		put_line(f, root, bare);
	if (ntouched <= 1024)
		qsort(touched, ntouched, sizeof *touched, by_number);
	for (uint32_t i = 0; i < (ntouched <= 1024 ? ntouched : f->nline); i++) {
		uint32_t place = ntouched <= 1024 ? touched[i] : i;

		if (ntouched > 1024)
			ask_ahead(f, i);
		if (!f->weight[place])
			continue;
		set_stack(f, root, place);
		put_line(f, root, f->weight[place]);
		f->weight[place] = 0;
	}
}

static bool
put_roots(struct folding *f)
{
	const struct profile *p = f->p;
	struct root *root = NULL;
	uint32_t cap = 0;

	if (!vec_room(&root, &cap, p->nthread, sizeof *root))
		return false;
	for (uint32_t i = 0; i < p->nthread; i++) {
		const struct thread *t = &p->thread[i];

		root[i] = (struct root){ .comm = { "", 0, 0 }, .thread = i };
		if (*t->comm || !p->timeless || p->nevent > 1)   /* files that were read may have no roots */
			root[i].comm = clean(&f->arena, p->by_thread ? thread_title(t) : t->comm, "");
		if (p->nevent > 1 && t->event < p->nevent) {
			root[i].event = t->event;
			root[i].event_name = clean(&f->arena, p->event[t->event].name, "]");
		}
		root[i].period = t->event < p->nevent ? p->event[t->event].period_ns : 0;
		root[i].pid = p->by_process || p->by_thread ? t->pid : 0;
		root[i].tid = p->by_thread ? t->tid : 0;
	}
	if (p->nthread)
		qsort(root, p->nthread, sizeof *root, by_root);
	for (uint32_t i = 0, n; i < p->nthread; i += n) {
		for (n = 1; i + n < p->nthread && by_root(&root[i], &root[i + n]) == 0; n++)
			;
		put_lines(f, &root[i], n);
	}
	vec_free(&root, &cap, sizeof *root);
	return true;
}

static void
folded_write(struct sink *out, const struct profile *p)
{
	struct folding f = { .p = p, .out = out };

	sink_open(&f.line, -1);
	if (!make_texts(&f) || !sort_lines(&f) || !put_roots(&f))
		sink_fail(out, ENOMEM);
	vec_free(&f.text, &f.text_cap, sizeof *f.text);
	vec_free(&f.place, &f.place_cap, sizeof *f.place);
	tree_free(&f.lines);
	vec_free(&f.weight, &f.weight_cap, sizeof *f.weight);
	path_free(&f.path);
	vec_free(&f.end, &f.end_cap, sizeof *f.end);
	sink_fail(out, sink_close(&f.line));
	arena_free(&f.arena);
}

const struct format format_folded = {
	.name = "folded",
	.suffixes = ".folded .collapsed",
	.what = "one line for each stack, for flame-graph tools",
	.write = folded_write,
	.is = folded_is,
	.read = folded_read,
	.text = true,
	.threadless = true,
	.lineless = true,
};
