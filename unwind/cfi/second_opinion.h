/* The second opinion: libunwind's, where it is linked in (make LIBUNWIND=0 leaves it out).  Private to unwind/. */
#ifndef UNWIND_SECOND_H
#define UNWIND_SECOND_H

#include "step_rule.h"

/* The step out of F, in code that FDE describes and that runs BIAS from where it was linked.  REGS, all that are known,
 * become the caller's, and F too, at STEP_OK alone; STEP_ROOT where there is no caller, else STEP_BAD. */
enum step second_step(struct job *, const struct fde *, uint64_t bias, struct regs *, struct frame *);

#endif
