/* Probes as events that sample.  They exist as long as their descriptors. */
#ifndef SAMPLE_PROBES_PROBE_EVENTS_H
#define SAMPLE_PROBES_PROBE_EVENTS_H

#include "probe_wants.h"
#include "sample/events/event.h"

/* The kernel takes up to half a second to remove the probe of a descriptor. */
enum { PROBE_EVENTS_MOST = 20 };

/* Replaces each probe among EVENT[*N] by the events that it means.  WANTS says on whom; files stay open.  NULL, or what
 * is wrong in words. */
const char *probe_events_find(struct event *event, unsigned *n, const struct probe_wants *wants, struct arena *);

#endif
