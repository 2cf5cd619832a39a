/* Helper processes that hold events, where there are more than one process may have descriptors for. */
#ifndef SAMPLE_HOLD_H
#define SAMPLE_HOLD_H

#include <sys/types.h>

#include "opener.h"

/* Opens the events of N threads in as many helpers as it takes; W comes to know their ids.  Those that are gone meanwhile
 * are passed over.  0 or an errno. */
int hold_open(struct opener *, struct watches *w, const struct thread *, uint32_t n);
void hold_enable(const struct watches *);
void hold_disable(const struct watches *);
void hold_total(const struct watches *, struct total *total);
void hold_close(struct watches *);
/* For the keeper: forks a helper, which waits to be told what to open; its socket, or -1 with errno. */
int hold_helper(struct opener *, pid_t *);
/* Closes all from 3 on but OWN, the rings, the cgroup and the program that reads deep stacks. */
void hold_only(const struct opener *, int own);

#endif
