/* See whose.h.  proc(5): status, cgroup, ns; ptrace(2), "Ptrace access mode checking", has the rule for whose_callers. */
#include "whose.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/proc.h"
#include "lib/text.h"

int
whose_open(int32_t pid)
{
	char path[PROC_PATH_MAX];

	return pid <= 0 ? -1 : open(proc_path(path, pid, "%s", ""), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool
whose_alive(int dir)
{
	struct stat st;

	return !fstatat(dir, "stat", &st, 0);
}

/* Behind "\nKEY:\t", or NULL. */
static const char *
field(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? p + strlen(key) : NULL;
}

int32_t
whose_process(int dir)
{
	char status[4096];
	const char *p;
	uint64_t pid;

	return file_text(dir, "status", status, sizeof status) > 0 && (p = field(status, "\nTgid:\t")) && text_dec(&p, &pid) &&
	       pid <= INT32_MAX ? (int32_t)pid : -1;
}

static bool
space_of(int dir, const char *name, uint64_t *space)
{
	struct stat st;

	*space = 0;
	if (fstatat(dir, name, &st, 0))
		return errno == ENOENT;
	*space = st.st_ino;
	return true;
}

bool
whose_of(int dir, struct whose *w)
{
	static const char *const names[] = { "ns/user", "ns/pid", "ns/mnt" };
	struct stat st;
	long n;

	if (fstatat(dir, "maps", &st, 0))
		return false;
	w->uid = st.st_uid;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!space_of(dir, names[i], &w->space[i]))
			return false;
	n = file_text(dir, "cgroup", w->cgroup, sizeof w->cgroup);
	if (n < 0)
		w->cgroup[0] = 0;
	return n < 0 ? errno == ENOENT : n < (long)sizeof w->cgroup - 1;
}

bool
whose_same(const struct whose *a, const struct whose *b)
{
	return a->uid == b->uid && !memcmp(a->space, b->space, sizeof a->space) && !strcmp(a->cgroup, b->cgroup);
}

/* Whether all N numbers behind KEY are ID. */
static bool
all_are(const char *status, const char *key, unsigned n, uint64_t id)
{
	const char *p = field(status, key);
	uint64_t v;

	for (; p && n && text_dec(&p, &v) && v == id; n--)
		p += *p == '\t';
	return p && !n;
}

bool
whose_callers(int dir)
{
	char status[4096];
	uint64_t caps, its, own;
	struct stat st;
	const char *p;

	return !fstatat(dir, "maps", &st, 0) && st.st_uid == getuid() && file_text(dir, "status", status, sizeof status) > 0 &&
	       all_are(status, "\nUid:\t", 4, getuid()) && all_are(status, "\nGid:\t", 4, getgid()) &&
	       (p = field(status, "\nCapPrm:\t")) && text_hex(&p, &caps) && !caps &&
	       space_of(dir, "ns/user", &its) && space_of(AT_FDCWD, "/proc/self/ns/user", &own) && its == own;
}

bool
whose_may(int32_t pid)
{
	int dir = whose_open(pid);
	bool may = dir >= 0 && whose_callers(dir);

	if (dir >= 0)
		close(dir);
	return may;
}
