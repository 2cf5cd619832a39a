/* What a capture tells beside its samples. */
#ifndef SAMPLE_SESSION_COUNTS_H
#define SAMPLE_SESSION_COUNTS_H

#include "sample/ptrace/stop_counts.h"
#include "sample/waiting/wait.h"

struct session_counts {
	uint64_t samples, lost, throttled;
	uint64_t idle;             /* with -a: samples of the idle task, which prof left out */
	uint64_t too_short;        /* CPU time of threads without a sample of a similar thread, in samples */
	uint64_t strangers;        /* samples of processes outside of prof's pid namespace */
	uint64_t left_out;         /* samples for which others stand, so that prof is no load */
	uint64_t others;           /* samples of other processes, which prof left out */
	uint64_t enabled_ns;       /* CPU time of the target that the events saw, as the kernel counts it */
	uint64_t unseen_samples;   /* expected from enabled_ns, but in the kernel and not visible */
	uint64_t unsampled;        /* expected from enabled_ns, but of threads that ran for less than a sample stands for */
	uint64_t processes, threads;   /* with at least one sample */
	uint64_t freq;             /* as really used (clamped) */
	uint64_t stack_size;       /* as last used */
	uint64_t deep;             /* samples of which prof read more stack than that */
	uint64_t crowd;            /* threads that were too many for descriptors, so that the events are on CPUs; or 0 */
	uint64_t rings, ring_bytes;
	uint64_t maps_reread;
	struct wait_counts waits;
	const char *reach;         /* what the events are on, in words */
	bool whole_machine;        /* the user asked for a cgroup, and it is the one that holds all processes */
	const char *no_cgroup;     /* why not on a cgroup of the command's own, or NULL */
	struct stop_counts stopper;   /* of the ptrace engine */
	const char *tracer;        /* a program that ran and wants to trace others, which it cannot with that engine; or NULL */
};

#endif
