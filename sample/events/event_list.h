/* Lists of events as -e takes them. */
#ifndef SAMPLE_EVENTS_EVENT_LIST_H
#define SAMPLE_EVENTS_EVENT_LIST_H

#include "event.h"

/* Adds the events of LIST ("cycles:u,{page-faults,sched:*}") to EVENT[*N], of which there are EVENTS_MAX; strings go to the
 * arena.  NULL if all is well, else what is wrong, in words that name the event and the nearest known name. */
const char *event_parse(struct event *event, unsigned *n, const char *list, struct arena *);
/* What is wrong with LIST, if that is more than that there is no such event; else NULL. */
const char *event_why_none(const char *list, struct arena *);
/* Gives FILTER to the last event, and to those that the same entry of the list stands for.  NULL, or what is wrong. */
const char *event_filter(struct event *event, unsigned n, const char *filter, struct arena *);

/* Gives the last event, and those of the same entry, the field whose value their samples show as their innermost frame. */
const char *event_leaf(struct event *event, unsigned n, const char *field, struct arena *);

#endif
