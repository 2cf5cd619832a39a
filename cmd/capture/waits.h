/* From waits to a profile: each wait counts for the stack with which its thread left the CPU. */
#ifndef CMD_CAPTURE_WAITS_H
#define CMD_CAPTURE_WAITS_H

#include "collector.h"
#include "sample/waiting/wait.h"

/* ns of a wait in which prof can read the rest of its stack, if it hurries. */
enum { WAITS_READABLE = 5000000 };

/* Tells that the target's cgroup had been throttled for US in all, before prof read the records that it collects next. */
void waits_throttled(struct collector *, uint64_t us);
/* For session's waits; CTX is the collector. */
void waits_add(void *collector, const struct wait *);
/* The profile's thread for the waits of a task. */
uint32_t waits_thread(struct collector *, struct task *);
/* Notes who ended a wait: the sample is of the waker. */
void waits_waker(struct collector *, const struct sample *);
/* THREAD, which TASK has, ran for NS until TIME with the stack NODE. */
void waits_ran(struct collector *, struct task *, uint32_t thread, uint64_t time, uint64_t ns, uint32_t node);

#endif
