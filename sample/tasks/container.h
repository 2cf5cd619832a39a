/* What is different in containers: whose a process is, by its cgroup's path; and which /proc tells of the processes that prof
 * knows by number. */
#ifndef SAMPLE_CONTAINER_H
#define SAMPLE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands for the container, pod or unit that PATH is of: "docker-0123456789ab", "pod 01234567 0123456789ab", "nginx.service",
 * else its last part; "" where it is nobody's. */
const char *container_name(const char *path, char *name, size_t size);
/* The same of process PID, or "?" where /proc does not tell. */
const char *container_of(int32_t pid, char *name, size_t size);

/* The controller that events belong to. */
#define CONTAINER_EVENTS "perf_event"
/* The directory of PID's cgroup (0: prof's own), in the hierarchy of that controller, UNIFIED where that is version 2's, as for
 * all controllers that version 1 does not have mounted.  NULL if all is well, else why there is none, in words. */
const char *container_dir(int32_t pid, const char *controller, char *dir, size_t size, bool *unified);
/* That of the cgroup at a path, absolute or below where they are mounted, or of a process, for events. */
const char *container_find(const char *path_or_pid, char *dir, size_t size);

struct module;
struct modules;

/* The image in PID's memory of the file at PATH, which it has mapped at AT; NULL where there is none. */
struct module *container_image(struct modules *, int32_t pid, uint64_t at, const char *path);

/* Reads of other processes below DIR from now on, if it is a /proc of prof's own pid namespace.  NULL or what is wrong. */
const char *container_proc(const char *dir);
/* Where /proc is of another pid namespace than prof (nsenter -p leaves it so), another one takes its place, for prof alone.
 * NULL if all is well, else what is wrong. */
const char *container_adapt(void);

#endif
