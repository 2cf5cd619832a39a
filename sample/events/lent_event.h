/* What events may be had with rights that are lent: by the capabilities of prof's file, which its caller lacks. */
#ifndef SAMPLE_EVENTS_LENT_EVENT_H
#define SAMPLE_EVENTS_LENT_EVENT_H

#include <stdint.h>

struct capture;
struct event;
struct perf_event_attr;

/* Samples a second at most. */
enum { LENT_RATE = 10000 };

/* Why one of CAPTURE's may not be had, in words, or NULL. */
const char *lent_event_refused(const struct capture *, const struct event *);
/* The bytes of stack that may come with each of its samples, of those that are wished for. */
uint32_t lent_event_stack(const struct capture *, const struct event *, uint64_t freq, uint32_t wished);
/* As perf_open, on a thread (0: of prof's own) that is the caller's, and goes on to be while that is done; -1 with errno. */
int lent_event_open(struct perf_event_attr *, int32_t tid, int32_t cpu);

#endif
