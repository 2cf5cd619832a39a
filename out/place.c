/* See place.h. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/text.h"

enum { LINKS_MAX = 16, TRIES_MAX = 1000000 };

const char *
place_complain(struct place_words *words, const char *doing, int err)
{
	snprintf(words->text, sizeof words->text, "cannot %s it: %s", doing, strerror(err));
	return words->text;
}

int
place_fd(const char *path)
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

const char *
place_dir(const char *path, char *dir)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (!slash)
		return ".";
	if (n == 0)
		return "/";
	if (n >= PATH_MAX)
		return path;   /* it is too long for the system, too */
	memcpy(dir, path, n);
	dir[n] = 0;
	return dir;
}

/* NULL if prof can make (or rename) a file in PATH's directory, else why not. */
static const char *
check_dir(const char *path, struct place_words *words)
{
	char buf[PATH_MAX];
	const char *dir = place_dir(path, buf), *name = strrchr(path, '/');
	struct stat st;

	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (!*(name ? name + 1 : path))
		errno = EISDIR;
	else if (strlen(name ? name + 1 : path) > NAME_MAX)
		errno = ENAMETOOLONG;
	else if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
		return NULL;
	snprintf(words->text, sizeof words->text, "cannot write to directory %s: %s", dir, strerror(errno));
	return words->text;
}

/* Where a write through a chain of symlinks that ends at nothing would make the file. */
static const char *
check_dangling(const char *path, struct place_words *words)
{
	char at[PATH_MAX], to[PATH_MAX], dir[PATH_MAX];
	ssize_t n;

	if (strlen(path) >= sizeof at)
		return place_complain(words, "open", ENAMETOOLONG);
	strcpy(at, path);
	for (unsigned i = 0; i < LINKS_MAX; i++) {
		const char *base;

		if ((n = readlink(at, to, sizeof to - 1)) < 0)
			return check_dir(at, words);
		to[n] = 0;
		base = place_dir(at, dir);
		if (*to == '/')
			strcpy(at, to);
		else {
			char joined[2 * PATH_MAX];

			if ((size_t)snprintf(joined, sizeof joined, "%s/%s", base, to) >= sizeof at)
				return place_complain(words, "open", ENAMETOOLONG);
			strcpy(at, joined);
		}
	}
	return place_complain(words, "open", ELOOP);
}

bool
place_caller(uid_t *uid, gid_t *gid)
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

bool
place_callers(const struct stat *st)
{
	uid_t uid;
	gid_t gid;

	return st->st_uid == geteuid() || (place_caller(&uid, &gid) && st->st_uid == uid);
}

/* The directory's owner may put something there, or replace the directory; so may root, in any case. */
static bool
is_anothers(const struct stat *dir)
{
	return dir->st_uid && !place_callers(dir);
}

/* Whether another user has a hand in how PATH, a directory, is reached. */
static bool
is_reached_by_another(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (*path != '/' && !stat(".", &st) && is_anothers(&st))
		return true;
	for (const char *s = path; (s = strchr(s + 1, '/'));) {
		if ((size_t)(s - path) >= sizeof part)
			return true;
		memcpy(part, path, (size_t)(s - path));
		part[s - path] = 0;
		if (!stat(part, &st) && (is_anothers(&st) || ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))))
			return true;
	}
	return false;
}

bool
place_shared(const char *path)
{
	char buf[PATH_MAX];
	const char *dir = place_dir(path, buf);
	struct stat st;

	return stat(dir, &st) == 0 && ((st.st_mode & (S_IWGRP | S_IWOTH)) || is_anothers(&st) || is_reached_by_another(dir));
}

const char *
place_check_through(const char *path, const struct stat *st)
{
	char buf[PATH_MAX];
	struct stat dir;

	if (!place_shared(path))
		return NULL;
	if (!place_callers(st))
		return "the file belongs to another user, in a directory that others can write to";
	return stat(place_dir(path, buf), &dir) || is_anothers(&dir) ? "the file is in another user's directory; that user could replace it" : NULL;
}

/* In a directory like /tmp the system refuses to rename over another user's file. */
static bool
is_sticky(const char *path, const struct stat *file)
{
	char buf[PATH_MAX];
	struct stat dir;

	return stat(place_dir(path, buf), &dir) == 0 && (dir.st_mode & S_ISVTX) && geteuid() != 0 &&
	       geteuid() != file->st_uid && geteuid() != dir.st_uid;
}

const char *
place_check(const char *path, struct place_words *words)
{
	int fd = place_fd(path), flags;
	const char *why;
	struct stat st;

	if (!*path)
		return "the file name is empty";
	if (fd >= 0) {
		if ((flags = fcntl(fd, F_GETFL)) < 0)
			return place_complain(words, "use", errno);
		return flags & (O_WRONLY | O_RDWR) ? NULL : "the descriptor is not open for writing";   /* a closed one is O_PATH: see commands_run */
	}
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? check_dir(path, words) : place_complain(words, "open", errno);
	if (S_ISREG(st.st_mode))
		return is_sticky(path, &st) ? place_complain(words, "replace", EPERM) : check_dir(path, words);
	if ((why = place_check_through(path, &st)))
		return why;
	if (stat(path, &st) != 0)
		return errno == ENOENT ? check_dangling(path, words) : place_complain(words, "open", errno);
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? place_complain(words, "open", errno) : NULL;
}

void
fresh_name(struct fresh_name *f)
{
	const char *suffix = f->suffix + (*f->suffix == '.');
	struct stat st;

	snprintf(f->path, sizeof f->path, "%s.%s", f->stem, suffix);
	for (unsigned i = 2; i < TRIES_MAX && lstat(f->path, &st) == 0; i++)
		snprintf(f->path, sizeof f->path, "%s.%u.%s", f->stem, i, suffix);
}
