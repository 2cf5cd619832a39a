/* Which processes and threads exist and what they map: kept true by the kernel's records (MMAP2, COMM, FORK, EXIT), and
 * by /proc for what was there before. */
#ifndef SAMPLE_PROCESS_H
#define SAMPLE_PROCESS_H

#include "../sym/space.h"

struct process {
	struct space space;        /* first: space callbacks find the process by it */
	struct processes *all;
	int32_t pid;
	uint32_t threads;          /* alive and known */
	bool scanned;              /* /proc/PID/maps has been read (or the process was born under our eyes) */
	bool stale;                /* records were lost: read the maps again before the next sample */
	uint64_t rescanned;        /* when they were read last, ns */
	struct module *jit;        /* its JIT code, once it has some */
	struct module *jit_parent; /* of the process it was forked off */
};

struct task {
	int32_t pid, tid;
	char comm[16];
	struct process *process;
	uint32_t slot;             /* for the caller: the profile's thread + 1, 0 until it is known; cleared when comm changes */
	bool dead;
};

struct processes;

struct processes *processes_new(struct modules *);
void processes_free(struct processes *);
struct task *processes_task(struct processes *, int32_t pid, int32_t tid);   /* made from /proc if it is new; NULL at the cap */

#endif
