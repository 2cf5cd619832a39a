/* prof diff: compares two profiles, as a table or a picture, and as a gate: if something grew too much, the exit status says
 * so. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "cmd/capture/inputs.h"
#include "lib/msg.h"
#include "out/profile/filter.h"
#include "out/report/report_diff.h"
#include "cmd/options/outputs.h"
#include "cmd/options/picture.h"
#include "cmd/options/terminal.h"
#include "out/formats.h"
#include "out/profile/profile_names.h"

enum { FAIL_IF = 300, MIN, TOP, GATES_MAX = 32, EXIT_GREW = 1 };

static const struct option options[] = {
	{ FAIL_IF, "fail-if='NAME>P%'", "exit 1 if NAME's share of the total grew by more than P percentage points; repeatable" },
	{ FAIL_IF, "fail-if='total>P%'", "exit 1 if the total grew by more than P percent" },
	{ 'e', "event=NAME", "compare this event, if there are several" },
	{ MIN, "min=PERCENT", "leave out functions that changed by fewer percentage points (0.01)" },
	{ TOP, "top=N", "show at most N rows (20 on a terminal, else all)" },
	{ 'o', "output=FILE", "write the table (.txt), or AFTER's picture (.svg, .html): red grew, blue shrank" },
	{ 'f', "format=NAME", "write this format, for any suffix" },
	PICTURE_OPTIONS,
	{ 'q', "quiet", "print only errors and each --fail-if that failed" },
	{ 0 },
};

/* A function, or the total, that may not grow too much. */
struct gate {
	const char *text;          /* as it was given */
	const char *name;
	struct regex *pattern;     /* or NULL */
	bool whole;                /* the total, in parts of what it was */
	int64_t limit;             /* parts of SHARE */
};

struct comparing {
	struct options o;
	struct arena arena;
	struct report how;
	struct gate gate[GATES_MAX];
	unsigned gates;
	const char *event, *format, *file[OUTPUTS_MAX];
	unsigned files;
	bool top_given;
	int inputs;
	struct output output[OUTPUTS_MAX];
	unsigned noutput;
	const char *name[2];
	struct inputs in;
	struct profile profile[2];
	struct diff diff;
	struct picture picture;
	char title[256];
};

/* NAME>P%: splits at the last ">", because names in C++ have some. */
static bool
add_gate(struct comparing *c)
{
	const char *text = c->o.value, *more = strrchr(text, '>'), *p = more ? more + 1 : "", *why;
	struct gate *g = &c->gate[c->gates];
	uint64_t v;

	while (*p == ' ')
		p++;
	if (!more || more == text || !text_decimal(&p, 7, &v) || strcmp(p, "%") || v > INT64_MAX) {
		error("--fail-if '%s': write it as 'NAME>P%%' or 'total>P%%'", text);
		return false;
	}
	if (c->gates++ == GATES_MAX) {
		error("--fail-if: too many; at most %d are possible", GATES_MAX);
		return false;
	}
	while (more > text + 1 && more[-1] == ' ')
		more--;
	g->text = text;
	g->limit = (int64_t)v;
	g->name = arena_str(&c->arena, text, (size_t)(more - text));
	if (!g->name)
		return false;
	g->whole = strcmp(g->name, "total") == 0;
	g->pattern = regex_new(&c->arena, g->name, &why);   /* a name need not be a pattern */
	return true;
}

static bool
take(void *comparing, const struct options *o, int id)
{
	struct comparing *c = comparing;
	uint64_t v;

	switch (id) {
	case FAIL_IF:
		return add_gate(c);
	case 'e':
		c->event = o->value;
		return true;
	case MIN:
		return option_percent(o, &c->how.min);
	case TOP:
		c->top_given = true;
		if (!option_number(o, 0, UINT32_MAX, &v))
			return false;
		c->how.top = (unsigned)v;
		return true;
	case 'o':
		if (c->files < OUTPUTS_MAX)
			c->file[c->files++] = o->value;
		return true;
	case 'f':
		c->format = o->value;
		return true;
	default:
		return picture_take(&c->picture, o, id);
	}
}

