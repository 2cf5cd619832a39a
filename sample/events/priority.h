/* Priorities: the reader and its helpers do not wait for the threads that are sampled, and those threads do not wait for the
 * reader. */
#ifndef SAMPLE_EVENTS_PRIORITY_H
#define SAMPLE_EVENTS_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "ring.h"

struct priority {
	bool realtime, raised;
	bool waived;               /* it is ordinary for now */
	int nice, ordinary;        /* before; and while it is ordinary */
	uint64_t since, ran;       /* ns: when it last looked at its part of a CPU while ordinary, and what it had used then */
};

/* What another process knows of the reader, so that it sees whether real-time threads keep the reader from its CPU. */
struct guard {
	pid_t pid;
	int stat, schedstat;       /* where the kernel tells whether it wants a CPU, and how long it has waited for one */
	uint64_t looked;           /* ns: when the guard last looked, */
	uint64_t ran, waited;      /* how long it had run and waited then, */
	bool wants;                /* and whether it wanted a CPU */
	bool urgent;               /* it goes before all other real-time threads */
};

/* Whether prof may get a real-time priority. */
bool priority_may(void);
/* Raises this process's priority as far as it may, to a real-time one only if there are more CPUs than one.  Children that it
 * makes then do not get that priority. */
void priority_raise(struct priority *, bool cpus);
/* Called at the beginning of a round, with the first N rings: moves the reader away from a CPU on which it would stop what prof
 * samples, to those where much less is sampled.  The kernel wakes a real-time thread where it ran last, whoever runs there and
 * whatever is idle; so it stays there, though it may run where it might before. */
void priority_aside(const struct priority *, const struct rings *, uint32_t n);
void priority_lower(const struct priority *);
/* Makes a process (0: this one) real-time, with the largest weight for when it is ordinary.  Other real-time threads go before it; if
 * it is URGENT, only those do not wait for it that have the highest priority, too. */
bool priority_first(pid_t, bool urgent);
/* Makes the process ordinary until priority_again, so that it does not stay real-time for too long.  Later calls see to it that
 * the process gets a part of a CPU, however many threads want it.  FIRST does what priority_first does, by another process's
 * rights; NULL: this process has the right. */
void priority_waive(struct priority *);
void priority_again(struct priority *, bool (*first)(bool needs));
/* The guard is urgent.  It looks after the process now and then, and makes it urgent for good once that waits for its CPU most of the
 * time. */
void priority_guard(struct guard *, pid_t);
void priority_look(struct guard *);

#endif
