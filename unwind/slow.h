/* Steps that are not plain, by each way that prof knows. */
#ifndef UNWIND_SLOW_H
#define UNWIND_SLOW_H

#include "job.h"

/* Steps out of a frame that is not plain, or has no known rule yet. */
enum step step_slow(struct job *, struct entry *, struct frame *);
/* F, the leaf's caller, is in no known code, so the leaf's description was wrong.  Tries the leaf's instructions instead, and
 * remembers that.  Returns the entry of the new F, or NULL. */
struct entry *step_again(struct job *, struct frame *f);

#endif
