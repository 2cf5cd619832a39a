/* See annotate.h: the text.  Shares come first, of what the function weighs with all that it calls; then the source's line
 * or the instruction.  Only what weighs something is shown, and what stands around it. */
#include "annotate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

enum { TAB = 8, TEXT_MAX = 1024, SHARES = 14, INSTRUCTION_MAX = 16, NOTE_FROM = 40, NAME_SHORT = 40, WIDE = 140 };

struct writing {
	struct table t;
	const struct annotation *a;
	const struct annotation_view *view;
	char note[TEXT_MAX];       /* of the instruction before, as far as it had one */
};

/* Lines of one file, or instructions of one mapping. */
struct part {
	uint32_t lo, hi;
	struct weight most;
};

/* The columns that are left behind USED ones; 0: all. */
static unsigned
room(const struct writing *w, unsigned used)
{
	return !w->view->width ? 0 : w->view->width > used + 8 ? w->view->width - used : 8;
}

static void
words(struct writing *w, uint64_t weight)
{
	struct cell share = number(permille(weight, w->t.sum), 1), much = amount(&w->t, weight);

	put_right(w->t.out, &share, 0);
	sink_str(w->t.out, "% (");
	put_right(w->t.out, &much, 0);
	sink_char(w->t.out, ')');
}

static const char *
module_of(const struct writing *w)
{
	for (uint32_t i = 0; i < w->a->p->nfunction; i++)
		if (w->a->which[i] == w->a->chosen && *w->a->p->function[i].module)
			return w->a->p->function[i].module;
	return "";
}

static void
put_head(struct writing *w, const char *event)
{
	const struct called *c = &w->a->called[w->a->chosen];
	const char *module = module_of(w);

	w->t.sum = w->a->sum;
	ink(&w->t, "1");
	put_cut(w->t.out, c->name, room(w, columns(module) + 4));
	sink_str(w->t.out, function_suffix(c->kernel ? FUNCTION_KERNEL : FUNCTION_USER));
	ink(&w->t, "0");
	if (*module && !c->kernel) {
		sink_str(w->t.out, " (");
		put_cut(w->t.out, module, 0);
		sink_char(w->t.out, ')');
	}
	sink_str(w->t.out, "\nof all ");
	put_cut(w->t.out, event, 0);
	sink_str(w->t.out, ": itself ");
	words(w, c->weight.self);
	sink_str(w->t.out, ", with what it calls ");
	words(w, c->weight.total);
	sink_char(w->t.out, '\n');
	w->t.sum = c->weight.total;
}

/* Two shares, or as many blanks. */
static void
put_shares(struct writing *w, const struct weight *weight)
{
	unsigned share = weight ? permille(weight->self, w->t.sum) : 0;

	if (!weight || !weight->total) {
		pad(w->t.out, SHARES);
		return;
	}
	if (share)
		ink(&w->t, share >= 200 ? "31" : share >= 50 ? "33" : "32");
	put_percent(&w->t, weight->self);
	if (share)
		ink(&w->t, "0");
	put_percent(&w->t, weight->total);
}

static bool
counts(const struct writing *w, const struct weight *weight)
{
	return weight->total && !below(weight->total, w->t.sum, w->view->min);
}

static void
add_most(struct part *p, const struct weight *weight)
{
	if (weight->total > p->most.total)
		p->most.total = weight->total;
	p->most.self += weight->self;
}

static int
by_most(const void *va, const void *vb, void *ctx)
{
	const struct part *a = va, *b = vb;

	(void)ctx;
	if (a->most.self != b->most.self)
		return a->most.self < b->most.self ? 1 : -1;
	if (a->most.total != b->most.total)
		return a->most.total < b->most.total ? 1 : -1;
	return (a->lo > b->lo) - (a->lo < b->lo);
}

/* ---- source ---- */

/* With blanks for tabs. */
static void
put_source(struct writing *w, const char *text, size_t n, unsigned width)
{
	char plain[TEXT_MAX];
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
	put_cut(w->t.out, plain, width);
}

static const char *
source(const struct writing *w, const char *file, uint32_t line, size_t *n)
{
	return w->view->source && file && line ? w->view->source(w->view->ctx, file, line, n) : NULL;
}

/* A line of the file, which may weigh nothing; false where there is nothing to be said of it. */
static bool
put_line(struct writing *w, const char *file, uint32_t line, const struct weight *weight)
{
	size_t n = 0;
	const char *text = source(w, file, line, &n);
	struct cell number_of = { "", 0 };

	if (!text && !weight)
		return false;
	put_shares(w, weight);
	number_of.n = (unsigned)snprintf(number_of.text, sizeof number_of.text, "%u", line);
	put_right(w->t.out, &number_of, 8);
	if (text && n) {
		pad(w->t.out, 2);
		put_source(w, text, n, room(w, SHARES + 10));
	}
	sink_char(w->t.out, '\n');
	return true;
}

static void
put_gap(struct writing *w)
{
	pad(w->t.out, SHARES);
	sink_str(w->t.out, "     ...\n");
}

