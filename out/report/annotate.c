/* See annotate.h: matching names, gathering lines and places. */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>

#include "lib/regex.h"

#define NONE UINT32_MAX

enum { INSTRUCTIONS_MAX = 1 << 20 };

static bool
is_kernel(const struct function *f)
{
	return f->kind == FUNCTION_KERNEL;
}

/* ---- functions by name ---- */

static uint32_t
hash_called(const struct called *c)
{
	return hash_str(c->name) ^ c->kernel;
}

static uint32_t
find_called(struct annotation *a, struct index *index, const struct function *f)
{
	struct called c = { .name = f->name, .kernel = is_kernel(f) };
	uint32_t slot, i, hash = hash_called(&c);

	for (slot = index_first(index, hash); (i = index_at(index, slot)) != INDEX_NONE; slot = index_next(index, slot))
		if (a->called[i].kernel == c.kernel && strcmp(a->called[i].name, c.name) == 0)
			return i;
	if (!vec_room(&a->called, &a->called_cap, (uint64_t)a->ncalled + 1, sizeof c))
		return NONE;
	a->called[a->ncalled] = c;
	return index_add(index, hash, a->ncalled) ? a->ncalled++ : NONE;
}

static bool
find_all_called(struct annotation *a)
{
	const struct profile *p = a->p;
	struct index index = { 0 };
	bool ok = vec_room(&a->which, &a->which_cap, p->nfunction, sizeof *a->which);

	for (uint32_t i = 0; ok && i < p->nfunction; i++)
		ok = (a->which[i] = find_called(a, &index, &p->function[i])) != NONE;
	index_free(&index);
	return ok;
}

static bool
weigh_called(struct annotation *a, const struct stacks *s)
{
	const struct profile *p = a->p;
	struct weight *weight = NULL;
	uint32_t *key = NULL, key_cap = 0, cap = 0;
	bool ok = vec_room(&key, &key_cap, p->nsite, sizeof *key) &&
	          vec_room(&weight, &cap, a->ncalled, sizeof *weight);

	for (uint32_t i = 0; ok && i < p->nsite; i++)
		key[i] = p->site[i].function < p->nfunction ? a->which[p->site[i].function] : NONE;
	ok = ok && stacks_weigh(s, key, weight, a->ncalled);
	for (uint32_t i = 0; ok && i < a->ncalled; i++)
		a->called[i].weight = weight[i];
	vec_free(&key, &key_cap, sizeof *key);
	vec_free(&weight, &cap, sizeof *weight);
	return ok;
}

bool
annotation_open(struct annotation *a, const struct profile *p)
{
	*a = (struct annotation){ .p = p };
	return find_all_called(a) && annotation_weigh(a, NONE);
}

void
annotation_close(struct annotation *a)
{
	vec_free(&a->called, &a->called_cap, sizeof *a->called);
	vec_free(&a->which, &a->which_cap, sizeof *a->which);
	vec_free(&a->line, &a->line_cap, sizeof *a->line);
	vec_free(&a->place, &a->place_cap, sizeof *a->place);
	vec_free(&a->instruction, &a->instruction_cap, sizeof *a->instruction);
	vec_free(&a->line_of, &a->line_of_cap, sizeof *a->line_of);
	vec_free(&a->place_of, &a->place_of_cap, sizeof *a->place_of);
}

/* The ways in which a word may mean a function, the strictest first. */
enum manner { AS_WRITTEN, BARE, LAST_PART, A_PART, A_PATTERN, MANNERS };

/* Whether WORD is the name as profiles write it: perhaps with its suffix. */
static bool
is_written(const struct called *c, const char *word)
{
	size_t n = strlen(c->name);

	if (strncmp(c->name, word, n) != 0)
		return false;
	return !word[n] || strcmp(word + n, function_suffix(c->kernel ? FUNCTION_KERNEL : FUNCTION_INLINED)) == 0;
}

/* Whether the name ends with WORD, behind a file, a namespace or a class, and before parameters. */
static bool
is_last_part(const char *name, const char *word, size_t n)
{
	for (const char *at = name; (at = strstr(at, word)); at++)
		if (at > name && strchr(":.", at[-1]) && (!at[n] || at[n] == '('))
			return true;
	return false;
}

static bool
means(const struct called *c, const char *word, enum manner how, struct regex *re)
{
	size_t n = strlen(word);

	if (!c->weight.total)
		return false;
	switch (how) {
	case AS_WRITTEN:
		return is_written(c, word);
	case BARE:
		return strncmp(c->name, word, n) == 0 && strchr("(.", c->name[n]);
	case LAST_PART:
		return *word && is_last_part(c->name, word, n);
	case A_PART:
		return strstr(c->name, word) != NULL;
	case A_PATTERN:
	case MANNERS:
		break;
	}
	return re && regex_find(re, c->name);
}

