/* A cgroup of prof's own making, so that events see a command and all that descends from it, and nobody else. */
#ifndef SAMPLE_CGROUP_H
#define SAMPLE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup {
	int fd;                    /* of its directory, for PERF_FLAG_PID_CGROUP; 0: there is none */
	char path[480];
};

/* Makes an empty one below prof's own; removes those that earlier profs left behind.  NULL if all is well, else why there
 * is none, in words. */
const char *cgroup_make(struct cgroup *);
/* Puts PID in. */
bool cgroup_put(const struct cgroup *, int32_t pid);
/* Puts whoever is still in it back to where prof is, and removes it. */
void cgroup_remove(struct cgroup *);

#endif
