/* The threads that the stopper traces, and what /proc says of them. */
#ifndef SAMPLE_PTRACE_STOPPER_THREAD_H
#define SAMPLE_PTRACE_STOPPER_THREAD_H

#include "lib/mem.h"
#include "sample/tasks/threads.h"

struct tracee {
	struct thread who;
	int fd;                    /* its schedstat, or -1: the stopper opens it each time */
	bool awake;                /* at the last look it was on a CPU, or waited for one */
	bool here;                 /* asked on its own CPU: it stops right where it was interrupted */
	bool gone;                 /* it is over, or not prof's any more: tracees_sweep removes it later */
	bool out;                  /* the last record said that it is off the CPU */
	int cpu;                   /* the one that it is on, or was on last */
	uint64_t asked;            /* when the stopper asked it to stop; 0: it has not asked */
	uint64_t run, runs;        /* ns of CPU that it has had; how often it got one, */
	uint64_t uncounted;        /* and how often it did without the kernel counting it */
	uint64_t left;             /* how often it had left one at the last look at that; */
	uint64_t left_run, left_runs;   /* RUN and RUNS then */
	unsigned grew;             /* looks since then at which only RUN had grown */
	uint64_t delay;            /* ns that it waited for one, all in all */
	uint64_t asked_delay;      /* DELAY when the stopper asked it to stop */
	uint64_t woke;             /* when the stopper got its CPU before that */
	uint64_t met, was_run;     /* ns and runs as of its last sample */
	uint64_t counted, usual;   /* ns that samples stand for; and that are between two of them */
	uint64_t had, queued;      /* RUN and DELAY when the last record said that it is out, or not */
	uint64_t looked;           /* when the stopper last looked at it for that */
	uint64_t begun;            /* ns of CPU that it had before the stopper began to trace it */
	uint64_t execed, told;     /* when it executed a program, and when records last told that program's mappings; 0: never */
	struct tracee *next_away;  /* on another CPU than the stopper at this tick */
	struct tracee *next;       /* of the same hash, or free */
	char comm[16];
};

enum { TRACEES = 1024 };

struct tracees {
	struct arena arena;
	struct tracee *free;
	uint32_t files, files_most;
	struct tracee *bucket[TRACEES];
};

struct tracee *tracee_find(const struct tracees *, int32_t tid);
/* A new one, NULL at the memory cap. */
struct tracee *tracee_add(struct tracees *, int32_t pid, int32_t tid);
/* Removes the threads that are gone. */
void tracees_sweep(struct tracees *);
/* Reads how long it has run.  False if /proc does not tell. */
bool tracee_read(struct tracee *);
/* The thread has another number now that it has executed something: reads there from now on. */
void tracee_reopen(struct tracees *, struct tracee *);
/* Its state, a letter of proc(5), or 0 if it does not exist.  Also its name, and the CPU that it is on or was on last (-1:
 * not known). */
char tracee_state(const struct thread *, char comm[16], int *cpu);
/* Whether it is on a CPU: then it got a CPU once more than it left one. */
bool tracee_is_on(struct tracee *);
/* The number behind KEY ("\nTgid:\t") in /proc/TID/status, or 0. */
int32_t tracee_status(int32_t tid, const char *key);

#endif