static int
by_weight(const void *va, const void *vb, void *ctx)
{
	const struct called *c = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (c[a].weight.total != c[b].weight.total)
		return c[a].weight.total < c[b].weight.total ? 1 : -1;
	return strcmp(c[a].name, c[b].name);
}

uint32_t
annotation_match(const struct annotation *a, const char *word, struct arena *arena, uint32_t *match)
{
	const char *why;
	struct regex *re = regex_new(arena, word, &why);
	uint32_t n = 0;

	for (enum manner how = AS_WRITTEN; !n && how < MANNERS; how++)
		for (uint32_t i = 0; i < a->ncalled; i++)
			if (means(&a->called[i], word, how, re))
				match[n++] = i;
	if (n)
		qsort_r(match, n, sizeof *match, by_weight, a->called);
	return n;
}

/* ---- lines and places ---- */

static bool
is_chosen(const struct annotation *a, uint32_t site)
{
	uint32_t f = a->p->site[site].function;

	return f < a->p->nfunction && a->which[f] == a->chosen;
}

static struct source_line
line_of_site(const struct profile *p, const struct site *site)
{
	const struct function *f = &p->function[site->function];
	uint32_t line = site->line ? site->line : p->lines ? f->line : 0;

	return (struct source_line){ .file = line ? f->file : NULL, .line = f->file ? line : 0 };
}

