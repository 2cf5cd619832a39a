/* See container.h.  Paths as runtimes make them: those of Docker, containerd, CRI-O and Podman, each with the cgroupfs and the
 * systemd driver; kubelet's kubepods; systemd.unit(5); lxc.container.conf(5). */
#include "container.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/proc.h"

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

	while (lo > path && lo[-1] != '/' && lo[-1] != ':')
		lo--;
	lo += strncmp(lo, "cri-", 4) ? 0 : 4;
	*len = (int)(hi - lo);
	if (*len > 0 && hex(lo) < DIGITS_LEAST)
		return lo;
	*len = 9;
	return "container";
}

/* The innermost name counts: an id within a pod, else an id, else a name of LXC's, else a unit. */
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

/* Each hierarchy of version 1 may have another path; the longest path tells most. */
const char *
container_of(int32_t pid, char *name, size_t size)
{
	char text[4096], unknown[] = "?", *next, *best = unknown, *own;

	if (pid <= 0 || proc_text(pid, "cgroup", text, sizeof text) <= 0) {
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
	if ((own = strstr(best, "/prof-")) && own[6] >= '0' && own[6] <= '9')   /* prof made it, see cgroup.c */
		*own = 0;
	return container_name(*best ? best : "/", name, size);
}
