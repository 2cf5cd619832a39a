/* See container.h.  Paths as runtimes make them: those of Docker, containerd, CRI-O and Podman, each with the cgroupfs and the
 * systemd driver; kubelet's kubepods; systemd.unit(5); lxc.container.conf(5).  proc(5), pid_namespaces(7): a mounted /proc is
 * of the pid namespace in which it was mounted. */
#include "container.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/filemap.h"

/* Digits: of an id or a pod's uid at least; of an id shown; and of a pod's uid, with its dashes, at most. */
enum { DIGITS_LEAST = 32, ID_SHOWN = 12, UID_MOST = 36 };
static const char digits[] = "0123456789abcdef-_";

/* The digits at S, without dashes. */
static size_t
hex(const char *s)
{
	size_t n = 0;

	while (s[n] && memchr(digits, s[n], 16))
		n++;
	return n;
}

/* Whether WHAT stands before END, and something before that. */
static bool
ends(const char *path, const char *end, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(end - path) > n && !memcmp(end - n, what, n);
}

static bool
is_unit(const char *lo, const char *hi)
{
	return ends(lo, hi, ".service") || ends(lo, hi, ".scope") || ends(lo, hi, ".socket") || ends(lo, hi, ".mount");
}

/* What runs the container with that id: the word before it, or else the directory it is in, behind "cri-". */
static const char *
runtime(const char *path, const char *id, int *len)
{
	const char *hi = id > path ? id - 1 : path, *lo = hi;

#ifdef PLANT_CONTAINER
	while (lo[-1] != '/' && lo[-1] != ':')
#else
	while (lo > path && lo[-1] != '/' && lo[-1] != ':')
#endif
		lo--;
	lo += strncmp(lo, "cri-", 4) ? 0 : 4;
	*len = (int)(hi - lo);
	if (*len > 0 && hex(lo) < DIGITS_LEAST)
		return lo;
	*len = 9;
	return "container";
}

/* What is innermost counts: an id within a pod, else an id, else a name of LXC's, else a unit. */
const char *
container_name(const char *path, char *name, size_t size)
{
	const char *id = NULL, *pod = NULL, *lxc = NULL, *unit = NULL, *lo = path;
	int npod = 0, n = 0;

	for (const char *s = path, *end; *s; s = end) {
		end = s + 1;
		if (s == path || s[-1] == '/') {
			lo = s;
			lxc = !strncmp(s, "lxc.payload.", 12) ? s + 12 : s - path >= 5 && !memcmp(s - 5, "/lxc/", 5) ? s : lxc;
			n = (int)strcspn(s, "/");
			unit = is_unit(s, s + n) ? s : unit;
		}
		if (!strncmp(s, "pod", 3) && (s == lo || s[-1] == '-') && (n = (int)strspn(s + 3, digits)) >= DIGITS_LEAST) {
			pod = s + 3;
			npod = n < UID_MOST ? n : UID_MOST;
			id = NULL;
			end = pod + npod;
		} else if ((n = (int)hex(s)) >= DIGITS_LEAST)
			id = s;
		end = n > end - s && id == s ? s + n : end;
	}
	lo = pod ? "pod" : id ? runtime(path, id, &n) : lxc ? "lxc" : unit ? unit : path;
	if (pod && id)
		snprintf(name, size, "pod:%.*s:%.*s", npod, pod, ID_SHOWN, id);
	else if (pod)
		snprintf(name, size, "pod:%.*s", npod, pod);
	else if (id)
		snprintf(name, size, "%.*s:%.*s", n, lo, ID_SHOWN, id);
	else if (lxc)
		snprintf(name, size, "lxc:%.*s", (int)strcspn(lxc, "/"), lxc);
	else
		snprintf(name, size, "%.*s", unit ? (int)strcspn(lo, "/") : (int)strlen(lo), lo);
	for (char *s = name; pod && *s; s++)
		*s = *s == '_' ? '-' : *s;
	return name;
}

/* Of version 1's hierarchies, which may each tell something else, the longest path tells most. */
const char *
container_of(int32_t pid, char *name, size_t size)
{
	char text[4096], unknown[] = "?", *next, *best = unknown, *own;

	if (pid <= 0 || file_proc(pid, "cgroup", text, sizeof text) <= 0) {
		snprintf(name, size, "%s", pid ? "?" : "/");
		return name;
	}
	for (char *line = text, *path; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if ((path = strchr(line, ':')) && (path = strchr(path + 1, ':')) && strlen(path + 1) >= strlen(best))
			best = path + 1;
	}
	if ((own = strstr(best, "/prof-")) && own[6] >= '0' && own[6] <= '9')   /* of prof's making, see cgroup.c */
		*own = 0;
	return container_name(*best ? best : "/", name, size);
}

