/* The owner of a process, as /proc shows it.  Questions go through a descriptor of /proc/PID.  It always means that one
 * process: if another process gets the number, the descriptor opens nothing any more. */
#ifndef SAMPLE_TASKS_WHOSE_H
#define SAMPLE_TASKS_WHOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct whose {
	uid_t uid;                 /* root, if other processes of that user may not look into it */
	uint64_t space[3];         /* user, pid and mount namespace; 0: the kernel has none */
	char cgroup[1000];         /* all that /proc says of it */
};

/* A descriptor of /proc/PID, of a process or a thread, or -1. */
int whose_open(int32_t pid);
/* Whether the process still exists. */
bool whose_alive(int dir);
/* The number of its process, or -1. */
int32_t whose_process(int dir);
/* False where /proc does not tell all. */
bool whose_of(int dir, struct whose *);
bool whose_same(const struct whose *, const struct whose *);
/* Whether prof's caller could watch it without any right of prof's: it has the caller's ids and user namespace, no capabilities,
 * and nothing forbids a look into it. */
bool whose_callers(int dir);
/* Whether prof's caller could watch the process that has this number now. */
bool whose_may(int32_t pid);

#endif
