/* The directory of a cgroup in the hierarchy of a controller: the cgroup of a process, or one with a name. */
#ifndef SAMPLE_TASKS_CGROUP_DIR_H
#define SAMPLE_TASKS_CGROUP_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The controller that events belong to. */
#define CGROUP_EVENTS "perf_event"
/* The directory of PID's cgroup (0: prof's own), in the hierarchy of that controller.  UNIFIED: that is version 2's
 * hierarchy; it has all controllers that version 1 has not mounted.  NULL if that worked, else the reason in words. */
const char *cgroup_dir(int32_t pid, const char *controller, char *dir, size_t size, bool *unified);
/* The directory of a cgroup by its path (absolute, or relative to the mount), or by a process in it; in the hierarchy for
 * events. */
const char *cgroup_dir_find(const char *path_or_pid, char *dir, size_t size);

#endif
