/* See root_dirs.h.  proc(5): root; mount_namespaces(7): the kernel takes a namespace without processes apart, unless something
 * holds /proc/PID/ns/mnt open. */
#include "root_dirs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"
#include "foreign.h"

enum { ROOTS_MOST = 64 };
#define KEPT      UINT64_C(5000000000)
#define LOOK_EACH UINT64_C(1000000000)
#define FRESH     UINT64_C(1000000000)

struct root {
	uint64_t mount, dev, ino;
	uint64_t seen;             /* when a process had it last, ns */
	int fd, mounts_fd;         /* -1: let go */
};

/* PID's root, opened: its inode and its mount. */
static bool
identify(int32_t pid, struct root *r)
{
	struct stat st;
	int fd = foreign_root(pid);

	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	*r = (struct root){ .fd = fd, .mounts_fd = -1, .mount = foreign_mount(fd), .ino = st.st_ino, .dev = st.st_dev };
	return true;
}

static void
let_go(struct root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	if (r->mounts_fd >= 0)
		close(r->mounts_fd);
	r->fd = r->mounts_fd = -1;
}

uint32_t
root_dirs_of(struct root_dirs *rs, int32_t pid, uint32_t otherwise, uint64_t now)
{
	uint32_t i, open = 0;
	struct root its;

	if (pid <= 0 || !identify(pid, &its))
		return otherwise;
	for (i = 0; i < rs->n; i++) {
		struct root *r = &rs->root[i];

		if (r->fd >= 0 && r->mount == its.mount && r->dev == its.dev && r->ino == its.ino) {
			r->seen = now;
			let_go(&its);
			return i + 1;
		}
		open += r->fd >= 0;
	}
	if (open == ROOTS_MOST || !vec_room(&rs->root, &rs->cap, (uint64_t)rs->n + 1, sizeof *rs->root)) {
		let_go(&its);
		return 0;
	}
	its.seen = now;
	its.mounts_fd = foreign_mounts(pid);
	rs->root[i] = its;
	rs->n++;
	return i + 1;
}

bool
root_dirs_fresh(const struct root_dirs *rs, uint32_t number, uint64_t now)
{
	const struct root *r = number && number <= rs->n ? &rs->root[number - 1] : NULL;

	return r && r->fd >= 0 && now - r->seen < FRESH;
}

int
root_dirs_fd(const struct root_dirs *rs, uint32_t number)
{
	return number && number <= rs->n ? rs->root[number - 1].fd : -1;
}

void
root_dirs_tidy(struct root_dirs *rs, uint64_t now)
{
	if (now - rs->looked < LOOK_EACH)
		return;
	rs->looked = now;
	for (uint32_t i = 0; i < rs->n; i++)
		if (now > rs->root[i].seen && now - rs->root[i].seen > KEPT)
			let_go(&rs->root[i]);
}

uint32_t
root_dirs_seen(const struct root_dirs *rs)
{
	return rs->n;
}

void
root_dirs_free(struct root_dirs *rs)
{
	for (uint32_t i = 0; i < rs->n; i++)
		let_go(&rs->root[i]);
	vec_free(&rs->root, &rs->cap, sizeof *rs->root);
	rs->n = 0;
}
