/* How a command ends if it has no status of its own. */
#ifndef CMD_OPTIONS_EXIT_H
#define CMD_OPTIONS_EXIT_H

enum {
	EXIT_FAILED = 125,               /* prof itself failed: not the command that it ran */
	EXIT_HELP = -1                   /* --help was among the options: the caller prints the help */
};

#endif
