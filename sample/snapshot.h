/* Threads at this moment: where each of them is, and what it waits for.  A thread that sleeps is not stopped: the kernel tells
 * its stack pointer and pc.  prof stops a running thread for a moment. */
#ifndef SAMPLE_SNAPSHOT_H
#define SAMPLE_SNAPSHOT_H

#include "lib/mem.h"
#include "sample/events/sample.h"
#include "sample/ptrace/pauser.h"

struct capture;

struct snapshot {
	int32_t pid, tid;
	char comm[16];
	char state;                /* of proc(5), or 0: it is over */
	bool kernel;               /* a thread of the kernel */
	uint64_t ran, runs;        /* ns of CPU, and how often it got one */
	uint64_t stood;            /* ns that it was stopped for */
	int32_t err, tracer;       /* why there is no user stack, or 0: as struct paused */
	struct sample sample;      /* without its task; neither REGS nor SP_ONLY: there is no user stack */
	uint64_t regs[64];
	const char *call;          /* its line of /proc/PID/task/TID/syscall, or "" */
	const char *file;          /* the file behind the descriptor that is its system call's first argument, or "" */
	const char *wchan;         /* the kernel's function that it sleeps in, or "" */
	const char *stack;         /* the kernel's own text of its stack, or "" */
};

struct snapshots {
	struct arena arena;        /* of them */
	struct snapshot **one;
	uint32_t n, cap;
	struct pauser pauser;
	struct piece frames[DEEP_PART_PAGES];
	const struct capture *of;  /* its targets, and prstatus */
	bool all_stop;             /* also stops threads that sleep: then all registers are known */
	bool none_stop;
};

/* Takes all threads of the targets; a second call adds its threads behind those of the first.  False with errno. */
bool snapshots_take(struct snapshots *);
/* Stops a thread that prof read while it slept, so that all its registers are known.  True if the thread is still where it was:
 * then its sample has the registers, and a stack that is valid until the next call. */
bool snapshot_again(struct snapshots *, struct snapshot *);
/* Whether a thread that prof read while it slept has not run since. */
bool snapshot_sleeps(const struct snapshot *);
/* Takes a thread anew, stopped, with its interpreter's frames at CHAIN; what its sample has is valid until the next call.  False if that
 * cannot be. */
bool snapshot_with_frames(struct snapshots *, struct snapshot *, const struct deep_chain *);
/* Lets go of all threads.  What prof took stays. */
void snapshots_end(struct snapshots *);
void snapshots_free(struct snapshots *);

#endif
