/* The signals that end a capture, read from a descriptor. */
#ifndef CMD_OPTIONS_END_SIGNALS_H
#define CMD_OPTIONS_END_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "target_options.h"

struct end_signals {
	int fd;           /* a signalfd: these, and SIGCHLD */
	sigset_t mask;    /* the mask that prof began with */
	sigset_t ends;
	uint64_t first;   /* when the first of them was read; 0: none was */
};

/* Blocks the signals, also those that are in ENDS already.  With a command, the terminal's signals belong to it.  A SIGHUP that prof
 * was told to ignore (nohup) stays ignored.  False after an error message. */
bool end_signals_take(struct end_signals *, const struct target_options *);
/* The next signal, if there is one. */
bool end_signals_next(struct end_signals *, struct signalfd_siginfo *);
/* From here on such a signal ends prof as it ends any program, except what comes together with the signal that ended the capture:
 * timeout(1) sends each signal twice. */
void end_signals_release(struct end_signals *);

#endif
