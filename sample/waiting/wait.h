/* Waiting: since when each thread is off the CPU, as the kernel's records of switches tell, in the order of time. */
#ifndef SAMPLE_WAITING_WAIT_H
#define SAMPLE_WAITING_WAIT_H

#include "sample/tasks/process.h"

struct record;
struct sample;
struct threads;

enum wait_kind {
	WAIT_ASLEEP,               /* for something */
	WAIT_RUN_QUEUE,            /* for a CPU: it could have run */
	WAIT_THROTTLED,            /* the same, because its cgroup had used up its share of CPU time */
	WAIT_BEFORE,               /* it was off the CPU when the capture began */
	WAIT_NOT,                  /* it ran, but no sample has told of it */
};

/* A time off the CPU (or, WAIT_NOT, on it) that is over. */
struct wait {
	struct task *task;
	uint64_t from, to;         /* ns */
	enum wait_kind kind;
	bool stack;                /* its stack has been told: the last one of that task's */
};

struct wait_counts {
	uint64_t waits, ns;
	uint64_t unknown, unknown_ns;      /* in doubt, because records were lost: left out */
	uint64_t before, before_ns;        /* had begun before the capture, and what for is not known */
	uint64_t idle;                     /* threads that waited from the beginning to the end, and are left out */
	uint64_t unfinished, unfinished_ns;/* still went on at its end: counted up to there */
	uint64_t no_stack;
};

struct waits {
	bool on;
	bool wall;                 /* the time on CPUs is told, too, and that of threads which do nothing but wait */
	bool looked;
	uint64_t since;            /* when the events were on */
	uint32_t losses;           /* times that records were lost */
	struct wait_counts counts;
	void (*waited)(void *ctx, const struct wait *);
	void *ctx;
};

/* The task that a sample of a waking says to be woken (from then on it waits for a CPU), if it waits and had not been yet; by
 * an INTERRUPT? */
struct task *wait_woken(struct processes *, const struct record *, bool *interrupt);
/* The task's stack at TIME is known, at which it leaves the CPU. */
void wait_stack(struct waits *, struct task *, uint64_t time);
/* At TIME the task was asleep since before, and if LOOKED the stack was told. */
void wait_before(struct waits *, struct task *, uint64_t time, bool looked);
/* Looks at THREADS, which were there when the capture began; tells what those that are asleep wait with as samples. */
void wait_look(struct waits *, struct processes *, const struct threads *, uint32_t event,
               void (*sample)(void *, const struct sample *), void *ctx);
/* With what a thread sleeps; false where it does not, or it cannot be told. */
bool wait_asleep(int32_t pid, int32_t tid, uint64_t *sp, uint64_t *pc);
/* How long the task has run, ns, at TIME, at which it does, since it was asked last. */
uint64_t wait_ran(struct waits *, struct task *, uint64_t time);
/* What a record says of waiting, once the processes know it. */
void wait_record(struct waits *, struct processes *, const struct record *);
/* The capture ends at TIME, and all waits that still go on. */
void wait_over(struct waits *, struct processes *, uint64_t time);

#endif
