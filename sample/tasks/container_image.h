/* What a process has in its memory of a file that prof cannot open. */
#ifndef SAMPLE_TASKS_CONTAINER_IMAGE_H
#define SAMPLE_TASKS_CONTAINER_IMAGE_H

#include <stdint.h>

struct module;
struct modules;

/* The image of the file at PATH in the memory of PID, which has mapped it at AT; NULL: no image. */
struct module *container_image(struct modules *, int32_t pid, uint64_t at, const char *path);

#endif
