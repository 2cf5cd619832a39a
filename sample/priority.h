/* That the reader, and who works for it, need not wait behind those that are sampled. */
#ifndef SAMPLE_PRIORITY_H
#define SAMPLE_PRIORITY_H

#include <stdbool.h>

struct priority {
	bool realtime, raised;
	int nice;                  /* before */
};

/* Whether a real-time priority may be had. */
bool priority_may(void);
/* Raises this process's as far as it may, to a real-time one only where there are more CPUs than one; children that it
 * has then do not get that. */
void priority_raise(struct priority *, bool cpus);
void priority_lower(const struct priority *);

#endif
