/* What the stopper's parts share: who it traces, the sample that it is taking, and when it looks next. */
#ifndef SAMPLE_STOPPER_STATE_H
#define SAMPLE_STOPPER_STATE_H

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "stopper_desk.h"
#include "stopper_thread.h"

/* Nanoseconds that the times of wakings are good for. */
#define WAITED UINT64_C(20000)
/* A thread's offspring that are traced, as the options of ptrace have it. */
enum { FOLLOW_THREADS = PTRACE_O_TRACECLONE, FOLLOW_ALL = FOLLOW_THREADS | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK };
/* A sample's words before its registers, as record_sample_type of a shape with periods, registers and stacks has them. */
enum { SAMPLE_ID = 1, SAMPLE_PC, SAMPLE_TASK, SAMPLE_TIME, SAMPLE_PERIOD = 6, SAMPLE_ABI, SAMPLE_REGS, SAMPLE_WORDS = SAMPLE_REGS + 64 + 1 };

struct state {
	uint64_t next, last;       /* ticks */
	uint64_t elapsed;          /* between the last two */
	uint64_t woke;             /* when it got a CPU last */
	uint64_t on;               /* since when, or 0 */
	uint64_t random;
	int cpu;                   /* this process is on that one */
	unsigned follow;           /* FOLLOW_ */
	unsigned attaches;         /* how often it may still be asked to take hold of something */
	bool lent;                 /* prof's rights are those of its file */
	bool schedstat;            /* the kernel tells how long threads run */
	struct stopper with;
	sigset_t waiting;          /* the signal mask while it waits */
	uint64_t taken, got;       /* the sample's time and its bytes of the stack */
	struct tracees tracees;
	uint64_t word[SAMPLE_WORDS];   /* the sample */
	uint8_t stack[STACK_MOST];     /* a multiple of 8 */
};

/* stopper.c */

bool stopper_ask(int what, int32_t tid, uintptr_t addr, uintptr_t data);
/* Whether what was just read of it may be told: with rights that are lent, only if it still is of who started prof. */
bool stopper_may(const struct state *, const struct tracee *);
/* Bytes of a stack that are wanted: it is told by who may be anybody's by now. */
size_t stopper_stack(const struct state *);

/* stopper_event.c: what the kernel tells of threads. */

/* What happened to TID (0: any), if anything has.  False where nothing has. */
bool event_next(struct state *, int32_t tid);
void event_all(struct state *);
/* Its name has changed, by the execution of a program if EXEC. */
void event_name(struct state *, struct tracee *, const char comm[16], bool exec);

/* stopper_sample.c: what threads are at. */

/* Takes a sample of a thread that is stopped because it was asked to.  False where it says nothing of where it runs. */
bool sample_take(struct state *, struct tracee *);
/* What was TAKEN is told; the thread goes on already. */
void sample_finish(struct state *, struct tracee *, bool taken);
/* WORD has its registers, pc and ABI; the stack is there, GOT bytes of it. */
void sample_tell(struct state *, const struct tracee *, uint64_t time, uint64_t period, uint64_t got);

/* stopper_tick.c: whom to stop, and when. */

/* Until something happens to a thread or to P, or that time (0: none).  More than 0: to P. */
int tick_wait(struct state *, struct pollfd *p, uint64_t time);
void tick(struct state *);

/* stopper_wait.c: waits, if they are wanted. */

/* Tells whether it waits NOW; SIZE bytes of its stack may be read over the last sample's, or none. */
void tracee_waits(struct state *, struct tracee *, size_t size, uint64_t now);
/* That it is back. */
void tracee_comes(struct state *, struct tracee *);

#endif
