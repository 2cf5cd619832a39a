/* Why prof may not trace a process, and the one line that removes the cause. */
#ifndef SAMPLE_RIGHTS_PERMIT_TRACE_H
#define SAMPLE_RIGHTS_PERMIT_TRACE_H

#include <stdint.h>

struct capture;
struct refusal;

/* Explains why tracing WHOM failed with ERR.  With EBUSY, WHOM is the process that traces the target already. */
void permit_trace_explain(struct refusal *, const struct capture *, int32_t whom, int err);

#endif
