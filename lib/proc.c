/* See proc.h. */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "file.h"

const char *proc_root = "/proc";

const char *
proc_path(char *path, int32_t pid, const char *name, ...)
{
	int n = snprintf(path, PROC_PATH_MAX, "%.*s/%d/", PROC_ROOT_MAX, proc_root, (int)pid);
	va_list ap;

	va_start(ap, name);
	vsnprintf(path + n, PROC_PATH_MAX - (size_t)n, name, ap);
	va_end(ap);
	return path;
}

bool
proc_there(void)
{
	char path[PROC_PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%.*s/self/stat", PROC_ROOT_MAX, proc_root);
	if ((fd = file_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC)) >= 0)
		close(fd);
	return fd >= 0 || errno != ENOENT;
}

long
proc_text(int32_t pid, const char *name, char *buf, size_t cap)
{
	char path[PROC_PATH_MAX];

	return file_text(AT_FDCWD, proc_path(path, pid, "%s", name), buf, cap);
}
