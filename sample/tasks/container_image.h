/* What a process has in its memory of a file that prof cannot open. */
#ifndef SAMPLE_TASKS_CONTAINER_IMAGE_H
#define SAMPLE_TASKS_CONTAINER_IMAGE_H

#include <stdint.h>

struct file_id;
struct module;
struct modules;

/* The image of that file in the memory of PID, which has mapped it at AT; NULL: no image, or of another file by now. */
struct module *container_image(struct modules *, int32_t pid, uint64_t at, const struct file_id *);

#endif
