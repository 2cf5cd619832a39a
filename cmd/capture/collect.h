/* The step from samples to a profile: unwind, intern, add. */
#ifndef CMD_CAPTURE_COLLECT_H
#define CMD_CAPTURE_COLLECT_H

#include "collector.h"

/* For session_drain; CTX is the collector. */
void collect_sample(void *collector, const struct sample *);
/* For struct capture: a process's memory is gone. */
void collect_gone(void *collector, int32_t pid, bool executed, uint64_t time);

#endif
