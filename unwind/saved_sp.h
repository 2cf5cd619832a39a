/* A frame whose caller's sp lies below the copied stack. */
#ifndef UNWIND_SAVED_SP_H
#define UNWIND_SAVED_SP_H

#include "job.h"

/* If ROW says that the CFA of F, where a thread was interrupted, follows from a word that the copy of the stack does not have because it
 * is below sp: finds the same value elsewhere in the frame.  STEP_NONE if that cannot be proven. */
enum step saved_sp(struct job *, const struct frame *f, const struct row *row, uint64_t *cfa);

#endif
