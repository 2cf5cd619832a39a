/* prof version: prints the version and the commit; with -v also the whole commit, and what is linked into prof under which licences. */
#include "command.h"

#include <string.h>
#include <unistd.h>

#include "lib/msg.h"
#include "lib/sink.h"
#include "unwind/arch/arch.h"

#ifndef PROF_COMMIT   /* the Makefile knows */
#define PROF_COMMIT "unknown"
#endif
#ifdef __clang__   /* its version has its name */
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static int
cmd_version(int argc, char **argv)
{
	struct sink out;
	bool more = argc > 1 && (strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "--verbose") == 0);

	if (argc > 1 && !more) {
		error("version takes -v, not '%s'", argv[1]);
		return EXIT_FAILED;
	}
	sink_open(&out, STDOUT_FILENO);
	sink_fmt(&out, "prof %s (%s), commit %.12s%s\n", PROF_VERSION, arch_host->name, PROF_COMMIT, strstr(PROF_COMMIT, "-dirty") ? "-dirty" : "");
	if (more)
		sink_fmt(&out, "commit %s\ncompiled by %s\nISC licence; linked in: %s\n", PROF_COMMIT, COMPILER,
#ifdef __GLIBC__
		         "the GNU C library (LGPL-2.1-or-later)"
#else
		         "musl (MIT)"
#endif
#ifdef LIBUNWIND
		         ", libunwind (MIT)"
#endif
		);
	if (sink_close(&out)) {
		error("stdout: %s", strerror(out.err));
		return EXIT_FAILED;
	}
	return 0;
}

const struct command command_version = { .name = "version", .synopsis = "[-v]",
	.summary = "print the version and the commit; -v: the whole commit, what is built in, and its licences",
	.run = cmd_version };
