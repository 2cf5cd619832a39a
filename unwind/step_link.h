/* Steps by a return address that is still in a register. */
#ifndef UNWIND_STEP_LINK_H
#define UNWIND_STEP_LINK_H

#include "job.h"

/* Of an interrupted pc, whose registers are all known; STEP_UNKNOWN of others. */
enum step step_link(struct job *, const struct rule *, struct frame *);

#endif
