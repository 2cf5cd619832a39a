/* Waits of threads, if the user wants them. */
#ifndef SAMPLE_PTRACE_STOPPER_WAIT_H
#define SAMPLE_PTRACE_STOPPER_WAIT_H

#include "stopper_state.h"

/* Writes records that say whether the thread waits NOW.  SIZE bytes of its stack (or none) may replace those of the last
 * sample. */
void tracee_waits(struct state *, struct tracee *, size_t size, uint64_t now);
/* Writes that it is back. */
void tracee_comes(struct state *, struct tracee *);

#endif
