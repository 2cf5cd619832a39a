/* Opens the events of a capture on its targets: a command, threads, processes, a cgroup or the whole system. */
#ifndef SAMPLE_EVENTS_OPEN_TARGETS_H
#define SAMPLE_EVENTS_OPEN_TARGETS_H

#include "watches.h"

/* Opens all events, stopped, for a command that is still to be forked, or on the threads of what is asked for, until all that
 * there are have them.  FOUND takes the threads; those from SURE on may have been born to a thread that had its events already:
 * they then inherited these, too, and only samples of their own events may count.  False with errno, and
 * the pid it concerns. */
bool open_targets(struct opener *, struct watches *, struct threads *found, uint32_t *sure, int32_t *pid);
/* Takes in the command, which has been forked and waits.  False with errno. */
bool open_targets_launched(struct opener *, struct watches *);
/* Opens all events once more, on the processes in FOUND and all their descendants. */
bool open_targets_again(struct opener *, struct watches *, struct threads *found, uint32_t *sure);

#endif
