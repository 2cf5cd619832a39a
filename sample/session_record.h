/* From the kernel's records to samples: which records count, for which thread, and what a sample holds of its thread. */
#ifndef SAMPLE_SESSION_RECORD_H
#define SAMPLE_SESSION_RECORD_H

#include "session_state.h"

/* Takes in a record; the caller gives records in the order of time.  Samples go to SAMPLE, all else to processes, modules,
 * weights. */
void session_record(struct session *, const struct record *);
/* Opens files that processes have mapped just now: they may be gone when it is their record's turn. */
void session_ahead(struct session *);
/* At the end, at time T: counts how long CPUs slept since their last samples. */
void session_slept(struct session *, uint64_t t);

#endif
