/* Whom to stop, and when. */
#ifndef SAMPLE_PTRACE_STOPPER_TICK_H
#define SAMPLE_PTRACE_STOPPER_TICK_H

#include "stopper_state.h"

/* Waits until something happens to a thread or to P, or until that time (0: no limit).  More than 0: to P. */
int tick_wait(struct state *, struct pollfd *p, uint64_t time);
void tick(struct state *);

#endif
