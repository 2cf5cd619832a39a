/* See help.h. */
#include "help.h"

#include <string.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/sink.h"
#include "out/formats.h"
#include "sample/events/event_named.h"

static void
pad(struct sink *out, size_t n, size_t width)
{
	do
		sink_char(out, ' ');
	while (++n < width);
}

static void
put_option(struct sink *out, const struct option *o)
{
	char left[64];
	size_t n;
	struct sink text;

	sink_open(&text, -1);
	if (o->id < 256)
		sink_fmt(&text, "  -%c%s", o->id, *o->form ? ", " : "");
	else
		sink_str(&text, "      ");
	if (*o->form)
		sink_fmt(&text, "--%.*s", (int)option_name(o), o->form);
	if (option_argument(o))
		sink_fmt(&text, " %s", option_argument(o));
	n = text.len < sizeof left ? text.len : sizeof left;
	sink_put(out, text.buf, n);
	sink_close(&text);
	pad(out, n, 31);
	sink_fmt(out, "%s\n", o->help);
}

/* Lists the formats by the suffixes of file names. */
static void
put_formats(struct sink *out)
{
	for (const struct format *const *f = formats; *f; f++) {
		sink_fmt(out, "  %s", (*f)->suffixes);
		pad(out, 2 + strlen((*f)->suffixes), 24);
		sink_fmt(out, "-f %s", (*f)->name);
		pad(out, 3 + strlen((*f)->name), 15);
		sink_fmt(out, "%s\n", (*f)->what);
	}
	sink_str(out, "Add .gz to any of these suffixes, and prof compresses the file.\n");
}

/* Many to a line. */
static void
put_events(struct sink *out)
{
	size_t column = 0;

	const char *name;

	for (unsigned i = 0; (name = event_generic(i)); i++) {
		size_t n = 1 + strlen(name);

		if (column + n > 100)
			column = 0;
		sink_fmt(out, column ? " %s" : i ? "\n  %s" : "  %s", name);
		column += n;
	}
	sink_char(out, '\n');
}

static void
put_all(struct sink *out, const struct command *const *commands)
{
	sink_str(out, "prof: where does the time go?\n\n"
	              "  prof COMMAND [ARG...]               profile a command until it ends\n"
	              "  prof -p PID -d 10 -o out.html       attach to a process for ten seconds\n"
	              "  prof -n NAME | -t TID | -a          by name, single threads, the whole system\n\n"
	              "The suffix of -o FILE is its format:\n\n");
	put_formats(out);
	sink_char(out, '\n');
	for (const struct command *const *c = commands; *c; c++) {
		sink_fmt(out, "  prof %s %s", (*c)->name, (*c)->synopsis);
		pad(out, 8 + strlen((*c)->name) + strlen((*c)->synopsis), 50);
		sink_fmt(out, "%s\n", (*c)->summary);
	}
	sink_str(out, "\nprof help record lists the options.\n");
}

static void
put_command(struct sink *out, const struct command *c)
{
	bool writes = false, samples = false;

	sink_fmt(out, "prof %s %s\n    %s\n", c->name, c->synopsis, c->summary);
	if (!c->options)
		return;
	sink_char(out, '\n');
	for (const struct option *o = c->options; o->id; o++) {
		put_option(out, o);
		writes |= strcmp(o->form, "format=NAME") == 0;
		samples |= strcmp(o->form, "event=LIST") == 0;
	}
	if (writes) {
		sink_str(out, "\nformats:\n");
		put_formats(out);
	}
	if (samples) {
		sink_str(out, "\nevents that prof knows on every machine (each machine has more):\n");
		put_events(out);
	}
}

/* Closes the output, and returns the exit status. */
static int
written(struct sink *out)
{
	if (!sink_close(out))
		return 0;
	error("stdout: %s", strerror(out->err));
	return EXIT_FAILED;
}

int
help_all(int fd, const struct command *const *commands)
{
	struct sink out;

	sink_open(&out, fd);
	put_all(&out, commands);
	return written(&out);
}

int
help_command(const struct command *c)
{
	struct sink out;

	sink_open(&out, STDOUT_FILENO);
	put_command(&out, c);
	return written(&out);
}
