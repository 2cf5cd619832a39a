/* Which processes and threads exist and what they map: the kernel's records (MMAP2, COMM, FORK, EXIT) keep this true, and /proc
 * tells what was there before. */
#ifndef SAMPLE_TASKS_PROCESS_H
#define SAMPLE_TASKS_PROCESS_H

#include "process_maps.h"

struct file_id;

/* What files above this one keep with each process and thread, to reach it at once.  Only the files named with a struct fill
 * and read it; process.c just makes it empty. */

/* cmd/capture/collector.c: the container of a process.  At first a child has its parent's, which is not its OWN. */
struct process_container {
	bool own;
	const char *name;
};

/* cmd/capture: the profile's number + 1 for the thread, and for its waits; 0 until prof knows it, and again once COMM
 * changes. */
struct task_named {
	uint32_t thread, wait_thread;
};

/* cmd/capture: the stacks with which the thread waits and is woken (+ 1), and what is left of a microsecond.  If the first is cut: the
 * time of its sample, while prof may still read the rest of it, and else 0; with the rest, once prof has read it, and how its walk
 * ended. */
struct task_waits {
	uint32_t node, waker_node, rest, ran_rest;
	uint64_t unread;
	uint32_t whole_node, whole_end;
};

/* The session. */
struct task_counted {
	bool sampled;              /* it has had a sample */
	int32_t own;               /* not 0: only the events opened on that thread count for it (see open_targets.h) */
	uint32_t told_in, told;    /* since prof opened the events for the TOLD_INth time: the number, from 1, of the event whose last */
	                           /* occurrence only the new one has told so far; or 0 */
};

/* sample_weight.c: ns in its samples, since prof opened the events for the SEEN_INth time; and in the last one. */
struct task_weight {
	uint64_t seen_ns, every_ns;
	uint32_t seen_in;
};

/* waiting/wait.c. */
struct task_wait {
	uint64_t since;            /* since when it is off the CPU, or on it */
	uint64_t ran;              /* ns on the CPU that no sample or wait shows yet */
	uint32_t losses;           /* times that records were lost until then */
	uint8_t state;
	bool runnable, stack;
	uint64_t woken;            /* when, or 0 */
	uint64_t read;             /* when prof had read the rest of its stack, or 0 */
};

struct process {
	struct process_maps maps;
	int32_t pid;
	uint32_t threads;          /* alive and known */
	bool sampled;              /* the session's: it has had a sample */
	struct process_container container;
	/* Of process.c alone. */
	struct processes *all;
	uint64_t starting;         /* after its exec: the kernel still loads it until then; UINT64_MAX before; else 0 */
	bool executing;            /* the record of its exec has come, but none of its mappings yet */
	uint64_t born;             /* time of its FORK record, or 0 */
	uint32_t tasks;            /* in the tables, the dead too */
	struct process *next;      /* of the same hash, or free */
};

struct task {
	int32_t pid, tid;
	char comm[16];
	struct process *process;
	bool dead;
	struct task_counted counted;
	struct task_named named;
	struct task_weight weight;
	struct task_wait wait;
	struct task_waits waits;
	/* Of process.c alone. */
	uint64_t died;
	struct task *next, *next_dead;
};

struct processes;

struct processes *processes_new(struct modules *);
void processes_free(struct processes *);
struct task *processes_task(struct processes *, int32_t pid, int32_t tid);   /* made from /proc if it is new; NULL at the cap */
struct task *processes_thread(struct processes *, int32_t tid);   /* whatever process has it */
struct task *processes_known(struct processes *, int32_t pid, int32_t tid);   /* NULL: not known */
struct process *processes_find(struct processes *, int32_t pid);             /* NULL: not known */
/* Takes in no new processes from now on, except children of known ones: processes_task gives NULL for others. */
void processes_only_known(struct processes *, bool children);
/* Calls for each process that is alive. */
void processes_each(struct processes *, void (*)(void *ctx, struct process *), void *ctx);
/* Calls for each thread of each process that is alive. */
void processes_tasks(struct processes *, void (*)(void *ctx, struct task *), void *ctx);
/* Says that records come from single threads only: other threads of a process may map files without a record. */
void processes_partial(struct processes *);

/* Says that the processes are those of a recording: prof knows only their records and what FINDER opens; /proc says nothing of
 * them. */
void processes_recorded(struct processes *, const struct file_finder *);

/* Makes its maps ready for use, as of TIME: reads or copies them if that is not done yet.  False if records are lost, and nobody
 * knows what it mapped at TIME. */
bool process_ready(struct process *, uint64_t time);
/* Says that it waits for its exec: until then its samples belong to prof, not to the command. */
void process_before_exec(struct process *);
bool process_is_before_exec(const struct process *);
/* Whether at TIME, in the KERNEL or not, it has no user side yet: the kernel still loads what it executes. */
bool process_is_starting(struct process *, bool kernel, uint64_t time);

/* What the kernel's records say, in the order of time. */
void processes_fork(struct processes *, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, uint64_t time);
void processes_exit(struct processes *, int32_t pid, int32_t tid, uint64_t time);
/* Whether the process has ended once thread TID of it has: none that prof knows is alive, nor the first one, which may be unknown. */
bool processes_over(struct processes *, int32_t pid, int32_t tid);
/* Whether a record of an exit really means an exec that changes credentials: then the kernel takes away the thread's own
 * events, and writes the same record.  It comes after the exec's COMM record, and before any mapping. */
bool processes_is_exec(struct processes *, int32_t pid, int32_t tid);
void processes_comm(struct processes *, int32_t pid, int32_t tid, const char *comm, bool exec,
                    uint64_t time);
void processes_map(struct processes *, int32_t pid, int32_t tid, uint64_t lo, uint64_t hi, uint64_t off,
                   const struct file_id *, uint64_t time);
/* PID has just mapped a file, earlier records may wait for their turn: opens it if prof has not. */
void processes_ahead(struct processes *, int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *);
/* Records may have been lost until that TIME (0: none): any maps may be wrong. */
void processes_lost(struct processes *, uint64_t time);
/* Forgets processes and threads that ended well before TIME, and what maps_tidy forgets. */
void processes_tidy(struct processes *, uint64_t time, bool last);
/* How many roots prof saw its processes have, and how often it could not open a file any more. */
uint32_t processes_places(const struct processes *);
/* How many times prof has read maps again. */
uint32_t processes_reread(const struct processes *);

#endif
