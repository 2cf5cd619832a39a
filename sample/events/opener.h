/* Events opened on targets: on every thread and CPU, or on CPUs alone, all of a CPU's events writing into its one ring. */
#ifndef SAMPLE_OPEN_H
#define SAMPLE_OPEN_H

#include "lib/index.h"
#include "sample/tasks/cgroup.h"
#include "deep_stack.h"
#include "record.h"
#include "ring.h"
#include "sample/session.h"
#include "sample/tasks/threads.h"

struct perf_event_attr;

/* One event on one thread (or, -1, all of them) and one CPU. */
struct watch {
	int fd;                    /* -1: a helper's */
	int32_t tid;
	uint32_t event;            /* number in capture.event */
	uint64_t id;               /* what its samples carry; of later events greater */
};

struct watches {
	struct watch *watch;
	uint32_t n, cap;
	struct index index;        /* by id */
	struct helper *helper;     /* who holds those that are beyond our own descriptors: see hold.h */
	uint32_t nhelper, cap_helper;
};

/* What an event counted over all of its threads and CPUs. */
struct total {
	uint64_t running;          /* ns of CPU time while it was on */
	uint64_t lost;
};

/* Where events are. */
enum { REGS_EXTENDED = 40 };   /* registers of that number and above: there may be one, aarch64's length of vectors (Linux 6.1, SVE) */

enum reach {
	REACH_THREADS,             /* on the target's threads, and inherited by what they start */
	REACH_CGROUP,              /* on CPUs, in a cgroup of the command's own */
	REACH_GIVEN,               /* on CPUs, in a cgroup of others */
	REACH_TREE,                /* on CPUs: others' samples come too, and are left out */
	REACH_SYSTEM,              /* on CPUs, whoever runs there */
};

struct opener {
	struct capture capture;    /* its stack size and user chain are those to open with next */
	struct rings rings;        /* one a CPU; then, where that may be seen, one a CPU for what is executed */
	uint32_t nsample;          /* of them: those for samples */
	int32_t *cpu;
	uint32_t ncpu, cap_cpu;
	struct record_shape shape;
	struct deep deep;
	uint64_t freq;             /* as the kernel was asked for at last */
	size_t ring_bytes;
	size_t stack_most;         /* copied with a sample, as the reader keeps up */
	size_t stack_limit;        /* ... whatever it does */
	bool first;                /* it need not wait for a CPU */
	uint64_t files;            /* descriptors that are events */
	enum reach reach;
	struct cgroup cgroup;
	const char *no_cgroup;     /* why there is none for a command, or NULL */
	int refused;               /* errno that stood against the rings, or against the kernel's side; 0 */
	/* What this kernel was found to be too old for. */
	bool no_lost, no_build_id, no_inherit_thread, no_ksymbol;
};

/* Finds the CPUs and maps the rings.  False and REFUSAL filled where that cannot be had. */
bool opener_init(struct opener *, const struct capture *, struct refusal *);
void opener_free(struct opener *);

/* Samples a second, at most, as the kernel has it now. */
uint64_t opener_rate(void);
/* The limit on descriptors; it is raised as far as it may be. */
uint64_t opener_files(void);
void opener_more_files(void);
/* Less of the stack, or MUCH less, is to be opened with from now on, for good.  False where there is no less. */
bool opener_stack_less(struct opener *, bool much);
/* So many TIMES as much may be. */
void opener_stack_more(struct opener *, uint32_t times);
/* The stack size and user chain to open with from now on. */
void opener_stack(struct opener *, uint32_t stack_size, bool user_chain);
/* Opens all events, stopped, for a command that is still to be forked, or on the threads of what is asked for, until all that there are have them.  FOUND takes the
 * threads; those from SURE on may have been born to a thread that had its events already: they then inherited these, too,
 * and only samples of their own events may count.  0, or an errno and the pid it concerns. */
int opener_open(struct opener *, struct watches *, struct threads *found, uint32_t *sure, int32_t *pid);
/* The command is there, forked, and waits: it is taken in.  0 or an errno. */
int opener_launched(struct opener *, struct watches *);
/* From now on the events have a period of NS, and so have those of threads that come to be; not those of threads that
 * there are already.  False where there are too many events for that. */
bool watches_period(const struct watches *, uint64_t ns);
/* The same for the processes in FOUND and all that descends from them. */
int opener_reopen(struct opener *, struct watches *, struct threads *found, uint32_t *sure);

/* An event as it is described, on a thread or, where that is -1, on whoever is to be seen on the CPU, and OTHERS. */
int opener_perf(const struct opener *, struct perf_event_attr *, int32_t tid, int32_t cpu, bool others);
/* Event number EVENT on a thread (-1: all) and CPU, started by its exec where ON_EXEC: its descriptor, or -1 with errno. */
int opener_event(struct opener *, uint32_t event, int32_t tid, int32_t cpu, bool on_exec);
/* Asks the keeper, if there is one, for the events of up to N threads in one go: to be opened next, in that order.  How many. */
uint32_t watches_ahead(const struct opener *, const struct thread *, uint32_t n);
/* All events of one thread (-1: of the CPUs), started by its exec where ON_EXEC.  0 or an errno. */
int watches_add(struct opener *, struct watches *, int32_t tid, bool on_exec);
/* Takes note of an event that is open.  False at the memory cap. */
bool watches_know(struct watches *, const struct watch *);
void watches_enable(const struct watches *);
void watches_disable(const struct watches *);
/* Adds what the kernel counted. */
void watches_total(const struct opener *, const struct watches *, struct total *total);
const struct watch *watches_find(const struct watches *, uint64_t id);
/* Closes the events; which they were is still known. */
void watches_close(struct opener *, struct watches *);
void watches_forget(struct watches *);

#endif
