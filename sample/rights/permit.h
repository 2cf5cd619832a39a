/* Why the kernel said no: the exact cause, and the one line that removes it. */
#ifndef SAMPLE_RIGHTS_PERMIT_H
#define SAMPLE_RIGHTS_PERMIT_H

#include <stdint.h>

#include "sample/events/capture.h"
#include "sample/events/refusal.h"

/* Fills the refusal: why perf_event_open failed with ERR for this EVENT of the capture (from 1; 0: any of them) on PID.  PID 0: the first target, or prof's own
 * command; -1: the system. */
void permit_explain(struct refusal *, const struct capture *, unsigned event, int32_t pid, int err);
/* Explains ERR only if the reason is what the target is; false if there is another reason. */
bool permit_explain_target(struct refusal *, const struct capture *, int32_t pid, int err);
/* Explains ERR of mapping a ring, when the kernel refused even the smallest. */
void permit_explain_ring(struct refusal *, int err);
/* What would allow ptrace here: a capability for a container, else a change of the sandbox; into the refusal's mend. */
void permit_give_ptrace(struct refusal *);
/* /proc/sys/kernel/perf_event_paranoid, or INT_MAX if prof cannot read it. */
int permit_paranoid(void);
/* Whether a seccomp filter is on; later that is also prof's own. */
bool permit_filtered(void);

#endif
