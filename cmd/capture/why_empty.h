/* Why a profile is empty: which event did not happen, or which other processes ran. */
#ifndef CMD_CAPTURE_WHY_EMPTY_H
#define CMD_CAPTURE_WHY_EMPTY_H

#include "plan.h"
#include "sample/tasks/children.h"

/* Takes note of the children that the targets have and that the capture leaves out, if there are any. */
void why_empty_begin(struct children *, const struct plan *);
/* Says why there was no sample of EVENTS.  OVER: the target has ended. */
void why_empty_tell(const struct children *before, const struct plan *, const struct session_counts *, const char *events, bool over);

#endif
