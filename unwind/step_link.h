/* Steps by a return address that is still in a register. */
#ifndef UNWIND_STEP_LINK_H
#define UNWIND_STEP_LINK_H

#include "job.h"

/* Only for an interrupted pc, because all its registers are known; for others STEP_UNKNOWN. */
enum step step_link(struct job *, const struct rule *, struct frame *);

#endif
