/* See html_shown.h. */
#include "html_shown.h"

#include <stdlib.h>
#include <string.h>

enum { LINED_MAX = 4000000 };   /* raw nodes; beyond them lines are left out */

static uint32_t
hash_site(const struct site *s)
{
	return hash_u64((uint64_t)s->function << 32 | s->line);
}

/* The number of a site, made if it is new; UINT32_MAX at the memory cap. */
static uint32_t
site_number(struct shown *s, struct site site)
{
	uint32_t hash = hash_site(&site), slot, i;

	for (slot = index_first(&s->sites, hash); (i = index_at(&s->sites, slot)) != INDEX_NONE; slot = index_next(&s->sites, slot))
		if (s->site[i].function == site.function && s->site[i].line == site.line)
			return i;
	if (!vec_room(&s->site, &s->site_cap, (uint64_t)s->nsite + 1, sizeof site))
		return UINT32_MAX;
	s->site[s->nsite] = site;
	return index_add(&s->sites, hash, s->nsite) ? s->nsite++ : UINT32_MAX;
}

static bool
has_lines(const struct profile *p)
{
	for (uint32_t i = 0; i < p->nsite && p->raw.n <= LINED_MAX; i++)
		if (p->site[i].line)
			return true;
	return false;
}

/* The node of the sites that CODE stands for, under NODE. */
static uint32_t
lined_node(struct shown *s, const uint32_t *number, uint32_t node, uint32_t code)
{
	const struct location *l = code < s->p->nlocation ? &s->p->location[code] : NULL;

	for (uint32_t i = 0; l && i < l->sites; i++) {
		uint32_t site = number[l->site + i], inner = NODE_NONE;

		if (site != UINT32_MAX)
			inner = tree_node(&s->lined, node, site);
		if (inner != NODE_NONE)
			node = inner;
	}
	return node;
}

/* The tree of functions and lines, from the raw one. */
static bool
make_lined(struct shown *s)
{
	const struct profile *p = s->p;
	uint32_t *number = NULL, cap = 0;   /* of each of the profile's sites, which may stand there more than once */
	bool ok = vec_room(&number, &cap, p->nsite, sizeof *number) &&
	          vec_room(&s->map[0], &s->map_cap[0], p->raw.n, sizeof **s->map);

	for (uint32_t i = 0; ok && i < p->nsite; i++)
		number[i] = p->site[i].function < p->nfunction ? site_number(s, p->site[i]) : UINT32_MAX;
	for (uint32_t i = 0; ok && i < p->raw.n; i++) {
		struct node raw = p->raw.node[i];

		s->map[0][i] = lined_node(s, number, raw.parent == NODE_NONE ? NODE_NONE : s->map[0][raw.parent], raw.frame);
	}
	vec_free(&number, &cap, sizeof *number);
	tree_drop_table(&s->lined);
	if (!ok)
		return false;
	s->tree = &s->lined;
	s->runs.named = s->map[0];
	s->runs.nnamed = p->raw.n;
	return true;
}

/* Makes the shown tree without lines: sites are functions. */
static bool
make_plain(struct shown *s)
{
	s->nsite = s->p->nfunction;
	if (!vec_room(&s->site, &s->site_cap, s->nsite, sizeof *s->site))
		return false;
	for (uint32_t i = 0; i < s->nsite; i++)
		s->site[i] = (struct site){ i, 0 };
	s->tree = &s->p->tree;
	return true;
}

static bool
weigh(struct shown *s)
{
	const struct tree *t = s->tree;
	struct run_reader reader;
	struct run run;

	if (!vec_room(&s->weight, &s->weight_cap, t->n, sizeof *s->weight) || !vec_room(&s->ran, &s->ran_cap, t->n, 1))
		return false;
	for (uint32_t i = 0; i < s->p->nthread; i++)
		for (runs_open(&reader, &s->runs, &s->p->thread[i]); runs_next(&reader, &run);)
			if (run.node < t->n) {
				s->weight[run.node] += run.weight;
				s->ran[run.node] = true;
			}
	for (uint32_t i = t->n; i--;)
		if (t->node[i].parent != NODE_NONE)
			s->weight[t->node[i].parent] += s->weight[i];
	return true;
}

