/* Frames that assembly aligns, with the caller's sp in any register or in a word of the frame. */
#ifndef UNWIND_ALIGNED_FRAME_H
#define UNWIND_ALIGNED_FRAME_H

#include "job.h"

/* The rule for F, in code of MODULE at VADDR that nothing describes, if a function before it makes such a frame, and F's sp is what that
 * function makes of the caller's. */
bool aligned_rule(struct job *, const struct frame *f, struct module *, uint64_t vaddr, struct rule *);

#endif
