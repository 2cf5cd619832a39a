/* Cgroups: those of others, by path or process, and one that prof makes.  In that one, events see a command and its
 * descendants, and no other process. */
#ifndef SAMPLE_TASKS_CGROUP_H
#define SAMPLE_TASKS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup {
	int fd;                    /* its directory, for PERF_FLAG_PID_CGROUP; 0: no cgroup */
	bool root;                 /* it holds all processes */
	bool has_events;           /* the kernel tells there whether it is empty */
	char path[480];
};

/* Opens the cgroup at a path (absolute, or below the mount), or the cgroup of a process.  Returns NULL or what is wrong. */
const char *cgroup_open(struct cgroup *, const char *path_or_pid);
/* Whether it has been removed, or (version 2) is empty. */
bool cgroup_over(const struct cgroup *);
/* Makes an empty cgroup below prof's own, and removes those that earlier profs left behind.  NULL if that worked, else the
 * reason in words. */
const char *cgroup_make(struct cgroup *);
/* Moves PID into it. */
bool cgroup_put(const struct cgroup *, int32_t pid);
/* Moves all processes that are still in it to prof's own cgroup, and removes it. */
void cgroup_remove(struct cgroup *);

#endif
