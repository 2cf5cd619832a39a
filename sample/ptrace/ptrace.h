/* The ptrace engine, for machines that refuse perf_event_open.  A separate process stops threads for a moment (see
 * stopper.h), and writes records about them into a ring, both in the kernel's form. */
#ifndef SAMPLE_PTRACE_PTRACE_H
#define SAMPLE_PTRACE_PTRACE_H

#include "sample/events/opener.h"
#include "sample/events/refusal.h"
#include "stop_counts.h"

struct desk;
struct threads;

struct tracer {
	bool lent;                 /* prof's rights come from its file; must be set before the stopper starts */
	int32_t pid;               /* the stopper's; 0: no stopper */
	int socket;
	struct desk *desk;
	bool died;                 /* the stopper ended before its time */
};

/* The last rung of the ladder, if the kernel refused the others or the user does not want them.  Starts the stopper, attaches
 * to the targets (FOUND takes their threads), and fills the opener with the ring and all that a session needs.  If it fails
 * for a new reason, the refusal says so. */
bool tracer_stand_in(struct tracer *, struct opener *, const struct capture *, struct ladder *, struct threads *found,
                     struct refusal *);
/* Attaches to the threads of the targets, or to the command, which waits for its exec; FOUND takes them.  False with errno,
 * and the pid that it is about in *WHOM; with EBUSY, that is the process that traces the target already. */
bool tracer_attach(struct tracer *, const struct capture *, struct threads *found, int32_t *whom);
/* Starts or stops sampling.  After a stop all samples are in the ring. */
void tracer_on(struct tracer *, bool on);
void tracer_stack(struct tracer *, uint32_t bytes);
/* The session is about to read the ring. */
void tracer_awake(const struct tracer *, const struct rings *);
void tracer_counts(const struct tracer *, struct stop_counts *);
/* Lets go of all threads. */
void tracer_close(struct tracer *);

#endif
