/* See foreign.h.  Somebody may have put any of these files there to mislead prof.  So prof resolves names inside the target's
 * root, opens only regular files for reading, and accepts only what the target has mapped.  proc(5): map_files, root, ns,
 * NSpid; openat2(2). */
#include "foreign.h"
#include "lib/asked_file.h"
#include "lib/file.h"
#include "lib/filemap.h"
#include "lib/proc.h"
#include "lib/text.h"
#include "lib/mem.h"
#include "sym/kernel/bpf_names.h"
#include "sym/kernel/kcore.h"
#include "sym/module/module.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Times that prof walks a path again while somebody renames something: then ".." may lead out of the root. */
enum { RENAMES_MOST = 64 };

/* Bytes of a file that most likely have its build-id. */
enum { HEAD = 2048 };

const struct foreign_door *foreign_door;
bool (*foreign_apart)(int found, const struct stat *, int *fd);

/* Closes FD and says why, as errno. */
static int
drop(int fd, int err)
{
	close(fd);
	errno = err;
	return -1;
}

/* Opens PATH inside ROOT, also through symlinks, or anywhere if ROOT is AT_FDCWD.  It opens with O_PATH first, so that no
 * device or FIFO ever notices. */
static int
open_in(int root, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	unsigned tries = RENAMES_MOST;
	long fd;

	if (root == AT_FDCWD)
		return openat(root, path, (int)how.flags);
	do
		fd = syscall(SYS_openat2, root, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN && --tries);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))   /* before Linux 5.6, or under an old seccomp filter */
		fd = openat(root, path + strspn(path, "/"), (int)how.flags);
	return (int)fd;
}

/* Without /proc, prof gets from a found file to its bytes only by its path again.  The path may meanwhile lead elsewhere: then
 * prof drops the file. */
static int
open_again(int root, const char *path, uint64_t flags, const struct stat *found)
{
	struct stat st;
	int fd = open_in(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_dev == found->st_dev && st.st_ino == found->st_ino))
		return fd;
	return drop(fd, ESTALE);
}

