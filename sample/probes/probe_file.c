/* See probe_file.h.  prof gives the kernel /proc/self/fd/N.  So the kernel takes the very file that prof has read, whatever
 * becomes of its name, and whichever root directory the name is below. */
#include "probe_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/lines.h"
#include "sample/tasks/foreign.h"
#include "sample/tasks/launch.h"
#include "sample/tasks/maps_line.h"

static const char *const library_dirs[] = {
	"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib/arm-linux-gnueabihf", "/usr/lib/arm-linux-gnueabihf",
	"/lib/riscv64-linux-gnu", "/usr/lib/riscv64-linux-gnu", "/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu",
};

/* Whether a mapped file's PATH is NAME: all of it, or its last part; "libc" is also libc.so.6. */
static bool
is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	size_t n = strlen(name);

	if (strchr(name, '/'))
		last = path;
	if (strncmp(last, name, n))
		return false;
	return !last[n] || !strcmp(last + n, " (deleted)") || (last != path && (!strncmp(last + n, ".so", 3) || !strncmp(last + n, "-2.", 3)));
}

/* A file that PID maps. */
static int
open_mapped(const char *name, int32_t pid, char *shown, size_t size)
{
	int maps = foreign_maps(pid), fd = -1;
	struct lines in;
	char *line;

	if (maps < 0)
		return -1;
	lines_open(&in, maps);
	while (fd < 0 && (line = lines_next(&in))) {
		struct maps_line m;
		struct file_id id = { 0 };

		if (!maps_line_parse(&m, line) || !m.exec || !m.ino || !is_called(m.path, name))
			continue;
		id.path = m.path;
		id.maj = m.maj;
		id.min = m.min;
		id.ino = m.ino;
		fd = foreign_mapped(pid, m.lo, m.hi, &id, -1);
		snprintf(shown, size, "%s", m.path);
	}
	close(maps);
	return fd;
}

static int
open_below(const char *name, int32_t pid)
{
	int root = pid ? foreign_root(pid) : -1, fd;

	if (pid && root < 0)
		return -1;
	fd = foreign_file(root, name);
	if (root >= 0)
		close(root);
	return fd;
}

/* A program in PATH, or a library. */
static int
open_usual(const char *name, char *shown, size_t size)
{
	int fd = -1;

	if (launch_find(name, shown))
		return foreign_file(-1, shown);
	for (unsigned i = 0; fd < 0 && i < sizeof library_dirs / sizeof *library_dirs; i++) {
		if ((size_t)snprintf(shown, size, "%s/%s", library_dirs[i], name) < size)
			fd = foreign_file(-1, shown);
		if (fd < 0 && !strchr(name, '.') && (size_t)snprintf(shown, size, "%s/%s.so.6", library_dirs[i], name) < size)
			fd = foreign_file(-1, shown);
	}
	return fd;
}

bool
probe_file_find(struct probe_file *f, const char *name, int32_t pid, const char *command, char *why, size_t size)
{
	bool path = strchr(name, '/'), own;
	char whole[PATH_MAX];
	struct stat st;

	if (path && *name != '/' && realpath(name, whole))   /* of prof's directory: below a target's root it would be another */
		name = whole;
	f->fd = -1;
	snprintf(f->shown, sizeof f->shown, "%s", name);
	if (pid)
		f->fd = open_mapped(name, pid, f->shown, sizeof f->shown);
	if (f->fd < 0 && path) {
		snprintf(f->shown, sizeof f->shown, "%s", name);
		f->fd = open_below(name, pid);
	}
	own = command && strrchr(command, '/') && !strcmp(strrchr(command, '/') + 1, name);
	if (f->fd < 0 && !path && own) {
		snprintf(f->shown, sizeof f->shown, "%s", command);
		f->fd = foreign_file(-1, command);
	}
	if (f->fd < 0 && !path && !pid)
		f->fd = open_usual(name, f->shown, sizeof f->shown);
	if (f->fd < 0) {
		if (path)
			snprintf(why, size, "%s: %s", name, strerror(errno));
		else if (pid)
			snprintf(why, size, "process %d maps no file called %s", (int)pid, name);
		else
			snprintf(why, size, "there is no program %s in PATH, and no such library; write its whole path", name);
		return false;
	}
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode)) {
		snprintf(why, size, "%s: is on a file system that a user runs (FUSE), where the kernel cannot set probes", name);
		close(f->fd);
		return false;
	}
	snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
	return true;
}
