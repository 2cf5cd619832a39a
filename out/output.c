/* See output.h. */
#include "output.h"

#include "lib/codec/deflate.h"
#include "lib/filemap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 16, TRIES_MAX = 1000000 };

/* What went wrong, for whoever asked last. */
static char complaint[PATH_MAX + 128];

static const char *
complain(const char *doing, int err)
{
	snprintf(complaint, sizeof complaint, "%s: %s", doing, strerror(err));
	return complaint;
}

/* The descriptor that PATH is a name of, or -1. */
static int
named_fd(const char *path)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (unsigned i = 0; i < 2; i++) {
		size_t n = strlen(dirs[i]);
		char *end;
		long fd;

		if (strncmp(path, dirs[i], n) != 0 || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

/* PATH's directory, into DIR of PATH_MAX bytes. */
static const char *
dir_of(const char *path, char *dir)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (!slash)
		return ".";
	if (n == 0)
		return "/";
	if (n >= PATH_MAX)
		return path;   /* too long for the system as well */
	memcpy(dir, path, n);
	dir[n] = 0;
	return dir;
}

/* Can a file be made in (or renamed in) PATH's directory? */
static const char *
check_dir(const char *path)
{
	char buf[PATH_MAX];
	const char *dir = dir_of(path, buf), *name = strrchr(path, '/');
	struct stat st;

	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (!*(name ? name + 1 : path))
		errno = EISDIR;
	else if (strlen(name ? name + 1 : path) > NAME_MAX)
		errno = ENAMETOOLONG;
	else if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
		return NULL;
	snprintf(complaint, sizeof complaint, "directory %s: %s", dir, strerror(errno));
	return complaint;
}

/* Where a chain of symlinks that ends at nothing would make its file. */
static const char *
check_dangling(const char *path)
{
	char at[PATH_MAX], to[PATH_MAX], dir[PATH_MAX];
	ssize_t n;

	if (strlen(path) >= sizeof at)
		return complain("open", ENAMETOOLONG);
	strcpy(at, path);
	for (unsigned i = 0; i < LINKS_MAX; i++) {
		const char *base;

		if ((n = readlink(at, to, sizeof to - 1)) < 0)
			return check_dir(at);
		to[n] = 0;
		base = dir_of(at, dir);
		if (*to == '/')
			strcpy(at, to);
		else {
			char joined[2 * PATH_MAX];

			if ((size_t)snprintf(joined, sizeof joined, "%s/%s", base, to) >= sizeof at)
				return complain("open", ENAMETOOLONG);
			strcpy(at, joined);
		}
	}
	return complain("open", ELOOP);
}

/* Whether others can put something into PATH's directory. */
static bool
is_shared(const char *path)
{
	char buf[PATH_MAX];
	struct stat dir;

	return stat(dir_of(path, buf), &dir) == 0 && (dir.st_mode & (S_IWGRP | S_IWOTH));
}

/* Who prof works for, where that is another than it is: under sudo the caller. */
static bool
sudo_ids(uid_t *uid, gid_t *gid)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	uint64_t uid64, gid64;

	if (geteuid() != 0 || !u || !g || !text_dec(&u, &uid64) || *u || !text_dec(&g, &gid64) || *g || uid64 >= UINT32_MAX ||
	    gid64 >= UINT32_MAX)
		return false;
	*uid = (uid_t)uid64;
	*gid = (gid_t)gid64;
	return true;
}

static bool
is_callers(const struct stat *st)
{
	uid_t uid;
	gid_t gid;

	return st->st_uid == geteuid() || (sudo_ids(&uid, &gid) && st->st_uid == uid);
}

/* Where others can write, a link, FIFO or device of another's may have been put there to be followed. */
static const char *
check_through(const char *path, const struct stat *st)
{
	if (!is_shared(path) || is_callers(st))
		return NULL;
	return "belongs to another user, in a directory that others can write to";
}

/* Renaming over a file of another's in a directory like /tmp is refused. */
static bool
is_sticky(const char *path, const struct stat *file)
{
	char buf[PATH_MAX];
	struct stat dir;

	return stat(dir_of(path, buf), &dir) == 0 && (dir.st_mode & S_ISVTX) && geteuid() != 0 &&
	       geteuid() != file->st_uid && geteuid() != dir.st_uid;
}

const char *
output_check(const struct output *o)
{
	int fd = named_fd(o->path), flags;
	const char *why;
	struct stat st;

	if (!*o->path)
		return "no file name";
	if (fd >= 0) {
		if (o->format == &format_pprof && isatty(fd))
			return "a terminal, and pprof's format is binary";
		if ((flags = fcntl(fd, F_GETFL)) < 0)
			return complain("descriptor", errno);
		return flags & (O_WRONLY | O_RDWR) ? NULL : "descriptor is not open for writing";   /* a closed one is O_PATH: see cmd_dispatch */
	}
	if (lstat(o->path, &st) != 0)
		return errno == ENOENT ? check_dir(o->path) : complain("open", errno);
	if (S_ISREG(st.st_mode))
		return is_sticky(o->path, &st) ? complain("replace", EPERM) : check_dir(o->path);
	if ((why = check_through(o->path, &st)))
		return why;
	if (stat(o->path, &st) != 0)
		return errno == ENOENT ? check_dangling(o->path) : complain("open", errno);
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	return faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) ? complain("open", errno) : NULL;
}

/* Under sudo a file that prof made belongs to who called. */
static void
give_away(int fd)
{
	uid_t uid;
	gid_t gid;

	if (sudo_ids(&uid, &gid) && fchown(fd, uid, gid))
		return;   /* it stays root's then */
}

