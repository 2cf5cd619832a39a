/* What threads are at. */
#ifndef SAMPLE_PTRACE_STOPPER_SAMPLE_H
#define SAMPLE_PTRACE_STOPPER_SAMPLE_H

#include "stopper_state.h"

/* Takes a sample of a thread that is stopped because it was asked to.  False where it says nothing of where it runs. */
bool sample_take(struct state *, struct tracee *);
/* Writes what was TAKEN as records, while the thread already runs on. */
void sample_finish(struct state *, struct tracee *, bool taken);

#endif
