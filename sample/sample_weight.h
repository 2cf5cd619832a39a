/* What samples stand for if threads inherit events.  Then each new thread begins with a whole period on each CPU, and a
 * thread that ends before that is never sampled.  So new threads begin with a shorter period while many of them are short.
 * The kernel tells the time of each thread when it ends, and the samples of its name share that time. */
#ifndef SAMPLE_SAMPLE_WEIGHT_H
#define SAMPLE_SAMPLE_WEIGHT_H

#include "sample/tasks/process.h"

enum { NAMES = 256 };

#define WEIGH_SHORTEST UINT64_C(100000)   /* ns: what a new thread's first period may become */

struct weights {
	uint64_t period;           /* ns of CPU that a sample stands for; 0: every sample counts once */
	uint64_t first;            /* ns: the period of new threads, and of those on which prof opened events */
	bool whole;                /* prof sees user and kernel side, so it knows the time without samples */
	uint32_t opened;           /* how many times prof has opened the events */
	uint64_t runs, run_ns;     /* runs of threads that ended since LOOKED, each on one CPU, and their time */
	uint64_t looked, many;     /* when prof last looked at these runs, and when many of them were short last */
	uint32_t turn;
	int64_t ends, told;        /* threads that ended, and the known ns of all threads */
	int64_t last;              /* ns that a thread runs after its events, while the kernel takes it apart */
	struct name_weight {       /* by name, ns unless said otherwise */
		int64_t sampled;
		int64_t fired;     /* periods that ended, of threads that have ended, sampled or (in the kernel) not */
		int64_t rest;      /* time after the last period of threads that ended */
		int64_t given;     /* samples */
	} name[NAMES];
};

/* The user wants one sample each NS of CPU; WHOLE: prof sees both sides. */
void weigh_init(struct weights *, uint64_t ns, bool whole);
/* For how many samples this sample counts; the kernel says that it came after NS of CPU time.  0: a later sample counts for
 * it. */
uint64_t weigh_sample(struct weights *, struct task *, uint64_t ns);
/* A thread has ended that was on a CPU for NS in all. */
void weigh_end(struct weights *, struct task *, uint64_t ns);
/* The kernel's accounts say that all threads ran NS in all, with those that have ended. */
void weigh_account(struct weights *, uint64_t ns);
/* The period for new threads from now on, ns; 0: no change. */
uint64_t weigh_first(struct weights *, uint64_t now);
/* The time that no sample stands for, in samples. */
uint64_t weigh_left(const struct weights *);

#endif
