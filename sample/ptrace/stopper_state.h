/* What the stopper's parts share: who it traces, the sample that it is taking, when it looks next, and functions for all
 * parts. */
#ifndef SAMPLE_PTRACE_STOPPER_STATE_H
#define SAMPLE_PTRACE_STOPPER_STATE_H

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "lib/clock.h"
#include "stopper_chain.h"
#include "stopper_deep.h"
#include "stopper_desk.h"
#include "stopper_thread.h"

/* Nanoseconds by which the times of wakings may be wrong. */
#define WAITED UINT64_C(20000)
/* Which offspring of a thread the stopper traces, as the options of ptrace have it. */
enum { FOLLOW_THREADS = PTRACE_O_TRACECLONE, FOLLOW_ALL = FOLLOW_THREADS | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK };
/* A sample's words before its registers, as record_sample_type of a shape with periods, registers and stacks has them. */
enum { SAMPLE_ID = 1, SAMPLE_PC, SAMPLE_TASK, SAMPLE_TIME, SAMPLE_PERIOD = 6, SAMPLE_ABI, SAMPLE_REGS, SAMPLE_WORDS = SAMPLE_REGS + 64 + 1 };

struct state {
	uint64_t next, last;       /* ticks */
	uint64_t elapsed;          /* between the last two */
	uint64_t woke;             /* when this process got a CPU last */
	uint64_t on;               /* since when it samples, or 0 */
	uint64_t random;
	int cpu;                   /* the CPU that this process is on */
	unsigned follow;           /* FOLLOW_ */
	unsigned attaches;         /* how many requests to take hold of something it may still get */
	bool schedstat;            /* the kernel tells how long threads run */
	struct stopper with;
	sigset_t waiting;          /* the signal mask while it waits */
	uint64_t taken, got;       /* the sample's time and its bytes of the stack */
	struct tracees tracees;
	struct chain_copy chain;   /* what an interpreter ran there */
	struct deep_copy deep;     /* the stack beyond its copy */
	uint64_t word[SAMPLE_WORDS];   /* the sample */
	uint8_t stack[STACK_MOST];     /* a multiple of 8 */
};

/* ptrace(2); false with errno. */
bool stopper_ask(int what, int32_t tid, uintptr_t addr, uintptr_t data);
/* Whether the stopper may tell what it just read of the thread.  With lent rights it may only if the thread still belongs to
 * the user who started prof. */
bool stopper_may(const struct state *, const struct tracee *);
/* Bytes of a stack that prof wants.  Another process tells this number, and that process may be under foreign control. */
size_t stopper_stack(const struct state *);
/* WORD has its registers, pc and ABI; the stack is there, GOT bytes of it. */
void stopper_tell(struct state *, const struct tracee *, uint64_t time, uint64_t period, uint64_t got);

#endif
