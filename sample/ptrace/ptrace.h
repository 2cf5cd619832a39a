/* The ptrace engine, where perf_event_open cannot be had: a process of its own stops threads for a moment (see stopper.h),
 * and tells of them as the kernel would, in a ring like the kernel's. */
#ifndef SAMPLE_PTRACE_PTRACE_H
#define SAMPLE_PTRACE_PTRACE_H

#include "sample/events/opener.h"
#include "sample/events/refusal.h"
#include "stop_counts.h"

struct desk;
struct threads;

struct tracer {
	bool lent;                 /* prof's rights are those of its file, which is to be known before it starts */
	int32_t pid;               /* of the stopper; 0: there is none */
	int socket;
	struct desk *desk;
};

/* The last rung of the ladder, where those above it were refused or are not wanted: starts the stopper, takes hold of what is
 * attached to, FOUND taking its threads, and fills the opener with the ring and what else a session is to know.  False, and
 * the reason in the refusal, if there is one beside those that are known. */
bool tracer_stand_in(struct tracer *, struct opener *, const struct capture *, struct ladder *, struct threads *found,
                     struct refusal *);
/* Takes hold of the threads that are asked for, or of the command, which waits for its exec; FOUND takes them.  False
 * with errno, and in *WHOM the pid that it is about: where it is EBUSY, of who traces it already. */
bool tracer_attach(struct tracer *, const struct capture *, struct threads *found, int32_t *whom);
/* Samples from now on, or no more: after that all are in the ring. */
void tracer_on(struct tracer *, bool on);
void tracer_stack(struct tracer *, uint32_t bytes);
/* The ring is about to be read. */
void tracer_awake(const struct tracer *, const struct rings *);
void tracer_counts(const struct tracer *, struct stop_counts *);
/* Lets go of all threads. */
void tracer_close(struct tracer *);

#endif
