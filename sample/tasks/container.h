/* The container, pod or unit of a process, by its cgroup's path. */
#ifndef SAMPLE_TASKS_CONTAINER_H
#define SAMPLE_TASKS_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

/* The name of PATH's container, pod or unit: "docker-0123456789ab", "pod 01234567 0123456789ab", "nginx.service", else its last
 * part; "" if it has none. */
const char *container_name(const char *path, char *name, size_t size);
/* The container, pod or unit of process PID, or "?" where /proc does not tell. */
const char *container_of(int32_t pid, char *name, size_t size);

#endif
