/* The table of commands, and the help that is made from it and from the tables of options. */
#include "command.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/sink.h"
#include "sample/rights/sandbox.h"
#include "cmd/options/options.h"

static const struct command commands[] = {
	{ "record", "[OPTIONS] [--] COMMAND [ARG...]", "profile a command, processes or the system (may be left out)",
	  &record_options, cmd_record },
	{ "report", "[OPTIONS] FILE...", "show profiles, filter, join and convert them", &report_options, cmd_report },
	{ "diff", "[OPTIONS] BEFORE AFTER", "what became more and what less", &diff_options, cmd_diff },
	{ "annotate", "[OPTIONS] FILE|COMMAND FUNCTION", "a function by source line and instruction; also -p PID, with record's options",
	  &annotate_options, cmd_annotate },
	{ "demangle", "[-i] [NAME...]", "C++ and Rust names, or the text on stdin, like c++filt", &demangle_options, cmd_demangle },
	{ "addr2line", "-e FILE [-fiaps] [-C] [ADDR...]", "functions and lines of addresses, like binutils' addr2line",
	  &addr2line_options, cmd_addr2line },
	{ "symbolize", "[OPTIONS] FILE... -o OUT", "names for what --raw-addresses wrote, perhaps elsewhere",
	  &symbolize_options, cmd_symbolize },
	{ "doctor", "[-p PID] [--json]", "what works here and now, what blocks the rest, and what mends it", &doctor_options, cmd_doctor },
	{ "help", "[COMMAND]", "this, or all about one command", NULL, cmd_help },
	{ "version", "[-v]", "the version; -v: what is built in, and its licences", NULL, cmd_version },
	{ 0 },
};

/* Words that the command line keeps for commands to come: not taken for programs to profile. */
static const char *const reserved[] = { "top",     "stat",      "list",     "trace",     "probe",
	                                "serve", NULL };

static const struct command *
command_named(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static void
pad(struct sink *out, size_t n, size_t width)
{
	do
		sink_char(out, ' ');
	while (++n < width);
}

static void
help_option(struct sink *out, const struct option *o)
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

static void
help_all(struct sink *out)
{
	sink_str(out, "prof: where does the time go?\n\n"
	              "  prof COMMAND [ARG...]               profile a command until it ends\n"
	              "  prof -p PID -d 10 -o out.html       attach to a process for ten seconds\n"
	              "  prof -n NAME | -t TID | -a          by name, single threads, the whole system\n\n"
	              "out.html opens in any browser; .svg is a flame graph, .json for speedscope, .pb.gz for pprof, .folded\n"
	              "for flame-graph tools, .txt a table.\n\n");
	for (const struct command *c = commands; c->name; c++) {
		sink_fmt(out, "  prof %s %s", c->name, c->synopsis);
		pad(out, 8 + strlen(c->name) + strlen(c->synopsis), 50);
		sink_fmt(out, "%s\n", c->summary);
	}
	sink_str(out, "\nprof help record lists the options.\n");
}

static void
help_one(struct sink *out, const struct command *c)
{
	sink_fmt(out, "prof %s %s\n    %s\n", c->name, c->synopsis, c->summary);
	if (!c->options)
		return;
	sink_char(out, '\n');
	for (const struct option *o = *c->options; o->id; o++)
		help_option(out, o);
}

int
cmd_help(int argc, char **argv)
{
	const struct command *c = argc > 1 && argv[1][0] != '-' ? command_named(argv[1]) : NULL;
	struct sink out;

	if (argc > 1 && argv[1][0] != '-' && !c) {
		error("no help on '%s': prof help lists the commands", argv[1]);
		return EXIT_FAILED;
	}
	sink_open(&out, STDOUT_FILENO);
	if (c)
		help_one(&out, c);
	else
		help_all(&out);
	if (sink_close(&out)) {
		error("stdout: %s", strerror(out.err));
		return EXIT_FAILED;
	}
	return 0;
}

int
cmd_dispatch(int argc, char **argv)
{
	const struct command *c = argc > 1 ? command_named(argv[1]) : NULL;
	int fd;

	while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)   /* no file must take a closed one's place */
		;
	close(fd);
	sandbox_borrow();
	if (argc < 2) {
		struct sink out;

		sink_open(&out, STDERR_FILENO);
		help_all(&out);
		sink_close(&out);
		return EXIT_FAILED;
	}
	if (!c && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return cmd_help(1, argv);
	if (!c && strcmp(argv[1], "--version") == 0)
		return cmd_version(1, argv);
	for (const char *const *word = reserved; !c && *word; word++)
		if (strcmp(*word, argv[1]) == 0) {
			error("%s is not in this version; for a program of that name: prof -- %s", *word, *word);
			return EXIT_FAILED;
		}
	if (!c) {
		argv[0] = (char[]){ "record" };
		return cmd_record(argc, argv);
	}
	for (int i = 2; i < argc && c->run != cmd_record && strcmp(argv[i], "--"); i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return cmd_help(2, argv);
	return c->run(argc - 1, argv + 1);
}
