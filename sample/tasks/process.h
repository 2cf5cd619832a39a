/* Which processes and threads exist and what they map: kept true by the kernel's records (MMAP2, COMM, FORK, EXIT), and
 * by /proc for what was there before. */
#ifndef SAMPLE_PROCESS_H
#define SAMPLE_PROCESS_H

#include "sym/module/space.h"

struct file_id;
struct mapped;

struct process {
	struct space space;        /* first: space callbacks find the process by it */
	struct processes *all;
	int32_t pid;
	uint32_t threads;          /* alive and known */
	bool scanned;              /* /proc/PID/maps has been read (or the process was born under our eyes) */
	bool stale;                /* records were lost: read the maps again before the next sample */
	bool sampled;              /* for the caller: it has had a sample */
	bool contained;            /* for the caller: CONTAINER is its own, not still its parent's */
	const char *container;     /* for the caller */
	uint64_t starting;         /* after its exec: the kernel still loads it until then, and it has no user side; else 0 */
	uint64_t rescanned;        /* when they were read last, ns */
	struct module *jit;        /* its JIT code as of now, once it has some */
	struct module *jit_parent; /* of the process it was forked off */
	/* Of mapped.c alone. */
	struct mapped *mapped;
	uint64_t pause;            /* ns between reading the maps again: grows while that does not help */
	int32_t by;                /* see foreign_by */
	uint32_t root;             /* see roots.h */
	uint64_t jit_looked;       /* when its JIT's files were looked at last */
	uint64_t jit_since;        /* from then on (and once JIT_OVER) another module stands for its JIT code */
	bool jit_over;
	struct process *lender;    /* its maps are still those of its parent, not yet copied */
	struct process *borrowers, *next_borrower;
	/* Of process.c alone. */
	uint64_t born;             /* time of its FORK record, or 0 */
	uint32_t tasks;            /* in the tables, the dead too */
	struct process *next;      /* of the same hash, or free */
};

struct task {
	int32_t pid, tid;
	char comm[16];
	struct process *process;
	uint32_t slot;             /* for the caller: the profile's thread + 1, 0 until it is known; cleared when comm changes */
	bool dead;
	bool sampled;              /* for the caller: it has had a sample */
	int32_t own;               /* not 0: only the events opened on that thread count for it (see open.h) */
	/* Of weigh.c alone: ns in its samples, of the events as they were opened the SEEN_INth time; and in the last one. */
	uint64_t seen_ns, every_ns;
	uint32_t seen_in;
	/* For the caller: the same of its waits; and the stack it waits with, and what is left of a microsecond. */
	uint32_t wait_slot, wait_node, waker_node, wait_rest, ran_rest;
	/* Of wait.c alone. */
	struct {
		uint64_t since;    /* it is off the CPU, or on it */
		uint64_t ran;      /* ns on the CPU that are still to be told */
		uint32_t losses;   /* of records, by then */
		uint8_t state;
		bool runnable, stack;
		uint64_t woken;    /* when, or 0 */
	} wait;
	/* Of process.c alone. */
	uint64_t died;
	struct task *next, *next_dead;
};

struct processes;

struct processes *processes_new(struct modules *);
void processes_free(struct processes *);
struct task *processes_task(struct processes *, int32_t pid, int32_t tid);   /* made from /proc if it is new; NULL at the cap */
struct task *processes_thread(struct processes *, int32_t tid);   /* whosever it is */
struct task *processes_known(struct processes *, int32_t pid, int32_t tid);   /* NULL: not known */
struct process *processes_find(struct processes *, int32_t pid);             /* NULL: not known */
/* From now on only those already known and their children are let in: processes_task gives NULL for others. */
void processes_only_known(struct processes *, bool children);
/* Calls for each process that is alive. */
void processes_each(struct processes *, void (*)(void *ctx, struct process *), void *ctx);
/* The same for each of its threads. */
void processes_tasks(struct processes *, void (*)(void *ctx, struct task *), void *ctx);
/* Records come of single threads only: others of their processes may map what no record tells of. */
void processes_partial(struct processes *);

/* Reads the name of its first thread again. */
void process_name(struct process *);

/* What the kernel's records say, in the order of time. */
void processes_fork(struct processes *, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, uint64_t time);
void processes_exit(struct processes *, int32_t pid, int32_t tid, uint64_t time);
void processes_comm(struct processes *, int32_t pid, int32_t tid, const char *comm, bool exec,
                    uint64_t time);
void processes_map(struct processes *, int32_t pid, int32_t tid, uint64_t lo, uint64_t hi, uint64_t off,
                   const struct file_id *, uint64_t time);
/* Records were lost: any maps may be wrong. */
void processes_lost(struct processes *);
/* Forgets who died well before TIME, and what mapped_tidy does. */
void processes_tidy(struct processes *, uint64_t time, bool last);
/* How many roots its processes were seen to have, and how often files could not be opened any more. */
uint32_t processes_places(const struct processes *);
/* How often maps were read again. */
uint32_t processes_reread(const struct processes *);

#endif
