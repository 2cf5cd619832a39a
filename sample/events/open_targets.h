/* Opens the events of a capture on its targets: a command, threads, processes, a cgroup or the whole system. */
#ifndef SAMPLE_EVENTS_OPEN_TARGETS_H
#define SAMPLE_EVENTS_OPEN_TARGETS_H

#include "watches.h"

/* Opens all events, stopped: for a command that the caller forks later, or on the threads of the targets, until every thread
 * has them.  FOUND takes the threads.  A thread from SURE on may be the child of a thread that had its events already; then
 * it inherited those, too, and only samples of its own events may count.  False with errno, and the pid that it is about. */
bool open_targets(struct opener *, struct watches *, struct threads *found, uint32_t *sure, int32_t *pid);
/* Takes in the command, which has been forked and waits.  False with errno. */
bool open_targets_launched(struct opener *, struct watches *);
/* Opens all events once more, on the processes in FOUND and all their descendants. */
bool open_targets_again(struct opener *, struct watches *, struct threads *found, uint32_t *sure);

#endif
