/* See recorded_files.h.  perf-buildid-cache(1): DIR/.build-id/xx/yyyy is a directory there, which holds the file as "elf", the vdso as
 * "vdso". */
#include "recorded_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096 };

/* Finds the file below ROOT in DIR by its build-id.  DEBUG: a file of debug information will do. */
static int
by_id(int root, const char *dir, const struct file_id *id, bool debug)
{
	static const char *const ends[] = { "/elf", "/vdso", "", ".debug" };
	char hex[2 * sizeof id->build_id + 2], path[PATH_ROOM];
	int fd = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < id->build_id_len; i++)
		n += (unsigned)snprintf(hex + n, sizeof hex - n, i == 0 ? "%02x/" : "%02x", id->build_id[i]);
	for (unsigned i = 0; n && fd < 0 && i < sizeof ends / sizeof *ends - !debug; i++)
		if (snprintf(path, sizeof path, "%s/.build-id/%s%s", dir, hex, ends[i]) < PATH_ROOM)
			fd = foreign_recorded(root, path, id, false);
	return fd;
}

/* In the directories that the user gives, and in perf's cache. */
static int
kept(const struct recorded_files *f, const struct file_id *id, bool debug)
{
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < DEBUG_DIRS; i++)
		if (f->modules->places.dir[i])
			fd = by_id(-1, f->modules->places.dir[i], id, debug);
	return fd < 0 && f->cache ? by_id(-1, f->cache, id, debug) : fd;
}

static int
root_of(const struct recorded_files *f)
{
	uint8_t sysroot = f->modules->places.sysroot;

	return sysroot ? f->modules->root[sysroot - 1].fd : -1;
}

static int
file(void *ctx, const struct file_id *id)
{
	struct recorded_files *f = ctx;
	int root = root_of(f), fd = -1, err = ENOENT;

	if (*id->path == '/' && (root >= 0 || f->finder.here || id->build_id_len)) {
		fd = foreign_recorded(root, id->path, id, root < 0);
		err = fd < 0 ? errno : 0;
	}
	if (fd < 0)
		fd = kept(f, id, false);
	if (fd < 0) {
		f->denied += err == EACCES || err == EPERM;
		errno = err;
	}
	return fd;
}

int
recorded_files_packed(const struct recorded_files *f, const struct file_id *id)
{
	const struct file_id any = { .path = id->path };
	int root = root_of(f);

	errno = ENOENT;
	return root >= 0 || f->finder.here || id->build_id_len ? foreign_recorded(root, id->path, &any, false) : -1;
}

int
recorded_files_vmlinux(const struct recorded_files *f, const struct file_id *id, const char *release)
{
	static const char *const forms[] = { "/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux",
	                                     "/lib/modules/%s/vmlinux", "/usr/lib/debug/lib/modules/%s/vmlinux", "/boot/vmlinux", "/vmlinux" };
	unsigned n = sizeof forms / sizeof *forms - (id->build_id_len ? 0 : 2);   /* the last two do not name the release */
	int root = root_of(f), fd = kept(f, id, true);
	char path[PATH_ROOM];

	if (fd < 0 && *id->path == '/' && id->build_id_len)
		fd = foreign_recorded(root, id->path, id, false);
	if (fd < 0)
		fd = by_id(root, "/usr/lib/debug", id, true);
	for (unsigned i = 0; fd < 0 && (root >= 0 || id->build_id_len) && i < n; i++)
		if (snprintf(path, sizeof path, forms[i], release ? release : "") < PATH_ROOM)
			fd = foreign_recorded(root, path, id, false);
	return fd;
}

static int
perfmap(void *ctx, int32_t pid)
{
	const struct recorded_files *f = ctx;
	int root = root_of(f);
	struct stat st;
	char path[40];

	errno = ENOENT;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
	return root >= 0 || f->finder.here ? foreign_regular(root < 0 ? AT_FDCWD : root, path, O_NOFOLLOW, &st) : -1;
}

void
recorded_files_init(struct recorded_files *f, const struct modules *modules, const char *cache)
{
	*f = (struct recorded_files){ { file, perfmap, false, f }, modules, cache, 0 };
}

void
recorded_files_here(struct recorded_files *f, bool here)
{
	f->finder.here = here;
}
