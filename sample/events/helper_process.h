/* A helper: a process that opens events and holds them, because one process may not have descriptors for all. */
#ifndef SAMPLE_EVENTS_HELPER_PROCESS_H
#define SAMPLE_EVENTS_HELPER_PROCESS_H

#include <sys/types.h>

#include "watches.h"

/* Opens the events of N threads, in as many helpers as needed; W learns their ids.  It skips threads that have ended.  False
 * with errno. */
bool helper_open(struct opener *, struct watches *w, const struct thread *, uint32_t n);
/* Forks a helper, which waits for orders to open events, and opens them on the threads that MAY allows (NULL: on all).  Returns
 * its socket, or -1 with errno. */
int helper_fork(struct opener *, bool (*may)(int32_t tid), pid_t *);

#endif
