/* Opens one event. */
#ifndef SAMPLE_EVENTS_OPEN_EVENT_H
#define SAMPLE_EVENTS_OPEN_EVENT_H

#include "opener.h"

struct perf_event_attr;

/* Opens an event with these attributes: on a thread or, if that is -1, on all that runs on the CPU.  If the capture has a
 * cgroup, it opens only there, except an event of wakings. */
int open_event_as(const struct opener *, const struct event *, struct perf_event_attr *, int32_t tid, int32_t cpu);
/* Event number EVENT on a thread (-1: all) and CPU, started by its exec where ON_EXEC: its descriptor, or -1 with errno. */
int open_event(struct opener *, uint32_t event, int32_t tid, int32_t cpu, bool on_exec);
/* If another process opens events for prof, asks it ahead for the event of a later open_event; it answers in order.  False if
 * there is no such process, or it has enough requests. */
bool open_event_ahead(const struct opener *, uint32_t event, int32_t tid, int32_t cpu);

#endif
