/* The events that show waiting: one has a sample at each switch away from a thread, one at each waking of a thread. */
#ifndef SAMPLE_EVENTS_SWITCH_EVENT_H
#define SAMPLE_EVENTS_SWITCH_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "lib/cursor.h"

/* A sample at each switch away from a thread: from the tracepoint if prof may use it, else from the kernel's count of switches. */
struct event switch_event(void);
/* Makes E the other way of seeing switches, if the kernel refused the first; false if there is no other. */
bool switch_event_other(struct event *);

/* A sample at each waking, with the waker's stack.  NULL, or why prof cannot have it: words behind its subject. */
const char *switch_event_waking(struct event *);
/* The thread that such a sample wakes, and whether an INTERRUPT wakes it.  False if the record is too short. */
bool switch_event_woken(struct cursor raw, int32_t *tid, bool *interrupt);

#endif
