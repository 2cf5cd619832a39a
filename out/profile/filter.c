/* See filter.h.  This adds what stays to a new profile, as if nothing else had been captured.  Of a run that begins or ends
 * outside the time, the samples within stay; they count as evenly spread over the run. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sink.h"
#include "profile_names.h"

struct copying {
	const struct filter *f;
	const struct profile *from;
	struct profile *to;
	uint16_t *found;           /* for each node of FROM's tree: a bit for each of focus, and IGNORED */
	uint32_t found_cap;
	/* what FROM's codes and mappings are in TO, plus one; 0: not known yet */
	uint32_t *code, code_cap, *mapping, mapping_cap;
	uint32_t *stack, stack_cap, *codes, codes_cap;
	bool full;
};

enum { IGNORED = 1 << FILTER_MAX };

bool
filter_any(const struct filter *f)
{
	return f->nfocus || f->nignore || f->nthread || f->from || f->to || f->events;
}

/* The function's name as it is written. */
static const char *
shown_name(struct sink *s, const struct function *f)
{
	s->len = 0;
	sink_str(s, f->name);
	sink_str(s, function_suffix(f->kind));
	sink_char(s, 0);
	return s->err ? f->name : s->buf;
}

static unsigned
find_in(const char *name, struct regex *const *re, unsigned n)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++)
		found |= (unsigned)regex_find(re[i], name) << i;
	return found;
}

/* Which patterns of focus and ignore each function matches, and so each stack. */
static bool
find_all(struct copying *c)
{
	const struct profile *p = c->from;
	uint16_t *function = NULL;
	uint32_t cap = 0;
	struct sink name;
	bool ok = vec_room(&c->found, &c->found_cap, p->tree.n, sizeof *c->found) &&
	          vec_room(&function, &cap, p->nfunction, sizeof *function);

	sink_open(&name, -1);
	for (uint32_t i = 0; ok && i < p->nfunction; i++) {
		const char *text = shown_name(&name, &p->function[i]);

		function[i] = (uint16_t)find_in(text, c->f->focus, c->f->nfocus);
		if (find_in(text, c->f->ignore, c->f->nignore))
			function[i] |= IGNORED;
	}
	for (uint32_t i = 0; ok && i < p->tree.n; i++) {
		struct node n = p->tree.node[i];

		c->found[i] = (uint16_t)(function[n.frame] | (n.parent == NODE_NONE ? 0 : c->found[n.parent]));
	}
	sink_close(&name);
	vec_free(&function, &cap, sizeof *function);
	return ok;
}

static uint32_t
copy_mapping(struct copying *c, uint32_t mapping)
{
	const struct mapping *m = mapping < c->from->nmapping ? &c->from->mapping[mapping] : NULL;

	if (!m || !vec_room(&c->mapping, &c->mapping_cap, c->from->nmapping, sizeof *c->mapping))
		return MAPPING_NONE;
	if (!c->mapping[mapping])
		c->mapping[mapping] = profile_mapping(c->to, m->file, m->build_id) + 1;
	return c->mapping[mapping] - 1;
}

/* TO's code for what CODE stands for in FROM; UINT32_MAX at the memory cap. */
static uint32_t
copy_code(struct copying *c, uint32_t code)
{
	const struct location *l = code < c->from->nlocation ? &c->from->location[code] : NULL;
	struct site site[NAME_MAX_INLINE];
	struct location where;

	if (!l || !vec_room(&c->code, &c->code_cap, c->from->nlocation, sizeof *c->code))
		return UINT32_MAX;
	if (c->code[code])
		return c->code[code] - 1;
	for (unsigned i = 0; i < l->sites; i++) {
		site[i] = c->from->site[l->site + i];
		if (site[i].function < c->from->nfunction)   /* else there was no memory for the function */
			site[i].function = profile_function(c->to, &c->from->function[site[i].function]);
	}
	where = *l;
	where.mapping = copy_mapping(c, l->mapping);
	c->code[code] = profile_location(c->to, &where, site, l->sites) + 1;
	return c->code[code] - 1;
}

/* Adds a run of the raw node NODE. */
static bool
copy_run(struct copying *c, uint32_t thread, const struct run *run, uint32_t node)
{
	const struct tree *raw = &c->from->raw;
	uint32_t n = node < raw->n ? tree_stack(raw, node, NULL, 0) : 0;

	if (!vec_room(&c->stack, &c->stack_cap, n, sizeof *c->stack) ||
	    !vec_room(&c->codes, &c->codes_cap, n, sizeof *c->codes))
		return false;
	if (n)
		tree_stack(raw, node, c->stack, n);
	for (uint32_t i = 0; i < n; i++)
		if ((c->codes[i] = copy_code(c, c->stack[n - 1 - i])) == UINT32_MAX)
			return false;
	profile_add_run(c->to, thread, run, c->codes, n);
	return true;
}

