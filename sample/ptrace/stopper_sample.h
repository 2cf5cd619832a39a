/* What threads are at. */
#ifndef SAMPLE_PTRACE_STOPPER_SAMPLE_H
#define SAMPLE_PTRACE_STOPPER_SAMPLE_H

#include "stopper_state.h"

/* Takes a sample of a thread that stopped on request.  False if the sample says nothing of where the thread runs. */
bool sample_take(struct state *, struct tracee *);
/* Writes what was TAKEN as records, while the thread already runs on. */
void sample_finish(struct state *, struct tracee *, bool taken);

#endif
