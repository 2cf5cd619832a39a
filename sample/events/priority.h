/* Priorities: the reader and its helpers do not wait for the threads that are sampled, and those threads do not wait for the
 * reader. */
#ifndef SAMPLE_EVENTS_PRIORITY_H
#define SAMPLE_EVENTS_PRIORITY_H

#include <stdbool.h>

#include "ring.h"

struct priority {
	bool realtime, raised;
	bool waived;               /* it is ordinary for now */
	int nice;                  /* before */
};

/* Whether prof may get a real-time priority. */
bool priority_may(void);
/* Raises this process's as far as it may, to a real-time one only where there are more CPUs than one; children that it
 * has then do not get that. */
void priority_raise(struct priority *, bool cpus);
/* At the beginning of a round, from the first N rings: away from a CPU on which it would stop what is sampled, to those where
 * much less is.  A real-time thread is woken where it ran last, whoever runs there and whatever is idle; so it stays there,
 * though it may run where it might before. */
void priority_aside(const struct priority *, const struct rings *, uint32_t n);
void priority_lower(const struct priority *);
/* What is real-time does not go on so for long: it is ordinary until priority_again. */
void priority_waive(struct priority *);
void priority_again(struct priority *);

#endif