/* What is to be written, and how much it was. */
struct job {
	const char *path;
	void (*write)(struct sink *, const void *ctx);
	const void *ctx;
	uint64_t size;
};

static const char *
write_to(struct job *j, int fd)
{
	struct sink s;
	int err;

	sink_open(&s, fd);
	j->write(&s, j->ctx);
	sink_flush(&s);
	j->size = sink_total(&s);
	err = sink_close(&s);
	return err ? complain("write", err) : NULL;
}

/* The same, and closes FD, which may be the first to tell of a full disk. */
static const char *
write_and_close(struct job *j, int fd)
{
	const char *why = write_to(j, fd);

	if (close(fd) && !why)
		why = complain("write", errno);
	return why;
}

/* A new file beside PATH, its name into TEMP (of PATH_MAX bytes).  -1 and errno. */
static int
open_beside(const char *path, char *temp, mode_t mode)
{
	char buf[PATH_MAX];
	const char *dir = dir_of(path, buf);
	int fd = -1;

	for (unsigned i = 0; i < 100; i++) {
		int n = snprintf(temp, PATH_MAX, "%s/.prof-%d-%u.tmp", dir, (int)getpid(), i);

		if (n < 0 || n >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* What is replaced hands its owner and mode on, as far as the system lets it. */
static void
hand_on(int fd, const struct stat *old)
{
	if (geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid))
		return;
	if (fchmod(fd, old->st_mode & 0777))
		return;
}

bool output_private;

/* The default name that is given out. */
static struct {
	char *buf;
	size_t n;
	const char *stem, *suffix;
} fresh;

/* The file beside the one that is being written, or "". */
static char temp[PATH_MAX];

static const char *
open_here(const char *path, int *fd)
{
	bool exists, narrow = output_private && (path == fresh.buf || is_shared(path));
	const char *why;
	struct stat st;

	*fd = -1;
	*temp = 0;
	if (!(exists = path != fresh.buf && lstat(path, &st) == 0) && path != fresh.buf && errno != ENOENT)
		return complain("open", errno);
	if (exists && !S_ISREG(st.st_mode)) {
		if ((why = check_through(path, &st)))
			return why;
		*fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
		if (*fd < 0 && errno == ENOENT && (*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) >= 0)
			give_away(*fd);
		return *fd < 0 ? complain("open", errno) : NULL;
	}
	if ((*fd = open_beside(path, temp, narrow ? 0600 : 0666)) < 0) {
		*temp = 0;
		return complain("create", errno);
	}
	if (exists && (!is_shared(path) || is_callers(&st)))   /* no other's idea of who may read it */
		hand_on(*fd, &st);
	else
		give_away(*fd);
	return NULL;
}

/* Never over or through what has the name meanwhile, unless the file system knows no other names for a file. */
static bool
put_fresh(void)
{
	for (unsigned i = 0; i < 100; i++) {
		if (!link(temp, fresh.buf)) {
			unlink(temp);
			return true;
		}
		if (errno != EEXIST)
			return !rename(temp, fresh.buf);
		output_fresh(fresh.buf, fresh.n, fresh.stem, fresh.suffix);
	}
	return false;
}

static const char *
done_here(const char *path, bool well)
{
	const char *why = NULL;

	if (*temp && well && !(path == fresh.buf ? put_fresh() : !rename(temp, path)))
		why = complain("rename", errno);
	if (*temp && (!well || why))
		unlink(temp);
	*temp = 0;
	return why;
}

const struct output_door output_here = { open_here, done_here }, *output_door = &output_here;

static const char *
do_job(struct job *j)
{
	int fd = named_fd(j->path);
	const char *why, *late;

	if (fd >= 0)
		return write_to(j, fd);
	if ((why = output_door->open(j->path, &fd)))
		return why;
	why = write_and_close(j, fd);
	late = output_door->done(j->path, !why);
	return why ? why : late;
}

const char *
output_stream(const char *path, void (*write_text)(struct sink *, const void *), const void *ctx, uint64_t *size)
{
	struct job j = { path, write_text, ctx, 0 };
	const char *why = do_job(&j);

	if (size)
		*size = why ? 0 : j.size;
	return why;
}

struct formatted {
	const struct format *format;
	const struct profile *profile;
};

static void
write_formatted(struct sink *s, const void *ctx)
{
	const struct formatted *f = ctx;

	f->format->write(s, f->profile);
}

static void
write_packed(struct sink *s, const void *ctx)
{
	struct deflater d;
	struct sink packed;

	if (!deflate_open(&d, s, DEFLATE_GZIP)) {
		sink_fail(s, ENOMEM);
		return;
	}
	deflate_sink(&packed, &d);
	write_formatted(&packed, ctx);
	sink_fail(s, sink_close(&packed));
	deflate_close(&d);
}

const char *
output_write(struct output *o, const struct profile *p)
{
	return output_stream(o->path, format_packed(o->path) ? write_packed : write_formatted,
	                     &(struct formatted){ o->format, p }, &o->size);
}

const char *
output_fresh(char *buf, size_t n, const char *stem, const char *suffix)
{
	struct stat st;

	fresh.buf = buf;
	fresh.n = n;
	fresh.stem = stem;
	fresh.suffix = suffix;
	suffix += *suffix == '.';
	snprintf(buf, n, "%s.%s", stem, suffix);
	for (unsigned i = 2; i < TRIES_MAX && lstat(buf, &st) == 0; i++)
		snprintf(buf, n, "%s.%u.%s", stem, i, suffix);
	return buf;
}

void
output_renamed(const char *name)
{
	if (fresh.buf)
		snprintf(fresh.buf, fresh.n, "%s", name);
}
