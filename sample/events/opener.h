/* What opening events needs: the CPUs and their rings, where the events go, what their samples carry, and who opens them. */
#ifndef SAMPLE_EVENTS_OPENER_H
#define SAMPLE_EVENTS_OPENER_H

#include "capture.h"
#include "deep_stack.h"
#include "event.h"
#include "pressure.h"
#include "record.h"
#include "ring.h"
#include "sample/tasks/cgroup.h"

struct refusal;

/* Where events are. */
enum reach {
	REACH_THREADS,             /* on the target's threads, and inherited by what they start */
	REACH_CGROUP,              /* on CPUs, in a cgroup of the command's own */
	REACH_GIVEN,               /* on CPUs, in a cgroup of others */
	REACH_TREE,                /* on CPUs: samples of other processes come, too, and prof drops them */
	REACH_SYSTEM,              /* on CPUs, for all that runs there */
};

/* Opens events when prof itself no longer has the right to.  Returns descriptors, or -1 with errno. */
struct opener_door {
	int (*event)(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain);
	/* Asks for one event in advance; EVENT is called for it later, in the order of asking.  False if enough are under
	 * way. */
	bool (*ahead)(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain);
	int (*helper)(void);       /* the socket of a helper that waits to be told what to open */
	bool (*first)(bool needs); /* makes prof real-time again, see priority_first; or prof needs that no more */
	void (*cgroup)(void);      /* the command's cgroup is not needed any more */
};

struct opener {
	const struct opener_door *door;   /* NULL: prof itself */
	struct capture capture;    /* its stack size and user chain are those to open with next */
	struct rings rings;        /* one a CPU; then, if prof may see that, one a CPU for what processes execute */
	uint32_t nsample;          /* of them: those for samples */
	int32_t *cpu;
	uint32_t ncpu, cap_cpu;
	struct record_shape shape;
	struct deep deep;
	bool wakes;                /* the last event is of wakings */
	uint64_t freq;             /* as prof last asked the kernel for it */
	size_t ring_bytes;
	bool first;                /* the reader need not wait for a CPU */
	uint64_t files;            /* descriptors that are events */
	uint32_t crowd;            /* threads that were too many for descriptors, so that the events are on CPUs; or 0 */
	enum reach reach;
	struct cgroup cgroup;
	const char *no_cgroup;     /* why a command has no cgroup of its own, or NULL */
	unsigned tried;            /* the event that prof last tried to open, from 1 */
	int refused;               /* errno with which the kernel refused the rings, or its own side; 0 */
	/* What this kernel is too old for, as prof found out. */
	bool no_lost, no_build_id, no_inherit_thread, no_ksymbol;
};

/* Finds the CPUs and maps the rings.  Else false, and fills REFUSAL. */
bool opener_init(struct opener *, const struct capture *, struct refusal *);
void opener_free(struct opener *);

/* The most samples a second that the kernel allows now. */
uint64_t opener_rate(void);
/* The limit on descriptors; the second function raises it as far as it may. */
uint64_t opener_files(void);
void opener_more_files(void);
/* Sets what later events ask for; and returns what they ask for now. */
void opener_intake(struct opener *, const struct intake *);
struct intake opener_asked(const struct opener *);
/* How many bytes of stack events take from now on, and whether they take the user's chain. */
void opener_stack(struct opener *, uint32_t stack_size, bool user_chain);
/* For a forked process: closes all descriptors from 3 on but its N OWN, the rings, the cgroup and the program that reads deep
 * stacks. */
void opener_only(const struct opener *, const int *own, unsigned n);

#endif
