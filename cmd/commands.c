/* See commands.h: adding a command is its file, its name and its row here. */
#include "commands.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "lib/msg.h"
#include "lib/nearest.h"
#include "sample/rights/sandbox.h"
#include "sample/tasks/launch.h"

extern const struct command command_record, command_report, command_diff, command_annotate, command_demangle, command_addr2line,
                            command_symbolize, command_stack, command_stat, command_list, command_latency, command_doctor, command_version;
static const struct command command_help;

static const struct command *const commands[] = {
	&command_record,
	&command_stat,
	&command_list,
	&command_report,
	&command_diff,
	&command_annotate,
	&command_demangle,
	&command_addr2line,
	&command_symbolize,
	&command_stack,
	&command_latency,
	&command_doctor,
	&command_help,
	&command_version,
	NULL,
};

/* Words that are commands of prof or perf, or may become such.  PATH has programs with these names, too, and some would write
 * over the file that follows them (script, archive).  So prof profiles them only if the user plainly says so. */
static const char *const reserved[] = {
	"top", "trace", "probe", "serve", "sched", "lock", "dump", "convert", "merge",
	"script", "test", "bench", "mem", "kmem", "kvm", "kwork", "c2c", "archive", "inject", "data", "evlist", "ftrace", "timechart",
	"config", "daemon", "iostat", "kallsyms", "buildid-cache", "buildid-list", NULL,
};

static const struct command *
command_named(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

static int
help(int argc, char **argv)
{
	bool one = argc > 1 && argv[1][0] != '-';
	const struct command *c = one ? command_named(argv[1]) : NULL;

	if (one && !c) {
		error("prof has no command '%s'; prof help lists the commands", argv[1]);
		return EXIT_FAILED;
	}
	return c ? help_command(c) : help_all(STDOUT_FILENO, commands);
}

static const struct command command_help = { .name = "help", .synopsis = "[COMMAND]", .summary = "show this help, or the help of one command",
	                                     .run = help };

static bool
is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int
run(const struct command *c, int argc, char **argv)
{
	int status;

	for (int i = 1; i < argc && !c->finds_help && strcmp(argv[i], "--"); i++)
		if (is_help(argv[i]))
			return help_command(c);
	if (!c->rights)
		sandbox_give_back();
	status = c->run(argc, argv);
	return status == EXIT_HELP ? help_command(c) : status;
}

/* Whether the word is neither a command nor a program, but looks like a command; then it says which one. */
static bool
is_misspelt(char **argv)
{
	const char *names[sizeof commands / sizeof *commands], *near, *why;
	unsigned n = 0;
	bool number;

	for (const struct command *const *c = commands; *c; c++)
		names[n++] = (*c)->name;
	names[n] = NULL;
	number = *argv[0] && !argv[0][strspn(argv[0], "0123456789")];
	near = nearest(argv[0], names, "");
	if (*argv[0] == '-' || (!near && !number) || launch_check(argv, &why) != 127)
		return false;
	error("%s: no such command; did you mean %s%s?", argv[0], number ? "-p " : "", number ? argv[0] : near);
	return true;
}

int
commands_run(int argc, char **argv)
{
	const struct command *c = argc > 1 ? command_named(argv[1]) : NULL;
	int fd;

	while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)   /* no file may get the number of a closed stdin, stdout or stderr */
		;
	close(fd);
	signal(SIGXFSZ, SIG_IGN);   /* a file over the size limit is an ordinary error */
	sandbox_borrow();
	if (argc < 2) {
		help_all(STDERR_FILENO, commands);
		return EXIT_FAILED;
	}
	if (c)
		return run(c, argc - 1, argv + 1);
	if (is_help(argv[1]))
		return help_all(STDOUT_FILENO, commands);
	if (strcmp(argv[1], "--version") == 0)
		return command_version.run(1, argv);
	for (const char *const *word = reserved; *word; word++)
		if (strcmp(*word, argv[1]) == 0) {
			error("prof has no command %s; to profile a program of that name: prof -- %s", *word, *word);
			return EXIT_FAILED;
		}
	if (is_misspelt(argv + 1))
		return 127;
	argv[0] = (char[]){ "record" };
	return run(&command_record, argc, argv);
}
