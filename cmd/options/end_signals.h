/* The signals that end a capture, read from a descriptor. */
#ifndef CMD_OPTIONS_END_SIGNALS_H
#define CMD_OPTIONS_END_SIGNALS_H

#include <signal.h>

#include "target_options.h"

struct end_signals {
	int fd;          /* a signalfd: these, and SIGCHLD */
	sigset_t mask;   /* the mask that prof began with */
	sigset_t ends;
};

/* Blocks the signals, also those that are in ENDS already.  With a command, the terminal's signals belong to it.  False after an
 * error message. */
bool end_signals_take(struct end_signals *, const struct target_options *);

#endif
