/* Lists of threads, without repetition, from /proc. */
#ifndef SAMPLE_TASKS_THREADS_H
#define SAMPLE_TASKS_THREADS_H

#include "lib/index.h"

struct threads {
	struct thread { int32_t pid, tid; } *thread;
	uint32_t n, cap;
	struct index index;
};

/* False if the thread is in the list already, or at the memory cap. */
bool threads_add(struct threads *, int32_t pid, int32_t tid);
bool threads_has(const struct threads *, int32_t tid);
/* Adds the threads of a process that are there now. */
void threads_of(struct threads *, int32_t pid);
/* Adds the new threads of the processes in the list, and of their children if CHILDREN. */
void threads_again(struct threads *, bool children);
/* Adds the threads of all descendants of the processes in the list, but not those of EXCEPT and its descendants: a process
 * that prof samples may have started prof. */
void threads_families(struct threads *, int32_t except);
/* The parent of process PID, or -1. */
int32_t threads_parent(int32_t pid);
void threads_free(struct threads *);

#endif
