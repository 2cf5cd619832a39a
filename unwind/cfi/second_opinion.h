/* The second opinion is libunwind's, if it is linked in (make LIBUNWIND=0 leaves it out). */
#ifndef UNWIND_CFI_SECOND_OPINION_H
#define UNWIND_CFI_SECOND_OPINION_H

#include "cfi.h"
#include "frame.h"
#include "memory.h"

/* What libunwind may look at: the stack, and constants in the code of the process. */
struct second_sight {
	const struct arch *arch;
	uint64_t mask;             /* of return addresses */
	const struct memory *memory;
	struct cursor (*code)(void *ctx, uint64_t addr);   /* the bytes from ADDR on, empty where no code is mapped */
	void *ctx;
};

/* Steps out of F.  FDE describes the code, which runs BIAS bytes from the place where it was linked.  REGS are all known
 * registers.  At STEP_OK, REGS and F become the caller's.  STEP_ROOT: there is no caller; else STEP_BAD. */
enum step second_step(const struct second_sight *, const struct fde *, uint64_t bias, struct regs *, struct frame *);

#endif
