/* That the reader, and who works for it, need not wait behind those that are sampled, nor those behind it. */
#ifndef SAMPLE_PRIORITY_H
#define SAMPLE_PRIORITY_H

#include <stdbool.h>

#include "ring.h"

struct priority {
	bool realtime, raised;
	int nice;                  /* before */
};

/* Whether a real-time priority may be had. */
bool priority_may(void);
/* Raises this process's as far as it may, to a real-time one only where there are more CPUs than one; children that it
 * has then do not get that. */
void priority_raise(struct priority *, bool cpus);
/* At the beginning of a round, from the first N rings: away from a CPU on which it would stop what is sampled, to those where
 * much less is.  A real-time thread is woken where it ran last, whoever runs there and whatever is idle; so it stays there,
 * though it may run where it might before. */
void priority_aside(const struct priority *, const struct rings *, uint32_t n);
void priority_lower(const struct priority *);

#endif