/* The site that stands for what was left out: the profile's own mark, or one more function. */
static uint32_t
elided_site(struct shown *s)
{
	uint32_t f = 0;

	for (; f < s->p->nfunction; f++)
		if (s->p->function[f].kind == FUNCTION_MARK && strcmp(s->p->function[f].name, "[elided]") == 0)
			break;
	if (!vec_room(&s->site, &s->site_cap, (uint64_t)s->nsite + 1, sizeof *s->site))
		return UINT32_MAX;
	s->site[s->nsite] = (struct site){ f, 0 };
	return s->nsite++;
}

/* Whether so few different frames ran that all of them fit beside one mark: else no LEAST is large enough. */
static bool
leaves_fit(const struct shown *s, bool *fit)
{
	bool *seen = NULL;
	uint32_t cap = 0, n = 0;
	bool ok = vec_room(&seen, &cap, s->nsite, sizeof *seen);

	for (uint32_t i = 0; ok && i < s->tree->n; i++)
		if (s->ran[i] && !seen[s->tree->node[i].frame]) {
			seen[s->tree->node[i].frame] = true;
			n++;
		}
	vec_free(&seen, &cap, sizeof *seen);
	*fit = n < s->most.nodes;
	return ok;
}

/* A smaller tree, in which stacks that weigh less than LEAST have lost their middle: what ran is the child of a mark, and the
 * mark is the child of the innermost frame that is heavy enough.  Without LEAVES the mark stands for what ran, too.  TO: its
 * node for each of the tree's. */
static bool
cut_tree(struct shown *s, uint32_t elided, bool leaves, uint32_t *to)
{
	const struct tree *t = s->tree;

	s->cut.n = 0;
	tree_drop_table(&s->cut);
	for (uint32_t i = 0; i < t->n && s->cut.n <= s->most.nodes; i++) {
		struct node node = t->node[i];
		bool top = node.parent == NODE_NONE;
		uint32_t outer = top ? NODE_NONE : to[node.parent];

		if (s->weight[i] < s->least) {
			if (top || s->weight[node.parent] >= s->least)
				outer = tree_node(&s->cut, outer, elided);
			else if (leaves && s->ran[node.parent] && outer != NODE_NONE)
				outer = s->cut.node[outer].parent;
		}
		to[i] = s->weight[i] >= s->least || (leaves && s->ran[i]) ? tree_node(&s->cut, outer, node.frame) : outer;
	}
	return s->cut.n <= s->most.nodes;
}

/* The least weight of a whole stack: with it, not many more stacks than the bound are whole. */
static uint64_t
first_least(const struct shown *s)
{
	uint32_t count[65] = { 0 }, kept = 0;   /* by the weight's bits */
	unsigned bits = 64;

	for (uint32_t i = 0; i < s->tree->n; i++)
		count[s->weight[i] ? 64 - __builtin_clzll(s->weight[i]) : 0]++;
	while (bits > 2 && kept + count[bits] <= s->most.nodes)
		kept += count[bits--];
	return (uint64_t)1 << bits;
}

/* Cuts until the tree is small enough. */
static bool
cut(struct shown *s)
{
	uint32_t *to = NULL, cap = 0, elided = elided_site(s);
	const struct profile *shown = &s->runs;
	bool leaves, ok = elided != UINT32_MAX && weigh(s) && leaves_fit(s, &leaves) && vec_room(&to, &cap, s->tree->n, sizeof *to);

	if (ok)
		for (s->least = first_least(s); ok && !cut_tree(s, elided, leaves, to); s->least *= 2)
			ok = s->least < UINT64_MAX / 4;
	vec_free(&s->weight, &s->weight_cap, sizeof *s->weight);
	vec_free(&s->ran, &s->ran_cap, 1);
	ok = ok && vec_room(&s->map[1], &s->map_cap[1], shown->nnamed, sizeof **s->map);
	for (uint32_t i = 0; ok && i < shown->nnamed; i++)
		s->map[1][i] = shown->named[i] < s->tree->n ? to[shown->named[i]] : NODE_NONE;
	vec_free(&to, &cap, sizeof *to);
	if (!ok)
		return false;
	tree_drop_table(&s->cut);
	s->tree = &s->cut;
	s->runs.named = s->map[1];
	return true;
}

