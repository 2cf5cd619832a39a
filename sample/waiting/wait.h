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
	WAIT_THROTTLED,            /* for a CPU: its cgroup had used up its share of CPU time */
	WAIT_BEFORE,               /* it was off the CPU when the capture began */
	WAIT_NOT,                  /* it ran, but has no sample of that time */
};

/* A time off the CPU (or, WAIT_NOT, on it) that is over. */
struct wait {
	struct task *task;
	uint64_t from, to;         /* ns */
	enum wait_kind kind;
	bool stack;                /* prof knows its stack: the last one of that task; */
	bool whole;                /* and the rest of it, which it read while the thread slept */
};

struct wait_counts {
	uint64_t waits, ns;
	uint64_t unknown, unknown_ns;      /* in doubt, because records were lost: prof leaves them out */
	uint64_t before, before_ns;        /* began before the capture, for an unknown reason */
	uint64_t idle;                     /* threads that waited from the beginning to the end; prof leaves them out */
	uint64_t unfinished, unfinished_ns;/* still went on at the capture's end: prof counts them up to there */
	uint64_t no_stack;
};

struct waits {
	bool on;
	bool wall;                 /* reports the time on CPUs, too, and threads that only wait */
	bool looked;
	uint64_t since;            /* when the events were on */
	uint32_t losses;           /* times that records were lost */
	struct wait_counts counts;
	void (*waited)(void *ctx, const struct wait *);
	void *ctx;
};

/* The task that a sample of a waking shows as woken, if it waits and nothing has woken it yet; from then on it waits for a CPU.
 * INTERRUPT: an interrupt wakes it. */
struct task *wait_woken(struct processes *, const struct record *, bool *interrupt);
/* Notes that prof knows the stack of the task, as of TIME, when it leaves the CPU. */
void wait_stack(struct waits *, struct task *, uint64_t time);
/* Whether the task still waits with its last stack, as far as records tell; then what prof reads of that stack is right if the task has not
 * run until it is read.  Notes that this is so, or (KNOWN: the task did not run) is right already. */
bool wait_goes_on(const struct task *);
void wait_read(struct task *, bool known);
/* Notes that the task sleeps since before TIME; LOOKED: prof knows its stack. */
void wait_before(struct waits *, struct task *, uint64_t time, bool looked);
/* Looks at THREADS, which existed when the capture began; tells as samples where the sleeping ones wait. */
void wait_look(struct waits *, struct processes *, const struct threads *, uint32_t event,
               void (*sample)(void *, const struct sample *), void *ctx);
/* The sp and the pc of a sleeping thread; false if it does not sleep, or if they are not known. */
bool wait_asleep(int32_t pid, int32_t tid, uint64_t *sp, uint64_t *pc, uint64_t *arg);
/* How often the thread has had a CPU. */
bool wait_runs(int32_t pid, int32_t tid, uint64_t *runs);
/* The ns that the running task has run until TIME since the last call. */
uint64_t wait_ran(struct waits *, struct task *, uint64_t time);
/* Takes in what a record says of waiting, once the processes know it. */
void wait_record(struct waits *, struct processes *, const struct record *);
/* Ends all waits at TIME, the end of the capture. */
void wait_over(struct waits *, struct processes *, uint64_t time);

#endif