/* Cuts the run to the time that the user asks for; false if nothing is left. */
static bool
within(const struct filter *f, struct run *r)
{
	uint64_t each = r->weight / r->samples, step = r->samples > 1 ? r->span / (r->samples - 1) : 0;
	uint64_t before = 0, upto = r->samples;

	if (f->from > r->start)
		before = step ? (f->from - r->start + step - 1) / step : r->samples;
	if (f->to)
		upto = f->to <= r->start ? 0 : step ? (f->to - r->start + step - 1) / step : r->samples;
	if (upto > r->samples)
		upto = r->samples;
	if (before >= upto)
		return false;
	if (before || upto < r->samples) {
		r->start += before * step;
		r->samples = upto - before;
		r->span = (r->samples - 1) * step;
		r->weight = each * r->samples;
	}
	return true;
}

static bool
stack_stays(const struct copying *c, uint32_t raw)
{
	uint32_t node = raw < c->from->nnamed ? c->from->named[raw] : NODE_NONE;
	unsigned found = node < c->from->tree.n ? c->found[node] : 0, wanted = (1u << c->f->nfocus) - 1;

	return (found & wanted) == wanted && !(found & IGNORED);
}

static bool
thread_stays(const struct filter *f, const struct thread *t)
{
	char text[224];

	snprintf(text, sizeof text, "%.80s %d/%d%s%.80s", t->comm, t->pid, t->tid, t->name ? " " : "", t->name ? t->name : "");
	return (!f->nthread || find_in(text, f->thread, f->nthread)) && (!f->events || f->events >> t->event & 1);
}

static bool
copy_thread(struct copying *c, const struct thread *t)
{
	struct run_reader reader;
	struct run run;
	uint32_t thread = UINT32_MAX;

	runs_open(&reader, c->from, t);
	reader.raw = true;
	while (runs_next(&reader, &run)) {
		if (!stack_stays(c, run.node) || !within(c->f, &run))
			continue;
		if (thread == UINT32_MAX && (thread = profile_thread(c->to, t->pid, t->tid, t->comm, t->event)) == UINT32_MAX)
			return false;
		if (t->name)
			profile_call(c->to, thread, t->name);
		if (!copy_run(c, thread, &run, run.node))
			return false;
	}
	return true;
}

static const char *
copy_text(struct profile *to, const char *s)
{
	return s ? arena_str(&to->arena, s, strlen(s)) : NULL;
}

static void
copy_head(struct profile *to, const struct profile *from)
{
	const char *command = copy_text(to, from->command);

	to->command = command ? command : "";
	to->exporter = copy_text(to, from->exporter);
	to->picture = from->picture;
	to->unit = from->unit;
	to->start = from->start;
	to->end = from->end;
	to->epoch = from->epoch;
	to->by_thread = from->by_thread;
	to->by_process = from->by_process;
	to->lines = from->lines;
	to->timeless = from->timeless;
	for (unsigned i = 0; i < from->nnote; i++)
		profile_note(to, from->note[i].key, from->note[i].value);
	for (uint32_t i = 0; i < from->nevent; i++) {
		to->event[i] = from->event[i];
		to->event[i].name = copy_text(to, from->event[i].name);
		if (!to->event[i].name)
			to->event[i].name = "";
	}
	to->nevent = from->nevent;
	source_texts_copy(&to->sources, &to->arena, &from->sources);
}

bool
filter_copy(struct profile *to, const struct profile *from, const struct filter *f)
{
	struct copying c = { .f = f, .from = from, .to = to };
	bool ok;

	profile_init(to);
	copy_head(to, from);
	ok = find_all(&c);
	for (uint32_t i = 0; ok && i < from->nthread; i++)
		if (thread_stays(f, &from->thread[i]))
			ok = copy_thread(&c, &from->thread[i]);
	vec_free(&c.found, &c.found_cap, sizeof *c.found);
	vec_free(&c.code, &c.code_cap, sizeof *c.code);
	vec_free(&c.mapping, &c.mapping_cap, sizeof *c.mapping);
	vec_free(&c.stack, &c.stack_cap, sizeof *c.stack);
	vec_free(&c.codes, &c.codes_cap, sizeof *c.codes);
	profile_name(to, NULL, NULL);
	return ok;
}
