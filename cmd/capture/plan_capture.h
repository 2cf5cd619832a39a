/* From a plan to what a session must capture. */
#ifndef CMD_CAPTURE_PLAN_CAPTURE_H
#define CMD_CAPTURE_PLAN_CAPTURE_H

#include "plan.h"

/* Adds the events that the user did not name: the usual one if the user named none, and those for waits and wakers.  *FREES: the
 * event that tells of memory that was given back, or NULL.  Sets
 * *WAIT_EVENT to the number of the first event that does not count running, or 0.  False after an error message. */
bool plan_add_events(struct plan *, uint32_t *wait_event, const struct event **frees);
/* Whether the capture includes the children that its processes have already.  Not with lent rights: they may belong to another
 * user. */
bool plan_takes_children(const struct plan *);
/* What to capture; it points into the plan.  COMMAND is the pid of a command that is still to run. */
struct capture plan_capture(const struct plan *, const int32_t *command);

#endif
