/* The frame in which ARM's unwinder of exceptions keeps all registers. */
#ifndef UNWIND_EXCEPTION_FRAME_H
#define UNWIND_EXCEPTION_FRAME_H

#include "job.h"

/* Makes of the registers that were found in F's frame those of its caller, whose pc may be EXACT. */
enum step exception_frame(struct job *, const struct frame *f, struct regs *, bool *exact);

#endif
