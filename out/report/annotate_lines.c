/* See annotate_lines.h. */
#include "annotate_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAB = 8 };

/* Writes the text with blanks for tabs. */
static void
put_source(struct annotation_writing *w, const char *text, size_t n, unsigned width)
{
	char plain[ANNOTATION_TEXT_MAX];
	size_t k = 0;

	while (n && (text[n - 1] == '\r' || text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	for (size_t i = 0; i < n && k + TAB < sizeof plain; i++) {
		size_t blanks = text[i] == '\t' ? TAB - k % TAB : !text[i];

		if (!blanks)
			plain[k++] = text[i];
		for (; blanks; blanks--)
			plain[k++] = ' ';
	}
	plain[k] = 0;
	columns_cut(w->t.out, plain, width);
}

static const char *
source(const struct annotation_writing *w, const char *file, uint32_t line, size_t *n)
{
	return w->view->source && file && line ? w->view->source(w->view->ctx, file, line, n) : NULL;
}

/* Writes a line of the file, which may weigh nothing; false if there is nothing to write about it. */
static bool
put_line(struct annotation_writing *w, const char *file, uint32_t line, const struct weight *weight)
{
	size_t n = 0;
	const char *text = source(w, file, line, &n);
	struct columns_cell number_of = { "", 0 };

	if (!text && !weight)
		return false;
	annotation_shares(w, weight);
	number_of.n = (unsigned)snprintf(number_of.text, sizeof number_of.text, "%u", line);
	columns_right(w->t.out, &number_of, 8);
	if (text && n) {
		columns_pad(w->t.out, 2);
		put_source(w, text, n, annotation_room(w, ANNOTATION_SHARES + 10));
	}
	sink_char(w->t.out, '\n');
	return true;
}

/* Writes the lines from FIRST to LAST; those in [I, HI) weigh something. */
static void
put_stretch(struct annotation_writing *w, const struct annotation_part *p, uint32_t i, uint32_t first, uint32_t last)
{
	const struct source_line *line = w->a->line;

	while (i > p->lo && line[i - 1].line >= first)
		i--;
	for (uint32_t n = first; n <= last && n >= first; n++) {
		const struct weight *weight = NULL;

		while (i < p->hi && line[i].line < n)
			i++;
		if (i < p->hi && line[i].line == n)
			weight = &line[i].weight;
		put_line(w, line[p->lo].file, n, weight && weight->total ? weight : NULL);
	}
}

static void
put_file(struct annotation_writing *w, const struct annotation_part *p)
{
	const struct source_line *line = w->a->line;
	const char *file = line[p->lo].file;
	uint32_t context = w->view->context, shown = 0;
	size_t n;
	bool known = false;

	for (uint32_t i = p->lo; i < p->hi && !known; i++)
		known = source(w, file, line[i].line, &n) != NULL;
	sink_char(w->t.out, '\n');
	table_ink(&w->t, "1");
	sink_str(w->t.out, "   self  total    line  ");
	columns_cut(w->t.out, file, 0);
	table_ink(&w->t, "0");
	sink_str(w->t.out, known ? "\n" : "  (source not found: --source-dir DIR)\n");
	for (uint32_t i = p->lo; i < p->hi; i++) {
		uint32_t first = line[i].line > context ? line[i].line - context : 1, last = line[i].line;

		if (!annotation_counts(w, &line[i].weight))
			continue;
		if (!known)
			first = last;
		for (uint32_t k = i; k < p->hi && line[k].line <= last + 2 * context + 1; k++)
			if (annotation_counts(w, &line[k].weight) && known)
				last = line[k].line;
		if (shown && first > shown + 1)
			annotation_gap(w);
		first = first > shown ? first : shown + 1;
		shown = known && last <= UINT32_MAX - context ? last + context : last;
		put_stretch(w, p, i, first, shown);
		while (i + 1 < p->hi && line[i + 1].line <= last)
			i++;
	}
}

/* Writes what has no line. */
static void
put_lineless(struct annotation_writing *w, const struct annotation_part *p)
{
	if (!annotation_counts(w, &p->most))
		return;
	sink_char(w->t.out, '\n');
	annotation_shares(w, &p->most);
	sink_str(w->t.out, "  prof knows none of its lines");
	if (!w->a->called[w->a->chosen].kernel)
		sink_str(w->t.out, ": it needs debug information (cc -g, or --debug-dir)");
	sink_char(w->t.out, '\n');
}

void
annotation_lines(struct annotation_writing *w)
{
	const struct annotation *a = w->a;
	struct annotation_part *part = NULL;
	uint32_t n = 0, cap = 0;

	if (!vec_room(&part, &cap, a->nline, sizeof *part)) {
		sink_fail(w->t.out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < a->nline; i++) {
		const char *file = a->line[i].file;

		if (!i || !file || !a->line[i - 1].file || strcmp(file, a->line[i - 1].file) != 0)
			part[n++] = (struct annotation_part){ .lo = i };
		part[n - 1].hi = i + 1;
		annotation_add_most(&part[n - 1], &a->line[i].weight);
	}
	qsort_r(part, n, sizeof *part, annotation_by_most, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (!a->line[part[i].lo].file)
			put_lineless(w, &part[i]);
		else if (annotation_counts(w, &part[i].most))
			put_file(w, &part[i]);
	vec_free(&part, &cap, sizeof *part);
}
