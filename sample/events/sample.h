/* What a capture gives: a sample. */
#ifndef SAMPLE_EVENTS_SAMPLE_H
#define SAMPLE_EVENTS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "deep_stack.h"
#include "lib/cursor.h"

struct event;
struct task;

/* One sample, its process and maps as of its time.  Pointers live until the callback returns. */
struct sample {
	uint64_t time, period;
	uint64_t count;            /* how many samples it counts for */
	uint64_t ip;
	uint32_t event;            /* number in capture.event, */
	const struct event *of;    /* and that event; NULL: of none, but a look at a thread */
	uint32_t cpu;
	struct task *task;
	bool kernel;               /* interrupted in the kernel */
	bool ip_only;              /* the record has nothing but IP */
	const uint64_t *kchain;    /* kernel addresses, innermost first; nkchain 0: none given */
	uint32_t nkchain;
	const uint64_t *uchain;    /* user addresses, as the kernel walked them */
	uint32_t nuchain;
	const uint64_t *regs;      /* in the order of arch.sample's bits; NULL: no user registers (kernel thread) */
	uint8_t nregs;             /* how many registers there are: a kernel may not know the last */
	bool unsure;               /* records are lost that may have told what its process maps: its user side cannot be unwound */
	bool regs32;               /* of a 32-bit task */
	uint64_t lacks;            /* which of REGS are not known, by number */
	bool sp_only;              /* there are no REGS, only SP and IP */
	uint64_t sp;
	bool still;                /* the thread has not run since */
	bool again;                /* the same sample came before, with less of the stack */
	uint64_t arg;              /* where the thread waits: the first argument of its system call; 0: not known */
	struct task *wakes;        /* not a sample of TASK's time: TASK wakes that thread, */
	bool interrupt;            /* or an interrupt does, on TASK's CPU */
	const uint64_t *kernel_regs;   /* as the event found them, if the user asks for an argument of a probe; NKERNEL_REGS of them */
	uint8_t nkernel_regs;
	struct cursor raw;         /* a tracepoint's fields, if the user asks for one */
	uint64_t ran;              /* --wall: ns on the CPU that it stands for */
	const uint8_t *stack;      /* from the user sp on */
	uint64_t stack_size;
	struct pieces rest;        /* what continues the stack, and those before it; DEEP learns from its walk, if it is not NULL */
	struct deep *deep;
	struct deep_thread thread; /* with REST */
};

#endif
