/* Steps out of code without a frame description, each of which is verified. */
#ifndef UNWIND_STEP_BARE_H
#define UNWIND_STEP_BARE_H

#include "job.h"

/* By the frame pointer. */
enum step step_by_record(struct job *, const struct rule *, struct frame *);
/* By what its instructions told. */
enum step step_by_code(struct job *, const struct rule *, struct frame *);

#endif
