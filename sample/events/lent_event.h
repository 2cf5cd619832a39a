/* Which events prof opens with lent rights: with capabilities that prof's file has, and that its caller does not have. */
#ifndef SAMPLE_EVENTS_LENT_EVENT_H
#define SAMPLE_EVENTS_LENT_EVENT_H

#include <stdint.h>

struct capture;
struct event;
struct perf_event_attr;

/* Samples a second at most. */
enum { LENT_RATE = 10000 };

/* Says why prof refuses this event of CAPTURE; NULL if it does not. */
const char *lent_event_refused(const struct capture *, const struct event *);
/* How many of the WISHED bytes of stack may come with each sample of this event. */
uint32_t lent_event_stack(const struct capture *, const struct event *, uint64_t freq, uint32_t wished);
/* Does what perf_open does, on a thread (0: the calling thread).  It checks before and after that the thread is the caller's.
 * -1 with errno. */
int lent_event_open(struct perf_event_attr *, int32_t tid, int32_t cpu);

#endif
