/* The file that a probe names, and a path by which the kernel finds it. */
#ifndef SAMPLE_PROBES_PROBE_FILE_H
#define SAMPLE_PROBES_PROBE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_file {
	int fd;
	char path[PATH_MAX];       /* for the kernel, in prof's own mount namespace */
	char shown[PATH_MAX];      /* as its process calls it */
};

/* Finds NAME as process PID sees it (0: prof itself): a path below its root; or, without a slash, a file that it maps; or a
 * program in PATH, or a library in the usual places; COMMAND, if that is the program's own name.  The file may have been
 * deleted.  False, with WHY in words. */
bool probe_file_find(struct probe_file *, const char *name, int32_t pid, const char *command, char *why, size_t size);

#endif