int
foreign_regular(int root, const char *path, uint64_t flags, struct stat *st)
{
	char self[32];
	int found, fd;

	if (foreign_door) {
		fd = foreign_door->regular(root, path, flags & O_NOFOLLOW);
		return fd < 0 || asked_file_stat(fd, st) ? fd : drop(fd, errno);
	}
	if ((found = open_in(root, path, O_PATH | flags)) < 0)
		return -1;
	if (fstat(found, st))
		return drop(found, errno);
	if (!S_ISREG(st->st_mode))
		return drop(found, S_ISLNK(st->st_mode) ? ELOOP : S_ISDIR(st->st_mode) ? EISDIR : EINVAL);
	if (foreign_apart && foreign_apart(found, st, &fd)) {
		drop(found, errno);
		return fd;
	}
	snprintf(self, sizeof self, "/proc/self/fd/%d", found);
	fd = openat(AT_FDCWD, self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		fd = open_again(root, path, flags, st);
	if (fd < 0)
		return drop(found, errno);
	close(found);
	return fd;
}

bool
foreign_link(int root, const char *path, char *text, size_t size)
{
	int fd = open_in(root, path, O_PATH | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", text, size);

	if (fd >= 0)
		close(fd);
	if (n <= 0 || (size_t)n >= size)
		return false;
	text[n] = 0;
	return true;
}

/* Linkers put the build-id right behind the headers.  prof maps a file to find it only if it is not there. */
static bool
same_build_id(int fd, const struct file_id *id)
{
	struct arena arena = { 0 };
	struct filemap map = { 0 };
	uint8_t head[HEAD];
	ssize_t n = asked_file_read(fd, head, sizeof head, 0);
	struct elf elf;
	bool same = (n > 0 && elf_begins(&elf, cur_of(head, (size_t)n, false))) ||
	            (!filemap_open(&map, fd) && !elf_open(&elf, cur_of(map.data, map.size, false), false, &arena));

	same = same && elf.build_id_len == id->build_id_len && !memcmp(elf.build_id, id->build_id, id->build_id_len);
	filemap_close(&map);
	arena_free(&arena);
	return same;
}

/* On overlayfs and btrfs, stat gives another device than the kernel gives in maps, both without a major number.  overlayfs may
 * also put a layer's number into an inode's upper bits. */
static bool
same_inode(int fd, const struct stat *st, const struct file_id *id)
{
	const int overlayfs = 0x794c7630;
	uint32_t gen[2] = { 0 };   /* the ioctl is declared with a long, and writes an int */
	struct statfs fs;
	bool same_dev = major(st->st_dev) == id->maj && minor(st->st_dev) == id->min;

	if (!same_dev && major(st->st_dev) && id->maj)
		return false;
	if (st->st_ino != id->ino)
		return !same_dev && (uint32_t)st->st_ino == (uint32_t)id->ino &&
		       (asked_file(fd) || (!fstatfs(fd, &fs) && (uint32_t)fs.f_type == (uint32_t)overlayfs));
	return !id->gen || syscall(SYS_ioctl, fd, FS_IOC_GETVERSION, gen) || !gen[0] || gen[0] == (uint32_t)id->gen;
}

/* The regular file at PATH, if it is the one of ID.  If ID says nothing, prof believes only SURE places. */
static int
open_same(int root, const char *path, const struct file_id *id, bool sure)
{
	struct stat st;
	int fd = foreign_regular(root, path, 0, &st);

	if (fd < 0)
		return -1;
	if (id->build_id_len ? same_build_id(fd, id) : id->ino ? same_inode(fd, &st, id) : sure)
		return fd;
	return drop(fd, ESTALE);
}

int
foreign_root(int32_t pid)
{
	char path[PROC_PATH_MAX];

	return file_open(AT_FDCWD, proc_path(path, pid, "root"), O_PATH | O_CLOEXEC | O_DIRECTORY);
}

int32_t
foreign_by(int32_t pid)
{
	struct threads all = { 0 };
	int fd = foreign_root(pid);

	if (fd < 0 && errno == ENOENT)
		threads_of(&all, pid);
	for (uint32_t i = 0; fd < 0 && i < all.n; i++)
		if ((fd = foreign_root(all.thread[i].tid)) >= 0)
			pid = all.thread[i].tid;
	if (fd >= 0)
		close(fd);
	threads_free(&all);
	return pid;
}

static bool
namespace_of(int fd, struct stat *st)
{
	bool well = fd >= 0 && !fstat(fd, st);

	if (fd >= 0)
		close(fd);
	return well;
}

/* Whether prof may use its own root for PID's: yes, unless it knows both mount namespaces, and they differ. */
static bool
same_mounts(int32_t pid)
{
	struct stat own, its;

	return !namespace_of(file_open(AT_FDCWD, "/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC), &own) ||
	       !namespace_of(foreign_mounts(pid), &its) || own.st_ino == its.st_ino;
}

int
foreign_mapped(int32_t pid, uint64_t lo, uint64_t hi, const struct file_id *id, int kept)
{
	char path[PROC_PATH_MAX];
	int fd, root, err;

	proc_path(path, pid, "map_files/%" PRIx64 "-%" PRIx64, lo, hi);
	fd = open_same(AT_FDCWD, path, id, true);
	err = fd < 0 && (errno == ESTALE || errno == ETIMEDOUT) ? errno : ENOENT;
	if (fd < 0 && err != ETIMEDOUT && *id->path == '/') {
		if ((root = foreign_root(pid)) >= 0) {
			fd = open_same(root, id->path, id, true);
			err = fd < 0 && errno != ENOENT ? errno : err;
			close(root);
		}
		if (fd < 0 && kept >= 0) {
			fd = open_same(kept, id->path, id, true);
			err = fd < 0 && errno != ENOENT ? errno : err;
		}
		/* A record's path begins at the target's root, but a path in /proc/PID/maps begins at prof's root. */
		if (fd < 0 && same_mounts(pid)) {
			fd = open_same(AT_FDCWD, id->path, id, false);
			err = fd < 0 && errno != ENOENT ? errno : err;
		}
		if (fd < 0)   /* gone or replaced, but perhaps the program itself */
			fd = open_same(AT_FDCWD, proc_path(path, pid, "exe"), id, false);
	}
	errno = err;
	return fd;
}

/* PID's pid in its innermost namespace, and its user; false where /proc does not tell. */
static bool
inner(int32_t pid, uint64_t *its_pid, uint64_t *uid)
{
	char status[4096];
	const char *p;

	*its_pid = (uint64_t)pid;
	if (proc_text(pid, "status", status, sizeof status) <= 0 || !(p = strstr(status, "\nUid:\t")))
		return false;
	p = strchr(p + 6, '\t');   /* the effective user, who owns the files that PID makes */
	if (!p || (p++, !text_dec(&p, uid)))
		return false;
	if ((p = strstr(status, "\nNSpid:")))
		for (p += 7; *p == '\t'; )
			if (p++, !text_dec(&p, its_pid))
				return false;
	return true;
}

/* /tmp/NAME below ROOT, or below prof's own root (-1), if it is that user's or root's. */
static int
open_own(int root, const char *name, uint64_t uid)
{
	struct stat st;
	int fd = foreign_regular(root < 0 ? AT_FDCWD : root, name, O_NOFOLLOW, &st);

	return fd < 0 || st.st_uid == uid || !st.st_uid ? fd : drop(fd, EPERM);
}

void
foreign_jit_files(int32_t pid, int *map, int *dump)
{
	uint64_t its_pid, uid;
	char path[40];
	int root = foreign_root(pid), found, err = EACCES;

	if (!inner(pid, &its_pid, &uid))
		uid = geteuid();   /* it has ended */
	if (root >= 0 || same_mounts(pid)) {
		if (dump) {
			snprintf(path, sizeof path, "/tmp/jit-%" PRIu64 ".dump", its_pid);
			found = open_own(root, path, uid);
			*dump = found < 0 ? *dump : found;
		}
		if (map) {
			snprintf(path, sizeof path, "/tmp/perf-%" PRIu64 ".map", its_pid);
			found = open_own(root, path, uid);
			*map = found < 0 ? *map : found;
		}
		err = errno;
	}
	if (root >= 0)
		close(root);
	errno = err;
}

int
foreign_directory(const char *path)
{
	return file_open(AT_FDCWD, path, O_PATH | O_CLOEXEC | O_DIRECTORY);
}

int
foreign_build(int root, const struct file_id *id)
{
	if (id->build_id_len && *id->path == '/')
		return open_same(root, id->path, id, false);
	errno = ENOENT;
	return -1;
}

int
foreign_recorded(int root, const char *path, const struct file_id *id, bool here)
{
	struct file_id of = *id;

	if (!here)
		of.ino = 0;
	return open_same(root < 0 ? AT_FDCWD : root, path, &of, true);
}

int
foreign_file(int root, const char *path)
{
	struct stat st;

	return foreign_regular(root < 0 ? AT_FDCWD : root, path, 0, &st);
}

int
foreign_as(uid_t uid, gid_t gid, int root, const char *path, uint64_t flags, struct stat *st)
{
	uid_t own = geteuid();
	gid_t group = getegid(), groups[256];
	int n = getgroups(sizeof groups / sizeof *groups, groups), fd, err;

	if (own)
		return foreign_regular(root, path, flags, st);
	if (n < 0 || (syscall(SYS_setgroups, 0, NULL) && errno != EPERM))   /* a user namespace may refuse that */
		return -1;
	setfsgid(gid);
	setfsuid(uid);   /* and with it what root may do to files */
	if (setfsuid(UINT32_MAX) != (int)uid)
		fd = -1, err = EPERM;
	else
		fd = foreign_regular(root, path, flags, st), err = errno;
	setfsuid(own);
	setfsgid(group);
	syscall(SYS_setgroups, n, groups);
	errno = err;
	return fd;
}

int
foreign_source(uid_t uid, gid_t gid, int root, const char *path)
{
	struct stat st;

	if (foreign_door)
		return foreign_door->source(root, path);
	return foreign_as(uid, gid, root < 0 ? AT_FDCWD : root, path, 0, &st);
}

int
foreign_kallsyms(void)
{
	return open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
}

static int
open_proc(int32_t pid, const char *name)
{
	char path[PROC_PATH_MAX];

	return file_open(AT_FDCWD, proc_path(path, pid, "%s", name), O_RDONLY | O_CLOEXEC);
}

int
foreign_maps(int32_t pid)
{
	return open_proc(pid, "maps");
}

int
foreign_mounts(int32_t pid)
{
	return open_proc(pid, "ns/mnt");
}

uint64_t
foreign_mount(int fd)
{
	struct statx st;

	if (foreign_door)
		return foreign_door->mount(fd);
	return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) || !(st.stx_mask & STATX_MNT_ID) ? 0 : st.stx_mnt_id;
}

int
foreign_memory(int32_t pid)
{
	return open_proc(pid, "mem");
}

static size_t
read_kernel(uint64_t addr, void *to, size_t n)
{
	static struct kcore kcore;

	if (!kcore.opened)
		kcore_open(&kcore, open("/proc/kcore", O_RDONLY | O_CLOEXEC));
	return kcore_read(&kcore, addr, to, n);
}

size_t
foreign_read(int32_t pid, uint64_t addr, void *to, size_t n)
{
	struct iovec own = { to, n }, its = { (void *)(uintptr_t)addr, n };
	ssize_t got;

	if (foreign_door)
		return foreign_door->read(pid, addr, to, n);
	if (!pid)
		return read_kernel(addr, to, n);
	got = addr <= UINTPTR_MAX ? process_vm_readv(pid, &own, 1, &its, 1, 0) : -1;

	return got < 0 ? 0 : (size_t)got;
}

size_t
foreign_says(const char *addrs, char *text, size_t size)
{
	return foreign_door ? foreign_door->says(addrs, text, size) : bpf_names(addrs, text, size);
}

long
foreign_asleep(int32_t pid, int32_t tid, char *text, size_t n)
{
	char name[32];

	if (foreign_door)
		return foreign_door->asleep(pid, tid, text, n);
	snprintf(name, sizeof name, "task/%d/syscall", tid);
	return proc_text(pid, name, text, n);
}
