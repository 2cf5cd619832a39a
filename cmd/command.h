/* A command: one file beside this one, and one row of the table in commands.c. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "cmd/options/exit.h"
#include "cmd/options/options.h"

struct command {
	const char *name;
	const char *synopsis;            /* what follows the name */
	const char *summary;             /* one line for `prof help` */
	const struct option *options;    /* for `prof help NAME`, or NULL */
	int (*run)(int argc, char **argv);   /* argv[0] is the command's name; returns the exit status */
	bool rights;                     /* it uses the rights that prof's file lends; other commands read their files without them */
	bool finds_help;                 /* it looks for --help itself: the words after its options belong to another program */
};

#endif
