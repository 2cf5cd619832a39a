/* See annotate_instructions.h. */
#include "annotate_instructions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_MAX = 16, NOTE_FROM = 40, NAME_SHORT = 40, WIDE = 140 };

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Writes the function of the code, and its line. */
static void
make_note(const struct annotation_writing *w, const struct instruction *in, char *note, size_t cap)
{
	const struct profile *p = w->a->p;
	const struct site *site = in->site < p->nsite ? &p->site[in->site] : NULL;
	const struct function *f = site && site->function < p->nfunction ? &p->function[site->function] : NULL;
	uint32_t line = !f ? 0 : site->line ? site->line : p->lines ? f->line : 0;
	bool other = f && w->a->which[site->function] != w->a->chosen;
	int n = 0;

	*note = 0;
	if (other) {
		size_t len = strlen(f->name), bare = len > NAME_SHORT ? strcspn(f->name, "<") : len;

		n = snprintf(note, cap, "%.*s%s%s", (int)(bare < 200 ? bare : 200), f->name,
		             bare < len ? "<\u2026>" : "", function_suffix(f->kind));
	}
	if (f && f->file && line)
		snprintf(note + n, cap - (size_t)n, "%s%.200s:%u", other ? " " : "", last_part(f->file), line);
}

/* Writes a note behind text that took TOOK of LEFT columns, unless it equals the last note. */
static void
put_note(struct annotation_writing *w, const char *note, unsigned took, unsigned left)
{
	if (!*note || strcmp(note, w->note) == 0 || left <= took + 8)
		return;
	strcpy(w->note, note);
	for (; took < NOTE_FROM && took + 22 < left; took++)
		sink_char(w->t.out, ' ');
	table_ink(&w->t, "2");
	sink_str(w->t.out, "  ");
	columns_cut(w->t.out, note, w->view->width ? left - took - 2 : 0);
	table_ink(&w->t, "0");
}

static void
put_instruction(struct annotation_writing *w, const struct instruction *in)
{
	unsigned width = w->view->width ? w->view->width : WIDE, used, took = 0, left;
	char address[24], note[ANNOTATION_TEXT_MAX];

	annotation_shares(w, &in->weight);
	used = (unsigned)snprintf(address, sizeof address, "  %10llx:", (unsigned long long)in->address);
	sink_put(w->t.out, address, used);
	used += ANNOTATION_SHARES + 2;
	left = width > used + 8 ? width - used : 8;
	make_note(w, in, note, sizeof note);
	if (in->text || *note)
		sink_str(w->t.out, "  ");
	if (in->text)
		took = columns_cut(w->t.out, in->text, *note && left > 28 ? left - 20 : left);
	put_note(w, note, took, left);
	sink_char(w->t.out, '\n');
}

static bool
follows(const struct instruction *in)
{
	return in[1].address - in->address <= INSTRUCTION_MAX;
}

/* Whether instruction I is worth a row: it weighs enough, or one near it does. */
static bool
is_near(const struct annotation_writing *w, const struct annotation_part *p, uint32_t i)
{
	const struct instruction *in = w->a->instruction;

	if (annotation_counts(w, &in[i].weight))
		return true;
	for (uint32_t k = i, n = 0; n < w->view->context && k > p->lo && follows(&in[k - 1]); n++)
		if (annotation_counts(w, &in[--k].weight))
			return true;
	for (uint32_t k = i, n = 0; n < w->view->context && k + 1 < p->hi && follows(&in[k]); n++)
		if (annotation_counts(w, &in[++k].weight))
			return true;
	return false;
}

static const char *
mapping_name(const struct annotation_writing *w, uint32_t mapping)
{
	const char *module = annotation_module(w);

	return mapping < w->a->p->nmapping ? w->a->p->mapping[mapping].file : *module ? module : "code without a file";
}

static void
put_mapping(struct annotation_writing *w, const struct annotation_part *p)
{
	uint32_t shown = NODE_NONE;

	*w->note = 0;
	sink_char(w->t.out, '\n');
	table_ink(&w->t, "1");
	sink_str(w->t.out, "   self  total     address  ");
	columns_cut(w->t.out, mapping_name(w, w->a->instruction[p->lo].mapping), 0);
	table_ink(&w->t, "0");
	sink_char(w->t.out, '\n');
	for (uint32_t i = p->lo; i < p->hi; i++) {
		if (!is_near(w, p, i))
			continue;
		if (shown != NODE_NONE && (shown + 1 != i || !follows(&w->a->instruction[shown])))
			annotation_gap(w);
		put_instruction(w, &w->a->instruction[i]);
		shown = i;
	}
}

void
annotation_instructions(struct annotation_writing *w)
{
	const struct annotation *a = w->a;
	struct annotation_part *part = NULL;
	uint32_t n = 0, cap = 0;

	if (!vec_room(&part, &cap, a->ninstruction, sizeof *part)) {
		sink_fail(w->t.out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < a->ninstruction; i++) {
		if (!i || a->instruction[i].mapping != a->instruction[i - 1].mapping)
			part[n++] = (struct annotation_part){ .lo = i };
		part[n - 1].hi = i + 1;
		annotation_add_most(&part[n - 1], &a->instruction[i].weight);
	}
	if (n)
		qsort_r(part, n, sizeof *part, annotation_by_most, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (annotation_counts(w, &part[i].most))
			put_mapping(w, &part[i]);
	vec_free(&part, &cap, sizeof *part);
}
