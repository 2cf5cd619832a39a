/* All open events: on each thread and CPU, or on CPUs alone.  All events of a CPU write into its one ring. */
#ifndef SAMPLE_EVENTS_WATCHES_H
#define SAMPLE_EVENTS_WATCHES_H

#include "helpers.h"
#include "lib/index.h"
#include "opener.h"
#include "sample/tasks/threads.h"

/* One event on one thread (or, -1, all of them) and one CPU. */
struct watch {
	int fd;                    /* -1: a helper's */
	int32_t tid;
	int32_t cpu;
	uint32_t event;            /* number in capture.event */
	uint64_t id;               /* its samples carry this id; later events have greater ones */
};

struct watches {
	struct watch *watch;
	uint32_t n, cap;
	struct index index;        /* by id */
	struct helpers helpers;    /* the helpers, which hold the events beyond prof's own descriptors */
};

/* If the keeper opens events, asks it for those of up to N threads at once.  watches_add takes them next, in that order.
 * Returns for how many threads. */
uint32_t watches_ahead(const struct opener *, const struct thread *, uint32_t n);
/* Opens all events of one thread (-1: of the CPUs).  With ON_EXEC, its exec starts them.  False with errno. */
bool watches_add(struct opener *, struct watches *, int32_t tid, bool on_exec);
/* Notes an event that is open.  False at the memory cap. */
bool watches_know(struct watches *, const struct watch *);
void watches_enable(const struct watches *);
void watches_disable(const struct watches *);
/* Stops, in a signal handler, those events that helpers do not hold. */
void watches_stop(const struct watches *);
/* Adds the kernel's counts. */
void watches_total(const struct opener *, const struct watches *, struct total *total);
const struct watch *watches_find(const struct watches *, uint64_t id);
/* Closes the events, but still knows which they were. */
void watches_close(struct opener *, struct watches *);
void watches_forget(struct watches *);
/* Gives the events a period of NS.  Threads that begin later get it, too; threads that have inherited their events already
 * keep the old one.  False if there are too many events for that. */
bool watches_period(const struct watches *, uint64_t ns);

#endif
