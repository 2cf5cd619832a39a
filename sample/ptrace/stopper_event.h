/* What the kernel reports about the threads that the stopper traces. */
#ifndef SAMPLE_PTRACE_STOPPER_EVENT_H
#define SAMPLE_PTRACE_STOPPER_EVENT_H

#include "stopper_state.h"

/* What happened to TID (0: any), if anything has.  False where nothing has. */
bool event_next(struct state *, int32_t tid);
void event_all(struct state *);
/* Its name has changed, by the execution of a program if EXEC. */
void event_name(struct state *, struct tracee *, const char comm[16], bool exec);

#endif
