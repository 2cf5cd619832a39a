/* See cgroup.h.  cgroups(7): events belong to the perf_event controller, which is a hierarchy of its own where version 1 has
 * it mounted, and part of version 2 else.  A child without controllers of its own keeps the limits of its parent.  Its name
 * is prof-PID-START.  If that prof was killed, the next prof removes the cgroup once it is empty. */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/text.h"
#include "cgroup_dir.h"
#include "target.h"

/* How many times prof lists the processes in a cgroup again while they leave: they may fork meanwhile. */
enum { PASSES = 50 };

static bool
cgroup_there(const struct cgroup *c)
{
	int fd = file_open(c->fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Only the root cgroup has no events (version 2), or has an agent for cgroups that become empty (version 1). */
static bool
is_root(int fd)
{
	struct statfs fs;
	bool unified = !fstatfs(fd, &fs) && (uint32_t)fs.f_type == 0x63677270;
	bool has = !faccessat(fd, unified ? "cgroup.events" : "release_agent", F_OK, 0);

	return !faccessat(fd, "cgroup.procs", F_OK, 0) && (unified ? !has : has);
}

const char *
cgroup_open(struct cgroup *c, const char *what)
{
	const char *why = cgroup_dir_find(what, c->path, sizeof c->path);

	c->fd = 0;
	if (why)
		return why;
	if ((c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return errno != ENOENT ? strerror(errno) : *what == '/' && !access(what, F_OK) ? "it is not a cgroup"
		                                         : "there is no such cgroup, and no process with that number";
	c->root = is_root(c->fd);
	c->has_events = !faccessat(c->fd, "cgroup.events", F_OK, 0);
	return NULL;
}

bool
cgroup_over(const struct cgroup *c)
{
	char text[128];

	if (!c->has_events)
		return !cgroup_there(c);
	return file_text(c->fd, "cgroup.events", text, sizeof text) < 0 || strstr(text, "populated 0");
}

/* Whether the directory has a limit that programs look up.  From inside another cgroup they would not find it. */
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

/* Removes the cgroups of earlier profs that have ended; a cgroup with processes in it stays. */
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
	if ((why = cgroup_dir(0, CGROUP_EVENTS, c->path, sizeof c->path - 48, &unified)))
		return why;
	if ((own = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return "prof cannot reach its own cgroup";
	why = unified && is_limited(own) ? "prof's own cgroup has limits, which the command could not read in another one" : NULL;
	close(own);
	if (why)
		return why;
	remove_old(c->path);
	if (!target_start(getpid(), &start))
		return "/proc does not show prof itself";
	len = strlen(c->path);
	snprintf(c->path + len, sizeof c->path - len, "/prof-%d-%llu", (int)getpid(), (unsigned long long)start);
	if (mkdir(c->path, 0755))
		return errno == EROFS ? "cgroups are mounted read-only" : "prof cannot make a cgroup here";
	if ((c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) > 0)
		return NULL;
	rmdir(c->path);
	return "prof cannot open the cgroup that it made";
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
			if (!*next)   /* the number is cut short: it comes again */
				break;
			*next++ = 0;
			put(c->fd, "../cgroup.procs", p);
		}
	}
	close(c->fd);
	c->fd = 0;
	rmdir(c->path);
}
