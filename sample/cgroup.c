/* See cgroup.h.  cgroups(7): events belong to the perf_event controller, which is a hierarchy of its own where version 1 has
 * it mounted, and part of version 2 else.  A child without controllers of its own keeps the limits of its parent.  Its
 * name, prof-PID-START, tells whose it is: a prof that was killed has left it, and the next one removes it once it is
 * empty. */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/file.h"
#include "target.h"

/* How often the processes in it are listed again while they leave: they may fork meanwhile. */
enum { PASSES = 50 };

/* Where prof is in the hierarchy that events use: the part of /proc/self/cgroup's line behind its second colon. */
static char *
own_path(char *text, bool *unified)
{
	char *found = NULL, *next;

	for (char *line = text; *line; line = next) {
		char *lists = strchr(line, ':'), *path = lists ? strchr(lists + 1, ':') : NULL;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (!path)
			continue;
		*path++ = 0;
		if (strstr(lists, "perf_event")) {
			*unified = false;
			return path;
		}
		if (!lists[1]) {
			*unified = true;
			found = path;
		}
	}
	return found;
}

/* Field N (from 0) of LINE, which ends at a space, or NULL. */
static const char *
field(const char *line, unsigned n)
{
	while (n-- && line)
		if ((line = strchr(line, ' ')))
			line++;
	return line;
}

/* Whether LINE of mountinfo is of that hierarchy and shows PATH of it: then its directory goes to DIR. */
static bool
shows(const char *line, const char *path, bool unified, char *dir, size_t size)
{
	const char *root = field(line, 3), *mount = field(line, 4), *type = strstr(line, " - cgroup");
	size_t len;
	int n;

	if (!mount || !type || (type[9] == '2') != unified || (!unified && !strstr(type, "perf_event")))
		return false;
	len = strcspn(root, " ");
	len = len == 1 ? 0 : len;
	if (strncmp(path, root, len) || (path[len] != '/' && path[len]))
		return false;
	n = snprintf(dir, size, "%.*s%s", (int)strcspn(mount, " "), mount, path + len);
	return n > 0 && (size_t)n < size;
}

static const char *
own_directory(char *dir, size_t size, bool *unified)
{
	char text[4096], *path, *line;
	bool found = false;
	struct lines l;
	int fd;

	if (file_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) <= 0 || !(path = own_path(text, unified)) ||
	    strstr(path, "/.."))
		return "prof is in none that it can see";
	if ((fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) < 0)
		return "/proc does not tell of mounts";
	lines_open(&l, fd);
	while (!found && (line = lines_next(&l)))
		found = shows(line, path, *unified, dir, size);
	close(fd);
	return found ? NULL : "their file system is not mounted";
}

/* Whether the directory has a limit that programs look up: they would not find it from inside of another one. */
static bool
is_limited(int dir)
{
	static const char *const limits[] = { "memory.max", "cpu.max" };
	char text[64];

	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
		if (file_text(dir, limits[i], text, sizeof text) > 0 && strncmp(text, "max", 3))
			return true;
	return false;
}

/* Those of profs that are no more; one with processes in it stays. */
static void
remove_old(const char *dir)
{
	uint64_t pid, start, now;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		const char *p = e->d_name + 5;

		if (strncmp(e->d_name, "prof-", 5) || !text_dec(&p, &pid) || *p++ != '-' || !text_dec(&p, &start) || *p ||
		    pid > INT32_MAX)
			continue;
		if (!target_start((int32_t)pid, &now) || now != start)
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

static bool
put(int dir, const char *procs, const char *pid)
{
	int fd = openat(dir, procs, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, pid, strlen(pid));

	if (fd >= 0)
		close(fd);
	return n > 0;
}

const char *
cgroup_make(struct cgroup *c)
{
	const char *why;
	bool unified;
	uint64_t start;
	size_t len;
	int own;

	c->fd = 0;
	if ((why = own_directory(c->path, sizeof c->path - 48, &unified)))
		return why;
	if ((own = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return "prof's own is out of reach";
	why = unified && is_limited(own) ? "prof's own has limits that the command may look up" : NULL;
	close(own);
	if (why)
		return why;
	remove_old(c->path);
	if (!target_start(getpid(), &start))
		return "/proc does not tell of prof itself";
	len = strlen(c->path);
	snprintf(c->path + len, sizeof c->path - len, "/prof-%d-%llu", (int)getpid(), (unsigned long long)start);
	if (mkdir(c->path, 0755))
		return errno == EROFS ? "they are mounted read-only" : "none can be made here";
	if ((c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) > 0)
		return NULL;
	rmdir(c->path);
	return "one that was made cannot be opened";
}

bool
cgroup_put(const struct cgroup *c, int32_t pid)
{
	char text[16];

	snprintf(text, sizeof text, "%d", (int)pid);
	return put(c->fd, "cgroup.procs", text);
}

void
cgroup_remove(struct cgroup *c)
{
	char text[4096], *next;

	for (unsigned pass = 0; pass < PASSES; pass++) {
		if (file_text(c->fd, "cgroup.procs", text, sizeof text) <= 0)
			break;
		for (char *p = text; *p; p = next) {
			next = p + strcspn(p, "\n");
			if (!*next)   /* cut short: it comes again */
				break;
			*next++ = 0;
			put(c->fd, "../cgroup.procs", p);
		}
	}
	close(c->fd);
	c->fd = 0;
	rmdir(c->path);
}