/* The lines from FIRST to LAST, of which those in [I, HI) weigh something. */
static void
put_stretch(struct writing *w, const struct part *p, uint32_t i, uint32_t first, uint32_t last)
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
put_file(struct writing *w, const struct part *p)
{
	const struct source_line *line = w->a->line;
	const char *file = line[p->lo].file;
	uint32_t context = w->view->context, shown = 0;
	size_t n;
	bool known = false;

	for (uint32_t i = p->lo; i < p->hi && !known; i++)
		known = source(w, file, line[i].line, &n) != NULL;
	sink_char(w->t.out, '\n');
	ink(&w->t, "1");
	sink_str(w->t.out, "   self  total    line  ");
	put_cut(w->t.out, file, 0);
	ink(&w->t, "0");
	sink_str(w->t.out, known ? "\n" : "  (source not found: --source-dir DIR)\n");
	for (uint32_t i = p->lo; i < p->hi; i++) {
		uint32_t first = line[i].line > context ? line[i].line - context : 1, last = line[i].line;

		if (!counts(w, &line[i].weight))
			continue;
		if (!known)
			first = last;
		for (uint32_t k = i; k < p->hi && line[k].line <= last + 2 * context + 1; k++)
			if (counts(w, &line[k].weight) && known)
				last = line[k].line;
		if (shown && first > shown + 1)
			put_gap(w);
		first = first > shown ? first : shown + 1;
		shown = known && last <= UINT32_MAX - context ? last + context : last;
		put_stretch(w, p, i, first, shown);
		while (i + 1 < p->hi && line[i + 1].line <= last)
			i++;
	}
}

/* What has no line. */
static void
put_lineless(struct writing *w, const struct part *p)
{
	if (!counts(w, &p->most))
		return;
	sink_char(w->t.out, '\n');
	put_shares(w, &p->most);
	sink_str(w->t.out, "  no line is known");
	if (!w->a->called[w->a->chosen].kernel)
		sink_str(w->t.out, ": it wants debug information (cc -g, or --debug-dir)");
	sink_char(w->t.out, '\n');
}