static bool
resolve_outputs(struct comparing *c)
{
	const struct format *given;

	if (!outputs_format(c->format, &given))
		return false;
	if (!c->files && given)
		c->file[c->files++] = "-";
	for (unsigned i = 0; i < c->files; i++)
		if (!outputs_add(&c->output[c->noutput++], c->file[i], given, &format_table))
			return false;
	return true;
}

static uint32_t
event_called(const struct profile *p, const char *name)
{
	uint32_t i = 0;

	while (i < p->nevent && strcmp(p->event[i].name, name) != 0)
		i++;
	return i;
}

static bool
no_event(const struct comparing *c, unsigned which)
{
	error("-e %s: there is no such event in %s", c->event, c->name[which]);
	return false;
}

/* Chooses the event that both have, or, if each has only one, those two. */
static bool
choose_events(const struct comparing *c, uint32_t *event)
{
	const struct profile *before = &c->profile[BEFORE], *after = &c->profile[AFTER];
	const struct event_info *a, *b;

	if (c->event) {
		for (unsigned which = BEFORE; which <= AFTER; which++)
			if ((event[which] = event_called(&c->profile[which], c->event)) == c->profile[which].nevent)
				return no_event(c, which);
	} else {
		for (event[AFTER] = 0; event[AFTER] < after->nevent; event[AFTER]++)
			if ((event[BEFORE] = event_called(before, after->event[event[AFTER]].name)) < before->nevent)
				break;
		if (event[AFTER] == after->nevent)
			event[BEFORE] = event[AFTER] = 0;
	}
	a = &before->event[event[BEFORE]];
	b = &after->event[event[AFTER]];
	if (!a->period_ns == !b->period_ns && (a->period_ns || strcmp(a->name, b->name) == 0)) {
		if (!c->event && (before->nevent > 1 || after->nevent > 1))
			warn("prof compares the event %s; use -e NAME for another one", b->name);
		return true;
	}
	error("prof cannot compare them: %s has %s (%s), but %s has %s (%s)", c->name[BEFORE],
	      a->period_ns ? "time" : "counts", a->name, c->name[AFTER], b->period_ns ? "time" : "counts", b->name);
	return false;
}

/* Leaves all other events out. */
static bool
keep_event(struct profile *p, uint32_t event)
{
	struct filter f = { .events = (uint64_t)1 << event };
	struct profile kept;

	if (p->nevent < 2)
		return true;
	if (!filter_copy(&kept, p, &f)) {
		profile_free(&kept);
		error("out of memory");
		return false;
	}
	profile_free(p);
	*p = kept;
	return true;
}

static bool
read_inputs(struct comparing *c)
{
	uint32_t event[2];

	if (c->inputs != 2) {
		error("prof diff BEFORE AFTER compares two profiles; you gave %d", c->inputs);
		return false;
	}
	for (unsigned which = BEFORE; which <= AFTER; which++)
		c->name[which] = c->o.argv[1 + which];
	if (!inputs_open(&c->in, c->name, 2, c->output, c->noutput))
		return false;
	for (unsigned which = BEFORE; which <= AFTER; which++) {
		profile_init(&c->profile[which]);
		if (!inputs_read(&c->in, which, &c->profile[which]))
			return false;
		profile_name(&c->profile[which], NULL, NULL);
		if (!c->profile[which].samples) {
			error("%s: the profile has no samples", c->name[which]);
			return false;
		}
	}
	return choose_events(c, event) && keep_event(&c->profile[BEFORE], event[BEFORE]) &&
	       keep_event(&c->profile[AFTER], event[AFTER]);
}

static bool
is_called(const struct words *row, const char *name)
{
	size_t n = strlen(row->name);

	return strncmp(row->name, name, n) == 0 && (!name[n] || strcmp(name + n, row_suffix(row)) == 0);
}

static void
tell(const struct gate *g, const char *name, const char *suffix, int64_t growth)
{
	uint64_t parts = (uint64_t)growth / (SHARE / 10000);

	error("--fail-if '%s': %s%s grew by %llu.%02llu%s", g->text, name, suffix, (unsigned long long)(parts / 100),
	      (unsigned long long)(parts % 100), g->whole ? "%" : " points");
}

