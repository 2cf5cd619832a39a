/* An interpreter's chain of frames, while the thread stands: the pages that it lies in.  The stopper finds it as the BPF
 * program for deep stacks does, and writes parts of the same form: see sample/events/deep_program.h. */
#ifndef SAMPLE_PTRACE_STOPPER_CHAIN_H
#define SAMPLE_PTRACE_STOPPER_CHAIN_H

#include "lib/pieces.h"
#include "sample/events/deep_program.h"

struct chain_copy {
	struct deep_head head;
	uint64_t pages;            /* pages copied; 0: no interpreter, as far as prof tells */
	uint8_t bytes[DEEP_PART];
};

/* Takes the chain of thread TID, if OWN is that thread's; else if ALL (or NULL) is for all threads of its process, by its thread
 * POINTER.  Its STACK is copied already. */
void chain_take(struct chain_copy *, const struct deep_chain *own, const struct deep_chain *all, int32_t tid, uint64_t pointer,
                const struct piece *stack);

#endif
