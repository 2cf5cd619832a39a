/* What the kernel reports about the threads that the stopper traces. */
#ifndef SAMPLE_PTRACE_STOPPER_EVENT_H
#define SAMPLE_PTRACE_STOPPER_EVENT_H

#include "stopper_state.h"

/* Takes in what happened to TID (0: any).  False if nothing has. */
bool event_next(struct state *, int32_t tid);
void event_all(struct state *);
/* The thread's name has changed; EXEC: because it executed a program. */
void event_name(struct state *, struct tracee *, const char comm[16], bool exec);

#endif
