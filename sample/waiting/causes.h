/* What the target's cgroup went through while prof profiled it: throttling, pressure, want of memory; and how long its threads
 * waited for a CPU. */
#ifndef SAMPLE_WAITING_CAUSES_H
#define SAMPLE_WAITING_CAUSES_H

#include "sample/events/capture.h"
#include "sample/tasks/process.h"

enum cause {
	CAUSE_USAGE,               /* CPU time, µs */
	CAUSE_PERIODS,             /* of its CPU limit */
	CAUSE_THROTTLED_PERIODS,
	CAUSE_THROTTLED,           /* µs */
	/* Time in which some, or all, waited: µs. */
	CAUSE_CPU_SOME, CAUSE_CPU_FULL, CAUSE_MEMORY_SOME, CAUSE_MEMORY_FULL, CAUSE_IO_SOME, CAUSE_IO_FULL,
	CAUSE_MEMORY_HIGH, CAUSE_MEMORY_MAX, CAUSE_OOM, CAUSE_OOM_KILL,   /* times */
	CAUSES
};

enum { CAUSE_FILES = 5 };

struct causes {
	int fd[CAUSE_FILES];       /* -1: there is none */
	uint32_t known;            /* one bit each cause */
	uint64_t before[CAUSES], value[CAUSES];   /* VALUE: since the beginning */
	struct threads *threads;   /* one */
	struct waiting *waiting;   /* the waiting of each thread */
	uint32_t cap_threads, cap;
	bool alone;                /* it is about single threads: no others count */
	bool wakers;               /* a process without a sample may only have woken a thread; then it does not belong to the target */
	bool machine;              /* pressure is the whole machine's: that of the root cgroup */
	bool whole;                /* threads that appear are new: their times count from 0 */
	uint64_t ticked;           /* ns */
	uint64_t begun;            /* the kernel's tick in which the capture began; 0: all threads began later */
	uint64_t ran, waited;      /* ns that all threads were on CPUs, and waited for one, as far as prof saw them */
};

/* Begins, for the capture's target; does nothing for the whole system. */
void causes_begin(struct causes *, const struct capture *);
/* Looks at the threads again, once a second or, if LAST, now: when some are about to go for good. */
void causes_tick(struct causes *, struct processes *, uint64_t now, bool last);
/* µs for which the cgroup has been throttled until now, on all CPUs together; 0 without a limit. */
uint64_t causes_throttled(const struct causes *);
/* Reads what happened to the cgroup, before the session ends. */
void causes_end(struct causes *);

#endif
