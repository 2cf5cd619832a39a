/* What the ptrace engine did, for the code that tells the user. */
#ifndef SAMPLE_PTRACE_STOP_COUNTS_H
#define SAMPLE_PTRACE_STOP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct stop_counts {
	uint64_t stops;            /* samples taken */
	uint64_t ticks, ticks_ns;  /* how often the stopper looked, in how many ns */
	uint64_t used_ns;          /* CPU time of the stopper */
	uint64_t paused, paused_most;      /* us that a thread was stopped for: the median, and the most */
	bool died;                 /* the stopper was killed */
};

#endif
