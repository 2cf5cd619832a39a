/* From the kernel's records to samples: which records count, for which thread, and what a sample holds of its thread. */
#ifndef SAMPLE_SESSION_RECORD_H
#define SAMPLE_SESSION_RECORD_H

#include "session_state.h"

/* What a record tells, to be called in the order of time: samples go to SAMPLE, all else to processes, modules, weights. */
void session_record(struct session *, const struct record *);
/* At the end, at time T: what CPUs slept since their last samples. */
void session_slept(struct session *, uint64_t t);

#endif
