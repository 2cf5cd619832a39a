/* See tracefs.h.  Documentation/trace/events.rst: events/SYSTEM/NAME/id and format, in one of the two places where tracefs is
 * mounted.  fsopen(2), fsmount(2) (Linux 5.2): a mount that is in no directory, and ends with its descriptor. */
#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/dir.h"
#include "lib/file.h"
#include "lib/nearest.h"
#include "lib/text.h"

#ifndef SYS_fsopen   /* on every machine */
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
enum { CREATE = 6, CLOEXEC = 1 };   /* FSCONFIG_CMD_CREATE, FSOPEN_CLOEXEC and FSMOUNT_CLOEXEC */

#ifndef TRACEFS_MOUNTS   /* tests bring their own */
#define TRACEFS_MOUNTS "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"
#endif

/* The directory of events in tracefs; 0: prof has not looked for it yet. */
static int events;

static int
mount_here(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", CLOEXEC), fd = -1, dir = -1;

	if (fs < 0)
		return -1;
	if (!syscall(SYS_fsconfig, fs, CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, CLOEXEC, 0);
	if (fd >= 0) {
		dir = openat(fd, "events", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
	}
	close(fs);
	return dir;
}

static int
events_dir(void)
{
	static const char *const mounts[] = { TRACEFS_MOUNTS };
	int err = ENOENT;

	for (unsigned i = 0; i < sizeof mounts / sizeof *mounts && !events; i++) {
		int fd = open(mounts[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd > 0)
			events = fd;
		else if (errno != ENOENT)
			err = errno;
	}
	if (!events && !geteuid())
		events = mount_here();
	if (events <= 0) {
		events = 0;
		errno = err;
		return -1;
	}
	return events;
}

const char *
tracefs_missing(void)
{
	int dir = events_dir();

	if (dir >= 0 && !faccessat(dir, ".", R_OK | X_OK, 0))
		return NULL;
	if (!geteuid())
		return "needs tracefs: mount -t tracefs none /sys/kernel/tracing (the kernel may have been built without it)";
	return errno == EACCES || errno == EPERM ? "needs tracefs, which only root may read: sudo prof ..."
	                                         : "needs tracefs, which only root may mount and read: sudo prof ...";
}

/* What FILE of the tracepoint says, into BUF. */
static bool
read_about(const char *system, const char *name, const char *file, char *buf, size_t cap)
{
	int dir = events_dir();
	char path[192];
	int n = snprintf(path, sizeof path, "%s/%s/%s", system, name, file);

	return dir >= 0 && n < (int)sizeof path && file_text(dir, path, buf, cap) > 0;
}

bool
tracefs_id(const char *system, const char *name, uint64_t *id)
{
	char buf[16];
	const char *p = buf;

	return read_about(system, name, "id", buf, sizeof buf) && text_dec(&p, id);
}

bool
tracefs_format(const char *system, const char *name, char *buf, size_t cap)
{
	return read_about(system, name, "format", buf, cap);
}

const char **
tracefs_names(const char *system, struct arena *arena)
{
	int dir = events_dir();

	return dir < 0 ? NULL : dir_names(dir, system ? system : ".", arena);
}

const char *
tracefs_near(const char *system, const char *name, struct arena *arena)
{
	const char **all = tracefs_names(NULL, arena);
	enum { MOST = 100 };       /* what is nearest has at most 42 characters in each word */
	char *both = arena_alloc(arena, MOST);

	system = all ? nearest(system, all, "") : NULL;
	all = system ? tracefs_names(system, arena) : NULL;
	name = all ? nearest(name, all, "") : NULL;
	if (name && both)
		snprintf(both, MOST, "%s:%s", system, name);
	return name ? both : NULL;
}

const char *
tracefs_called(const char *name, struct arena *arena)
{
	const char **system = *name && !strchr(name, '/') ? tracefs_names(NULL, arena) : NULL;
	enum { MOST = 160 };
	char *both;
	uint64_t id;

	while (system && *system && !tracefs_id(*system, name, &id))
		system++;
	if (!system || !*system || !(both = arena_alloc(arena, MOST)))
		return NULL;
	snprintf(both, MOST, "%s:%s", *system, name);
	return both;
}