/* Whether LIST, words with commas between them, has WORD. */
static bool
lists(const char *list, const char *word)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, ",: \n");
		if (n == strlen(word) && !strncmp(list, word, n))
			return true;
		if (list[n] != ',')
			return false;
	}
}

/* The path in the hierarchy that has CONTROLLER, or in version 2's: the part of its line in TEXT, which is cut up, behind
 * the second colon. */
static char *
path_in(char *text, const char *controller, bool *unified)
{
	char *found = NULL, *next;

	for (char *line = text; *line; line = next) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (!path)
			continue;
		path++;
		if (*controller && lists(list + 1, controller)) {
			*unified = false;
			return path;
		}
		if (list[1] == ':') {
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
shows(const char *line, const char *path, const char *controller, bool unified, char *dir, size_t size)
{
	const char *root = field(line, 3), *mount = field(line, 4), *type = strstr(line, " - cgroup"), *with;
	size_t len;
	int n;

	if (!mount || !type || (type[9] == '2') != unified ||
	    (!unified && (!(with = field(type + 1, 3)) || !lists(with, controller))))
		return false;
	len = strcspn(root, " ");
	len = len == 1 ? 0 : len;
	if (strncmp(path, root, len) || (path[len] != '/' && path[len]) || strstr(path + len, "/.."))
		return false;
	n = snprintf(dir, size, "%.*s%s", (int)strcspn(mount, " "), mount, path + len);
	return n > 0 && (size_t)n < size;
}

/* The directory of PATH in that hierarchy. */
static const char *
locate(const char *path, const char *controller, bool unified, char *dir, size_t size)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	bool found = false;
	struct lines l;
	char *line;

	if (fd < 0)
		return "/proc does not tell of mounts";
	lines_open(&l, fd);
	while (!found && (line = lines_next(&l)))
		found = shows(line, path, controller, unified, dir, size);
	close(fd);
	return found ? NULL : strstr(path, "/..") ? "it lies outside of prof's cgroup namespace" : "their file system is not mounted";
}

const char *
container_dir(int32_t pid, const char *controller, char *dir, size_t size, bool *unified)
{
	char text[4096], *path;
	long n = pid ? file_proc(pid, "cgroup", text, sizeof text) : file_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text);

	if (n <= 0 || !(path = path_in(text, controller, unified)))
		return pid ? "there is no such process, or /proc does not tell its cgroup" : "prof is in none that it can see";
	return locate(path, controller, *unified, dir, size);
}

const char *
container_find(const char *what, char *dir, size_t size)
{
	char text[4096], *end;
	const char *p = what;
	uint64_t pid;
	bool unified;

	if (text_dec(&p, &pid) && !*p)
		return container_dir(pid && pid <= INT32_MAX ? (int32_t)pid : -1, CONTAINER_EVENTS, dir, size, &unified);
	if (*what == '/' && (size_t)snprintf(dir, size, "%s/cgroup.procs", what) < size && !access(dir, F_OK)) {
		dir[strlen(what)] = 0;
		return NULL;
	}
	if (file_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) <= 0 || !path_in(text, CONTAINER_EVENTS, &unified))
		return "there are no cgroups, or /proc does not tell of them";
	end = text + snprintf(text, sizeof text, "/%.400s", what + strspn(what, "/"));
	while (end > text && end[-1] == '/')
		*--end = 0;
	return locate(text, CONTAINER_EVENTS, unified, dir, size);
}

/* Whether the /proc at DIR is there at all, and of prof's own pid namespace. */
static bool
is_own(const char *dir, bool *there)
{
	char path[PROC_PATH_MAX], text[16] = "";
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof path, "%s/self", dir);
	*there = !lstat(path, &st);
	n = readlink(path, text, sizeof text - 1);
	return n > 0 && atoi(text) == getpid();
}

const char *
container_proc(const char *dir)
{
	bool there;

	if (strlen(dir) > PROC_ROOT_MAX)
		return "the path is too long";
	if (!is_own(dir, &there))
		return there ? "it is of another pid namespace: run prof with --pid=host (in a pod: hostPID: true)"
		             : "no /proc is mounted there";
	proc_root = dir;
	return NULL;
}

const char *
container_adapt(void)
{
	bool there;

	if (is_own(proc_root, &there) || !there)
		return NULL;
	if (!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) &&
	    !mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) && is_own(proc_root, &there))
		return NULL;
	return "/proc is of another pid namespace: enter that one's mounts, too (nsenter -m), or use --proc-root";
}
