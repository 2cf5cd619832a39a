/* See cgroup_dir.h.  cgroups(7): /proc/PID/cgroup has a line of each hierarchy, "NUMBER:CONTROLLERS:PATH", version 2's without
 * controllers; proc(5): /proc/PID/mountinfo tells where it is mounted, and which part of it. */
#include "cgroup_dir.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/lines.h"
#include "lib/proc.h"
#include "lib/text.h"

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

/* The path in the hierarchy that has CONTROLLER, or in version 2's hierarchy: the part of its line behind the second colon.  It
 * cuts TEXT up. */
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
		return "/proc does not show the mounts";
	lines_open(&l, fd);
	while (!found && (line = lines_next(&l)))
		found = shows(line, path, controller, unified, dir, size);
	close(fd);
	return found ? NULL : strstr(path, "/..") ? "it lies outside of prof's cgroup namespace" : "the file system of cgroups is not mounted";
}

const char *
cgroup_dir(int32_t pid, const char *controller, char *dir, size_t size, bool *unified)
{
	char text[4096], *path;
	long n = pid ? proc_text(pid, "cgroup", text, sizeof text) : file_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text);

	if (n <= 0 || !(path = path_in(text, controller, unified)))
		return pid ? "there is no such process, or /proc does not show its cgroup" : "prof cannot find its own cgroup";
	return locate(path, controller, *unified, dir, size);
}

const char *
cgroup_dir_find(const char *what, char *dir, size_t size)
{
	char text[4096], *end;
	const char *p = what;
	uint64_t pid;
	bool unified;

	if (text_dec(&p, &pid) && !*p)
		return cgroup_dir(pid && pid <= INT32_MAX ? (int32_t)pid : -1, CGROUP_EVENTS, dir, size, &unified);
	if (*what == '/' && (size_t)snprintf(dir, size, "%s/cgroup.procs", what) < size && !access(dir, F_OK)) {
		dir[strlen(what)] = 0;
		return NULL;
	}
	if (file_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) <= 0 || !path_in(text, CGROUP_EVENTS, &unified))
		return "there are no cgroups, or /proc does not show them";
	end = text + snprintf(text, sizeof text, "/%.400s", what + strspn(what, "/"));
	while (end > text && end[-1] == '/')
		*--end = 0;
	return locate(text, CGROUP_EVENTS, unified, dir, size);
}
