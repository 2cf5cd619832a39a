/* Why the kernel said no: the exact blocker and the one line that mends it. */
#ifndef SAMPLE_PERMIT_H
#define SAMPLE_PERMIT_H

#include <stdint.h>

#include "sample/session.h"

/* Explains ERR of perf_event_open for this capture on PID (0 for the first that it names or a command of our own, -1 for the
 * system) into the refusal. */
void permit_explain(struct refusal *, const struct capture *, int32_t pid, int err);
/* The same, but only if it is for what the target is: false where it is for something else. */
bool permit_explain_target(struct refusal *, const struct capture *, int32_t pid, int err);
/* The same for ERR of mapping a ring, when even the smallest was refused. */
void permit_explain_ring(struct refusal *, int err);
/* How a container gets CAP_SYS_PTRACE, as what mends. */
void permit_give_ptrace(struct refusal *);
/* /proc/sys/kernel/perf_event_paranoid, or INT_MAX where it cannot be read. */
int permit_paranoid(void);
/* Whether a seccomp filter is on: by and by prof's own. */
bool permit_filtered(void);

#endif
