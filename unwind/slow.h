/* Steps that are not plain, by all means that there are. */
#ifndef UNWIND_SLOW_H
#define UNWIND_SLOW_H

#include "job.h"

/* The step of a frame that is not plain, or whose rule is not known yet. */
enum step step_slow(struct job *, struct entry *, struct frame *);
/* F, which comes next to the leaf, is nowhere: the leaf's description was not true.  What its instructions tell is tried in
 * its place, and remembered; the entry of the new F, or NULL. */
struct entry *step_again(struct job *, struct frame *f);

#endif