/* Whether the gate holds, for the functions with just that name, or else for those with a name that matches. */
static bool
gate_holds(const struct comparing *c, const struct gate *g)
{
	bool exact = false, known = false, holds = true;

	if (g->whole) {
		int64_t growth = diff_growth(&c->diff);

		if (growth > g->limit)
			tell(g, "the total", "", growth);
		return growth <= g->limit;
	}
	for (uint32_t i = 0; i < c->diff.n; i++)
		exact |= is_called(&c->diff.item[i].words, g->name);
	for (uint32_t i = 0; i < c->diff.n; i++) {
		const struct difference *d = &c->diff.item[i];
		int64_t growth = d->total[AFTER] - d->total[BEFORE];

		if (exact ? !is_called(&d->words, g->name) : !g->pattern || !regex_find(g->pattern, d->words.name))
			continue;
		known = true;
		if (growth > g->limit) {
			tell(g, d->words.name, row_suffix(&d->words), growth);
			holds = false;
		}
	}
	if (!known)
		error("--fail-if '%s': neither profile has a function of that name, so this check passes", g->text);
	return holds;
}

static void
write_table(struct sink *out, const void *ctx)
{
	const struct comparing *c = ctx;
	struct diff diff = c->diff;   /* the order of its items may change */
	struct screen screen;
	struct sink shown;

	screen_open(&screen, &shown, out, c->how.width, c->how.ascii);
	diff_write(&shown, &diff, &c->how, c->name);
	if (sink_close(&shown))
		sink_fail(out, shown.err);
}

static bool
write_one(struct comparing *c, struct output *out)
{
	struct place_words words;
	const char *why;

	if (out->format != &format_table)
		return outputs_all(out, 1, &c->profile[AFTER]);
	if ((why = output_text(out, write_table, c, &words)))
		error("%s: %s", strcmp(out->path, "-") ? out->path : "stdout", why);
	return !why;
}

static bool
write_all(struct comparing *c)
{
	struct output screen = { .path = "-", .format = &format_table };
	bool all = true;

	if (!c->picture.title) {
		snprintf(c->title, sizeof c->title, "%.100s, compared with %.100s", c->name[AFTER], c->name[BEFORE]);
		c->picture.title = c->title;
	}
	c->profile[AFTER].picture = c->picture;
	if (c->noutput && !diff_deltas(&c->diff, &c->profile[AFTER])) {
		error("out of memory");
		return false;
	}
	for (unsigned i = 0; i < c->noutput; i++)
		all &= write_one(c, &c->output[i]);
	outputs_tell(c->output, c->noutput);
	if (!c->noutput && msg_level >= 0) {
		unsigned top = c->how.top;

		terminal_report(&c->how, 20);
		c->how.top = c->top_given ? top : c->how.top;
		all = write_one(c, &screen);
	}
	return all;
}

static int
cmd_diff(int argc, char **argv)
{
	static struct comparing c;
	bool holds = true, written;
	int status;

	input_cap();
	options_open(&c.o, options, argc, argv);
	if ((status = options_read(&c.o, &c.inputs, take, &c)))
		return status;
	if (!resolve_outputs(&c) || !read_inputs(&c)) {
		inputs_close(&c.in);
		return EXIT_FAILED;
	}
	if (!diff_open(&c.diff, (const struct profile *[]){ &c.profile[BEFORE], &c.profile[AFTER] })) {
		error("out of memory");
		return EXIT_FAILED;
	}
	written = write_all(&c);
	for (unsigned i = 0; i < c.gates; i++)
		holds &= gate_holds(&c, &c.gate[i]);
	inputs_close(&c.in);
	return !written ? EXIT_FAILED : holds ? 0 : EXIT_GREW;
}

const struct command command_diff = { .name = "diff", .synopsis = "[OPTIONS] BEFORE AFTER",
	.summary = "compare two profiles: what grew, and what shrank",
	.options = options, .run = cmd_diff };
