/* The threads that the stopper traces, and what /proc says of them. */
#ifndef SAMPLE_PTRACE_STOPPER_THREAD_H
#define SAMPLE_PTRACE_STOPPER_THREAD_H

#include "lib/mem.h"
#include "sample/tasks/threads.h"

struct tracee {
	struct thread who;
	int fd;                    /* its schedstat, or -1: to be opened each time */
	bool awake;                /* it was on a CPU, or waited for one, when looked at last */
	bool here;                 /* asked on its own CPU: it stops right where it was interrupted */
	bool gone;                 /* over, or not ours any more: swept later */
	bool out;                  /* told as being off the CPU */
	int cpu;                   /* the one that it is on, or was on last */
	uint64_t asked;            /* when it was asked to stop; 0: it is not */
	uint64_t run, runs;        /* ns of CPU that it has had; how often it got one */
	uint64_t delay;            /* ns that it waited for one, all in all */
	uint64_t asked_delay;      /* and as of when it was asked to stop */
	uint64_t woke;             /* when the stopper got its CPU before that */
	uint64_t met, was_run;     /* ns and runs as of its last sample */
	uint64_t counted, usual;   /* ns that samples stand for; and that are between two of them */
	uint64_t had, queued;      /* RUN and DELAY as of when it was told as being out, or not */
	uint64_t looked;           /* when it was looked at for that last */
	uint64_t begun;            /* ns of CPU that it had had when it came to be traced */
	uint64_t execed, told;     /* when it executed a program, and when that's mappings were told last; 0: never */
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
/* Those that are gone go. */
void tracees_sweep(struct tracees *);
/* Reads what it has run.  False where that cannot be had. */
bool tracee_read(struct tracee *);
/* Its number is another's, now that it has executed something: reads there from now on. */
void tracee_reopen(struct tracees *, struct tracee *);
/* Its state, a letter of proc(5), or 0 if it does not exist.  Also its name, and the CPU that it is on or was on last (-1:
 * not known). */
char tracee_state(const struct thread *, char comm[16], int *cpu);
/* Whether it is on a CPU: then it got a CPU once more than it left one. */
bool tracee_is_on(const struct tracee *);
/* The number behind KEY ("\nTgid:\t") in /proc/TID/status, or 0. */
int32_t tracee_status(int32_t tid, const char *key);

#endif
