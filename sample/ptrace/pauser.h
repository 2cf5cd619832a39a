/* Stops a thread for a moment, to take its registers and its stack.  A process of its own does it: when that ends, however it
 * ends, the kernel lets go of all threads. */
#ifndef SAMPLE_PTRACE_PAUSER_H
#define SAMPLE_PTRACE_PAUSER_H

#include <stdbool.h>
#include <stdint.h>

#include "stopper_chain.h"

struct prstatus;
struct threads;

enum { PAUSED_STACK = 1 << 20 };

/* What the pauser took, in memory that it shares: it is valid until the next thread. */
struct paused {
	int32_t err;               /* 0 or an errno; EBUSY: another process traces it; ETIMEDOUT: it did not stop */
	int32_t tracer;            /* that process */
	bool compat;               /* a 32-bit task */
	uint32_t nregs, size;
	uint64_t regs[64];         /* in the order of a sample's */
	uint64_t sp, pc;
	uint64_t stood;            /* ns */
	uint64_t wanted;           /* bytes of stack: set by who asks */
	struct deep_chain chain;   /* whose frames to take, too: set by who asks */
	struct chain_copy frames;
	uint8_t stack[PAUSED_STACK];
};

struct pauser {
	int32_t pid;               /* 0: there is none */
	int socket;
	struct paused *paused;
};

/* The pauser stops no other threads than THESE, whoever asks.  False with errno. */
bool pauser_start(struct pauser *, const struct prstatus *, const struct threads *these);
/* Takes TID with at most SIZE bytes of its stack; the answer is in PAUSED. */
void pauser_take(struct pauser *, int32_t tid, uint32_t size);
void pauser_end(struct pauser *);

#endif
