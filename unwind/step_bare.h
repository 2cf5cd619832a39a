/* Steps out of code without a frame description; each one is verified. */
#ifndef UNWIND_STEP_BARE_H
#define UNWIND_STEP_BARE_H

#include "job.h"

/* Steps by the frame pointer. */
enum step step_by_record(struct job *, const struct rule *, struct frame *);
/* Steps by the frame pointer, if no other frame can lie before its record. */
enum step step_by_own_record(struct job *, struct frame *);
/* Steps out of code that has no frame and leaves by a jump, if its caller's call instruction tells where it begins. */
enum step step_called_leaf(struct job *, struct frame *);
/* Steps where fp points to the record of a function that does not run yet. */
enum step step_passed(struct job *, const struct rule *, struct frame *);
/* Steps by a rule from its instructions. */
enum step step_by_code(struct job *, const struct rule *, struct frame *);

#endif