static void
put_lines(struct writing *w)
{
	const struct annotation *a = w->a;
	struct part *part = NULL;
	uint32_t n = 0, cap = 0;

	if (!vec_room(&part, &cap, a->nline, sizeof *part)) {
		sink_fail(w->t.out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < a->nline; i++) {
		const char *file = a->line[i].file;

		if (!i || !file || !a->line[i - 1].file || strcmp(file, a->line[i - 1].file) != 0)
			part[n++] = (struct part){ .lo = i };
		part[n - 1].hi = i + 1;
		add_most(&part[n - 1], &a->line[i].weight);
	}
	qsort_r(part, n, sizeof *part, by_most, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (!a->line[part[i].lo].file)
			put_lineless(w, &part[i]);
		else if (counts(w, &part[i].most))
			put_file(w, &part[i]);
	vec_free(&part, &cap, sizeof *part);
}

/* ---- instructions ---- */

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Whose code it is, and its line. */
static void
make_note(const struct writing *w, const struct instruction *in, char *note, size_t cap)
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

/* Behind what took TOOK of LEFT columns; what stood there last is not said again. */
static void
put_note(struct writing *w, const char *note, unsigned took, unsigned left)
{
	if (!*note || strcmp(note, w->note) == 0 || left <= took + 8)
		return;
	strcpy(w->note, note);
	for (; took < NOTE_FROM && took + 22 < left; took++)
		sink_char(w->t.out, ' ');
	ink(&w->t, "2");
	sink_str(w->t.out, "  ");
	put_cut(w->t.out, note, w->view->width ? left - took - 2 : 0);
	ink(&w->t, "0");
}

static void
put_instruction(struct writing *w, const struct instruction *in)
{
	unsigned width = w->view->width ? w->view->width : WIDE, used, took = 0, left;
	char address[24], note[TEXT_MAX];

	put_shares(w, &in->weight);
	used = (unsigned)snprintf(address, sizeof address, "  %10llx:", (unsigned long long)in->address);
	sink_put(w->t.out, address, used);
	used += SHARES + 2;
	left = width > used + 8 ? width - used : 8;
	make_note(w, in, note, sizeof note);
	if (in->text || *note)
		sink_str(w->t.out, "  ");
	if (in->text)
		took = put_cut(w->t.out, in->text, *note && left > 28 ? left - 20 : left);
	put_note(w, note, took, left);
	sink_char(w->t.out, '\n');
}

static bool
follows(const struct instruction *in)
{
	return in[1].address - in->address <= INSTRUCTION_MAX;
}

/* Whether instruction I is worth a row: it, or one near, weighs enough. */
static bool
is_near(const struct writing *w, const struct part *p, uint32_t i)
{
	const struct instruction *in = w->a->instruction;

	if (counts(w, &in[i].weight))
		return true;
	for (uint32_t k = i, n = 0; n < w->view->context && k > p->lo && follows(&in[k - 1]); n++)
		if (counts(w, &in[--k].weight))
			return true;
	for (uint32_t k = i, n = 0; n < w->view->context && k + 1 < p->hi && follows(&in[k]); n++)
		if (counts(w, &in[++k].weight))
			return true;
	return false;
}

static const char *
mapping_name(const struct writing *w, uint32_t mapping)
{
	const char *module = module_of(w);

	return mapping < w->a->p->nmapping ? w->a->p->mapping[mapping].file : *module ? module : "code without a file";
}

static void
put_mapping(struct writing *w, const struct part *p)
{
	uint32_t shown = NODE_NONE;

	*w->note = 0;
	sink_char(w->t.out, '\n');
	ink(&w->t, "1");
	sink_str(w->t.out, "   self  total     address  ");
	put_cut(w->t.out, mapping_name(w, w->a->instruction[p->lo].mapping), 0);
	ink(&w->t, "0");
	sink_char(w->t.out, '\n');
	for (uint32_t i = p->lo; i < p->hi; i++) {
		if (!is_near(w, p, i))
			continue;
		if (shown != NODE_NONE && (shown + 1 != i || !follows(&w->a->instruction[shown])))
			put_gap(w);
		put_instruction(w, &w->a->instruction[i]);
		shown = i;
	}
}

static void
put_instructions(struct writing *w)
{
	const struct annotation *a = w->a;
	struct part *part = NULL;
	uint32_t n = 0, cap = 0;

	if (!vec_room(&part, &cap, a->ninstruction, sizeof *part)) {
		sink_fail(w->t.out, ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < a->ninstruction; i++) {
		if (!i || a->instruction[i].mapping != a->instruction[i - 1].mapping)
			part[n++] = (struct part){ .lo = i };
		part[n - 1].hi = i + 1;
		add_most(&part[n - 1], &a->instruction[i].weight);
	}
	if (n)
		qsort_r(part, n, sizeof *part, by_most, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (counts(w, &part[i].most))
			put_mapping(w, &part[i]);
	vec_free(&part, &cap, sizeof *part);
}

/* ---- all of it ---- */

/* perf's modifiers behind the last colon or slash; NULL where what stands there is none. */
static const char *
modifiers(const char *name)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	const char *from = colon && (!slash || colon > slash) ? colon + 1 : slash ? slash + 1 : NULL;

	return from && from[strspn(from, "ukhpPSDIWeGH")] == 0 ? from : NULL;
}

bool
event_skids(const char *name)
{
	static const char *const exact[] = { "page-faults", "faults", "minor-faults", "major-faults", "context-switches",
		                             "cs", "cpu-migrations", "migrations", "alignment-faults", "emulation-faults" };
	static const char *const by_time[] = { "cpu", "cycles", "cpu-cycles", "cpu-clock", "task-clock", "instructions",
		                               "branches", "branch-instructions", "branch-misses", "cache-references",
		                               "cache-misses", "bus-cycles", "ref-cycles", "stalled-cycles-frontend",
		                               "stalled-cycles-backend" };
	const char *by = modifiers(name);
	size_t n = strcspn(name, ":/");

	if (by && strpbrk(by, "pP"))
		return false;
	for (unsigned i = 0; i < sizeof exact / sizeof *exact; i++)
		if (strlen(exact[i]) == n && memcmp(exact[i], name, n) == 0)
			return false;
	for (unsigned i = 0; i < sizeof by_time / sizeof *by_time; i++)
		if (strlen(by_time[i]) == n && memcmp(by_time[i], name, n) == 0)
			return true;
	if (name[n] == ':' && !by)   /* a tracepoint, probe */
		return false;
	/* A processor's own: raw, of its PMU, or a cache's. */
	return name[n] == '/' || (*name == 'r' && n > 1 && strspn(name + 1, "0123456789abcdefABCDEF") == n - 1) ||
	       strstr(name, "-load") || strstr(name, "-store") || strstr(name, "-prefetch");
}

static void
put_aside(struct writing *w, const char *event)
{
	bool skids = event_skids(event);

	if (!w->view->instructions || (!skids && !w->view->aside))
		return;
	ink(&w->t, "2");
	if (skids) {
		put_cut(w->t.out, event, 0);
		sink_str(w->t.out, " skids: what an instruction took is shown at the one that comes after it.\n");
	}
	if (w->view->aside) {
		put_cut(w->t.out, w->view->aside, 0);
		sink_char(w->t.out, '\n');
	}
	ink(&w->t, "0");
}

void
annotation_write(struct sink *out, const struct annotation *a, const struct annotation_view *view, uint32_t event)
{
	const struct profile *p = a->p;
	const char *name = event < p->nevent ? p->event[event].name : "samples";
	struct writing w = { .a = a, .view = view };

	w.t = (struct table){ .p = p, .out = out, .how = { .colour = view->colour, .width = view->width } };
	w.t.period = event < p->nevent ? p->event[event].period_ns : 0;
	put_head(&w, name);
	put_aside(&w, name);
	if (view->lines)
		put_lines(&w);
	if (view->instructions)
		put_instructions(&w);
}