static int
compare_lines(const struct source_line *a, const struct source_line *b)
{
	int c = a->file && b->file ? strcmp(a->file, b->file) : (a->file != NULL) - (b->file != NULL);

	return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int
by_line(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return compare_lines(a, b);
}

static int
compare_places(uint32_t mapping_a, uint64_t a, uint32_t mapping_b, uint64_t b)
{
	return mapping_a != mapping_b ? (mapping_a < mapping_b ? -1 : 1) : (a > b) - (a < b);
}

static int
by_place(const void *va, const void *vb, void *ctx)
{
	const struct code_place *a = va, *b = vb;

	(void)ctx;
	return compare_places(a->mapping, a->address, b->mapping, b->address);
}

/* Sorts the N items at ITEM and keeps one of several equal ones; returns how many are left. */
static uint32_t
sort_unique(void *item, uint32_t n, size_t size, int (*compare)(const void *, const void *, void *))
{
	char *at = item;
	uint32_t kept = 0;

	if (n)
		qsort_r(item, n, size, compare, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || compare(at + (kept - 1) * size, at + i * size, NULL) != 0)
			memmove(at + kept++ * size, at + i * size, size);
	return kept;
}

/* Adds the lines of the location's sites that are the function's, and the location as a place. */
static bool
gather(struct annotation *a, const struct location *l)
{
	bool any = false;

	for (uint32_t i = l->site; i < l->site + l->sites; i++) {
		if (!is_chosen(a, i))
			continue;
		any = true;
		if (!vec_room(&a->line, &a->line_cap, (uint64_t)a->nline + 1, sizeof *a->line))
			return false;
		a->line[a->nline++] = line_of_site(a->p, &a->p->site[i]);
	}
	if (!any)
		return true;
	if (!vec_room(&a->place, &a->place_cap, (uint64_t)a->nplace + 1, sizeof *a->place))
		return false;
	a->place[a->nplace++] = (struct code_place){ l->mapping, l->address, l->site + l->sites - 1u, false };
	return true;
}

static uint32_t
find_line(const struct annotation *a, const struct source_line *is)
{
	uint32_t lo = 0, hi = a->nline;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_lines(&a->line[mid], is) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t
find_place(const struct annotation *a, const struct location *l)
{
	uint32_t lo = 0, hi = a->nplace;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_places(a->place[mid].mapping, a->place[mid].address, l->mapping, l->address) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Sets the line of each site, and the place of all sites of the location, if one of them is the function's. */
static void
number_sites(struct annotation *a, const struct location *l)
{
	bool any = false;

	for (uint32_t i = l->site; i < l->site + l->sites; i++) {
		bool is = is_chosen(a, i);
		struct source_line line = is ? line_of_site(a->p, &a->p->site[i]) : (struct source_line){ 0 };

		a->line_of[i] = is ? find_line(a, &line) : NONE;
		any |= is;
	}
	for (uint32_t i = l->site; i < l->site + l->sites; i++)
		a->place_of[i] = any ? find_place(a, l) : NONE;
}

static void
mark_calls(struct annotation *a)
{
	const struct tree *t = &a->p->raw;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct location *l = t->node[i].parent == NODE_NONE ? NULL : stacks_location(a->p, t->node[i].parent);

		if (l && l->sites && a->place_of[l->site] != NONE)
			a->place[a->place_of[l->site]].calls = true;
	}
}

bool
annotation_choose(struct annotation *a, uint32_t called)
{
	const struct profile *p = a->p;

	a->chosen = called;
	a->nline = a->nplace = 0;
	for (uint32_t i = 0; i < p->nlocation; i++)
		if (!gather(a, &p->location[i]))
			return false;
	a->nline = sort_unique(a->line, a->nline, sizeof *a->line, by_line);
	a->nplace = sort_unique(a->place, a->nplace, sizeof *a->place, by_place);
	if (!vec_room(&a->line_of, &a->line_of_cap, p->nsite, sizeof *a->line_of) ||
	    !vec_room(&a->place_of, &a->place_of_cap, p->nsite, sizeof *a->place_of))
		return false;
	memset(a->line_of, 0xff, p->nsite * sizeof *a->line_of);
	memset(a->place_of, 0xff, p->nsite * sizeof *a->place_of);
	for (uint32_t i = 0; i < p->nlocation; i++)
		number_sites(a, &p->location[i]);
	mark_calls(a);
	return true;
}

bool
annotation_interpreted(const struct annotation *a)
{
	uint32_t i = 0;

	while (i < a->p->nfunction && a->which[i] != a->chosen)
		i++;
	return i < a->p->nfunction && profile_language(a->p->function[i].module);
}

/* The instruction of each place: the last one that begins at or before it. */
static void
instructions_of(const struct annotation *a, uint32_t *of)
{
	for (uint32_t i = 0, k = 0; i < a->nplace; i++) {
		const struct code_place *at = &a->place[i];

		for (; k < a->ninstruction; k++)
			if (compare_places(a->instruction[k].mapping, a->instruction[k].address, at->mapping, at->address) > 0)
				break;
		of[i] = k && a->instruction[k - 1].mapping == at->mapping ? k - 1 : NONE;
	}
}

static bool
weigh_lines(struct annotation *a, const struct stacks *s)
{
	struct weight *weight = NULL;
	uint32_t cap = 0;
	bool ok = vec_room(&weight, &cap, a->nline, sizeof *weight) && stacks_weigh(s, a->line_of, weight, a->nline);

	for (uint32_t i = 0; ok && i < a->nline; i++)
		a->line[i].weight = weight[i];
	vec_free(&weight, &cap, sizeof *weight);
	return ok;
}

static bool
weigh_instructions(struct annotation *a, const struct stacks *s)
{
	struct weight *weight = NULL;
	uint32_t n = a->ninstruction, *of = NULL, *key = NULL, of_cap = 0, key_cap = 0, cap = 0;
	bool ok = vec_room(&of, &of_cap, a->nplace, sizeof *of) && vec_room(&key, &key_cap, a->p->nsite, sizeof *key) &&
	          vec_room(&weight, &cap, n, sizeof *weight);

	if (ok)
		instructions_of(a, of);
	for (uint32_t i = 0; ok && i < a->p->nsite; i++)
		key[i] = a->place_of[i] == NONE ? NONE : of[a->place_of[i]];
	ok = ok && stacks_weigh(s, key, weight, n);
	for (uint32_t i = 0; ok && i < n; i++)
		a->instruction[i].weight = weight[i];
	for (uint32_t i = 0; ok && i < a->nplace; i++)
		if (of[i] != NONE)
			a->instruction[of[i]].site = a->place[i].site;
	vec_free(&weight, &cap, sizeof *weight);
	vec_free(&of, &of_cap, sizeof *of);
	vec_free(&key, &key_cap, sizeof *key);
	return ok;
}

bool
annotation_weigh(struct annotation *a, uint32_t event)
{
	struct stacks s;
	bool ok = stacks_open(&s, a->p, event) && weigh_called(a, &s);

	if (ok && a->nline)
		ok = weigh_lines(a, &s) && weigh_instructions(a, &s);
	a->sum = s.sum;
	stacks_free(&s);
	return ok;
}

bool
annotation_instruction(struct annotation *a, uint32_t mapping, uint64_t address, const char *text)
{
	if (a->ninstruction == INSTRUCTIONS_MAX ||
	    !vec_room(&a->instruction, &a->instruction_cap, (uint64_t)a->ninstruction + 1, sizeof *a->instruction))
		return false;
	a->instruction[a->ninstruction++] = (struct instruction){ mapping, address, text, UINT32_MAX, { 0, 0 } };
	return true;
}
