/* prof list: the events of this machine, by kind, and which of them this user may not open. */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/columns.h"
#include "lib/msg.h"
#include "lib/sink.h"
#include "lib/text.h"
#include "sample/events/event_catalogue.h"
#include "sample/events/event_list.h"
#include "sample/events/trace_format.h"
#include "sample/events/tracefs.h"

enum { JSON = 300, FORMAT_BYTES = 16384 };

static const struct option table[] = {
	{ JSON, "json", "print JSON" },
	{ 'v', "verbose", "show the fields of tracepoints, which --filter and --leaf take" },
	{ 'h', "help", "show this help" },
	{ 0 },
};

struct listing {
	struct sink out;
	struct arena arena;
	const char *kind;          /* of the last event */
	bool json, fields;
	char *format;              /* FORMAT_BYTES */
	unsigned n;
};

/* Calls PUT with each field of the tracepoint. */
static void
each_field(struct listing *l, const struct event_entry *e, void (*put)(struct listing *, const struct trace_field *, unsigned nth))
{
	const char *text = l->format;
	struct trace_field f;
	unsigned n = 0;

	if (!e->system || !tracefs_format(e->system, e->system + strlen(e->system) + 1, l->format, FORMAT_BYTES))
		return;
	while (trace_format_next(&text, &f))
		put(l, &f, n++);
}

static const char *
kind_of(const struct trace_field *f)
{
	static const char *const words[] = { "number", "pointer", "text", "text", "bytes" };

	return words[f->kind];
}

static void
field_line(struct listing *l, const struct trace_field *f, unsigned nth)
{
	(void)nth;
	sink_fmt(&l->out, "      %s: %s of %u byte%s%s\n", f->name, kind_of(f), f->size, plural(f->size), f->is_signed && f->kind == TRACE_NUMBER ? ", signed" : "");
}

static void
field_json(struct listing *l, const struct trace_field *f, unsigned nth)
{
	sink_str(&l->out, nth ? ", " : ", \"fields\": [");
	sink_str(&l->out, "{\"name\": ");
	sink_json(&l->out, f->name);
	sink_fmt(&l->out, ", \"kind\": \"%s\", \"size\": %u}", kind_of(f), f->size);
}

static void
put_json(struct listing *l, const struct event_entry *e)
{
	uint64_t before;

	sink_fmt(&l->out, "%s\n  {\"kind\": \"%s\", \"name\": ", l->n ? "," : "[", e->kind);
	sink_json(&l->out, e->name);
	sink_fmt(&l->out, ", \"opens\": %s", e->form ? "null" : e->refused ? "false" : "true");
	if (e->refused) {
		sink_str(&l->out, ", \"why\": ");
		sink_json(&l->out, e->refused);
	}
	if (e->what) {
		sink_str(&l->out, ", \"description\": ");
		sink_json(&l->out, e->what);
	}
	before = l->out.len + l->out.flushed;
	if (l->fields)
		each_field(l, e, field_json);
	if (l->out.len + l->out.flushed > before)
		sink_char(&l->out, ']');
	sink_char(&l->out, '}');
}

static void
put_line(struct listing *l, const struct event_entry *e)
{
	unsigned used;

	if (!l->kind || strcmp(l->kind, e->kind))
		sink_fmt(&l->out, "%s%s\n", l->kind ? "\n" : "", e->kind);
	sink_fmt(&l->out, "%s ", e->refused ? "  -" : "   ");
	used = columns_cut(&l->out, e->name, 0);
	if (e->refused || e->what) {
		columns_pad(&l->out, used < 36 ? 36 - used : 1);
		columns_cut(&l->out, e->refused ? e->refused : e->what, 0);
	}
	sink_char(&l->out, '\n');
	if (l->fields)
		each_field(l, e, field_line);
}

static void
put(void *listing, const struct event_entry *e)
{
	struct listing *l = listing;

	(l->json ? put_json : put_line)(l, e);
	l->kind = e->kind;
	l->n++;
}

/* Says that there is no such event, and names the nearest. */
static void
say_none(const char *name, struct arena *a)
{
	const char *why = event_why_none(name, a);

	if (why)
		error("%s", why);
	else
		error("no event is called '%s'; prof list names all of them", name);
}

static int
cmd_list(int argc, char **argv)
{
	struct listing l = { .json = false };
	struct options o;
	const char *why;
	int id, n = 0;

	options_open(&o, table, argc, argv);
	while ((id = options_next_or_word(&o, &n)) != OPTION_END) {
		if (id == 'h')
			return EXIT_HELP;
		if (id == OPTION_BAD)
			return EXIT_FAILED;
		l.json |= id == JSON;
		l.fields |= id == 'v';
	}
	if (n > 1) {
		error("prof list takes one pattern; write it in quotes if it has a *");
		return EXIT_FAILED;
	}
	if (!(l.format = arena_alloc(&l.arena, FORMAT_BYTES))) {
		error("out of memory");
		return EXIT_FAILED;
	}
	sink_open(&l.out, STDOUT_FILENO);
	why = event_catalogue(n ? argv[1] : NULL, put, &l, &l.arena);
	if (l.json)
		sink_str(&l.out, l.n ? "\n]\n" : "[]\n");
	if (sink_close(&l.out)) {
		error("stdout: %s", strerror(l.out.err));
		return EXIT_FAILED;
	}
	if (why)
		warn("the kernel's tracepoints are not in this list: prof %s", why);
	else if (!l.n && n)
		say_none(argv[1], &l.arena);
	arena_free(&l.arena);
	return !l.n && n ? EXIT_FAILED : 0;
}

const struct command command_list = { .name = "list", .synopsis = "[GLOB]",
	.summary = "list the events of this machine, and which of them you may not use", .options = table, .run = cmd_list };
