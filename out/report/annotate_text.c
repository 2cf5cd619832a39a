/* See annotate_text.h.  Shares come first: parts of what the function weighs with all that it calls.  Then comes the source's
 * line or the instruction.  It shows only what weighs something, and what stands around that. */
#include "annotate_text.h"

#include <string.h>

#include "annotate_columns.h"
#include "annotate_instructions.h"
#include "annotate_lines.h"

static void
words(struct annotation_writing *w, uint64_t weight)
{
	struct columns_cell share = columns_number(table_permille(weight, w->t.sum), 1), much = table_amount(&w->t, weight);

	columns_right(w->t.out, &share, 0);
	sink_str(w->t.out, "% (");
	columns_right(w->t.out, &much, 0);
	sink_char(w->t.out, ')');
}

static void
put_head(struct annotation_writing *w, const char *event)
{
	const struct called *c = &w->a->called[w->a->chosen];
	const char *module = annotation_module(w);

	w->t.sum = w->a->sum;
	table_ink(&w->t, "1");
	columns_cut(w->t.out, c->name, annotation_room(w, columns_of(module) + 4));
	sink_str(w->t.out, function_suffix(c->kernel ? FUNCTION_KERNEL : FUNCTION_USER));
	table_ink(&w->t, "0");
	if (*module && !c->kernel) {
		sink_str(w->t.out, " (");
		columns_cut(w->t.out, module, 0);
		sink_char(w->t.out, ')');
	}
	sink_str(w->t.out, "\nof all ");
	columns_cut(w->t.out, event, 0);
	sink_str(w->t.out, ": itself ");
	words(w, c->weight.self);
	sink_str(w->t.out, w->view->width && w->view->width < 80 ? ",\nwith what it calls " : ", with what it calls ");
	words(w, c->weight.total);
	sink_char(w->t.out, '\n');
	w->t.sum = c->weight.total;
}

/* perf's modifiers behind the last colon or slash; NULL if there are none. */
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
	/* Whether it is an event of the processor: raw, of a PMU, or of a cache. */
	return name[n] == '/' || (*name == 'r' && n > 1 && strspn(name + 1, "0123456789abcdefABCDEF") == n - 1) ||
	       strstr(name, "-load") || strstr(name, "-store") || strstr(name, "-prefetch");
}

static void
put_aside(struct annotation_writing *w, const char *event)
{
	bool skids = event_skids(event) && !annotation_interpreted(w->a), narrow = w->view->width && w->view->width < 80;

	if (!w->view->instructions || (!skids && !w->view->aside))
		return;
	table_ink(&w->t, "2");
	if (skids) {
		columns_cut(w->t.out, event, 0);
		sink_fmt(w->t.out, " skids:%sthe time of an instruction is shown%sat the one that comes after it.\n", narrow ? "\n" : " ", narrow ? "\n" : " ");
	}
	if (w->view->aside) {
		columns_cut(w->t.out, w->view->aside, 0);
		sink_char(w->t.out, '\n');
	}
	table_ink(&w->t, "0");
}

void
annotation_write(struct sink *out, const struct annotation *a, const struct annotation_view *view, uint32_t event)
{
	const struct profile *p = a->p;
	const char *name = event < p->nevent ? p->event[event].name : "samples";
	struct annotation_writing w = { .a = a, .view = view };

	w.t = (struct table){ .p = p, .out = out, .how = { .colour = view->colour, .width = view->width } };
	w.t.period = event < p->nevent ? p->event[event].period_ns : 0;
	put_head(&w, name);
	put_aside(&w, name);
	if (view->lines)
		annotation_lines(&w);
	if (view->instructions && !annotation_interpreted(a))
		annotation_instructions(&w);
}
