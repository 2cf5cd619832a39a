/* The frame in which ARM's unwinder of exceptions keeps all registers. */
#ifndef UNWIND_EXCEPTION_FRAME_H
#define UNWIND_EXCEPTION_FRAME_H

#include "job.h"

/* Changes REGS, found in F's frame, to those of its caller.  The caller's pc may be EXACT. */
enum step exception_frame(struct job *, const struct frame *f, struct regs *, bool *exact);

#endif