void
shown_open(struct shown_reader *r, const struct shown *s, const struct thread *t)
{
	r->s = s;
	r->n = r->at = 0;
	runs_open(&r->runs, &s->runs, t);
	r->have = s->step && runs_next(&r->runs, &r->ahead);
}

static int
by_node(const void *va, const void *vb)
{
	const struct run *a = va, *b = vb;

	return a->node != b->node ? (a->node < b->node ? -1 : 1) : (a->start > b->start) - (a->start < b->start);
}

/* Gathers the runs of the next step. */
static bool
gather(struct shown_reader *r)
{
	uint64_t lo = r->ahead.start, hi = lo - lo % r->s->step + r->s->step, at = lo;
	uint32_t n = 0;

	for (r->n = r->at = 0; r->have && r->ahead.start < hi; r->have = runs_next(&r->runs, &r->ahead)) {
		if (!vec_room(&r->held, &r->cap, (uint64_t)r->n + 1, sizeof *r->held))
			break;
		r->held[r->n++] = r->ahead;
	}
	if (r->n)
		qsort(r->held, r->n, sizeof *r->held, by_node);
	for (uint32_t i = 0; i < r->n; i++) {
		struct run *last = n ? &r->held[n - 1] : NULL, *run = &r->held[i];

		if (last && last->node == run->node) {
			last->span += run->span + times(run->first, r->runs.period);
			last->weight += run->weight;
			last->samples += run->samples;
		} else
			r->held[n++] = *run;
	}
	for (uint32_t i = 0; i < n; i++) {   /* one behind the other: the page does not tell where in the step they were */
		r->held[i].start = at;
		at += r->held[i].span + times(r->held[i].first, r->runs.period);
	}
	return (r->n = n) != 0;
}

bool
shown_next(struct shown_reader *r, struct run *run)
{
	if (!r->s->step)
		return runs_next(&r->runs, run);
	if (r->at == r->n && (!r->have || !gather(r)))
		return false;
	*run = r->held[r->at++];
	return true;
}

static uint64_t
count_runs(const struct shown *s, struct shown_reader *r, const struct thread *t)
{
	struct run run;
	uint64_t n = 0;

	for (shown_open(r, s, t); shown_next(r, &run);)
		n++;
	return n;
}

/* Chooses the finest steps of time with which the page is not too large. */
static void
choose_step(struct shown *s)
{
	struct shown_reader r = { 0 };
	uint64_t length = s->p->end > s->p->start ? s->p->end - s->p->start : UINT64_MAX / 4, steps = 65536, all;

	for (;; steps /= 4) {
		if ((all = s->p->samples) <= s->most.runs)
			break;
		all = 0;
		for (uint32_t i = 0; i < s->p->nthread && all <= s->most.runs; i++)
			all += count_runs(s, &r, &s->p->thread[i]);
		if (all <= s->most.runs || s->step > length)
			break;
		s->step = steps ? length / steps + 1 : length + 1;
	}
	shown_close(&r);
}

bool
shown_choose(struct shown *s, const struct profile *p, struct bounds most)
{
	*s = (struct shown){ .p = p, .most = most, .runs = *p };
	if (!(has_lines(p) ? make_lined(s) : make_plain(s)) || (s->tree->n > most.nodes && !cut(s)))
		return false;
	choose_step(s);
	return true;
}

void
shown_close(struct shown_reader *r)
{
	vec_free(&r->held, &r->cap, sizeof *r->held);
}

void
shown_free(struct shown *s)
{
	tree_free(&s->lined);
	tree_free(&s->cut);
	index_free(&s->sites);
	vec_free(&s->site, &s->site_cap, sizeof *s->site);
	for (unsigned i = 0; i < 2; i++)
		vec_free(&s->map[i], &s->map_cap[i], sizeof **s->map);
	vec_free(&s->weight, &s->weight_cap, sizeof *s->weight);
	vec_free(&s->ran, &s->ran_cap, 1);
}
