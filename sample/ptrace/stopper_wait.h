/* Waits of threads, where they are wanted. */
#ifndef SAMPLE_PTRACE_STOPPER_WAIT_H
#define SAMPLE_PTRACE_STOPPER_WAIT_H

#include "stopper_state.h"

/* Writes records that say whether it waits NOW.  SIZE bytes of its stack (or none) may replace those of the last sample. */
void tracee_waits(struct state *, struct tracee *, size_t size, uint64_t now);
/* That it is back. */
void tracee_comes(struct state *, struct tracee *);

#endif
