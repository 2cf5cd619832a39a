/* See keeper_whom.h.  Only what prof knew before it read files of others decides: the targets, and their properties.
 *
 *     -a, -C           all processes
 *     -G               the processes in that cgroup, or below
 *     a command, pids  the targets, what descends from them (or is in the cgroup that prof made for the command), and who cannot be
 *                      told from a target: of the same user, namespaces and cgroup.  A container's root is not the machine's.
 *     rights that are lent   the caller's own, each time anew
 *
 * The keeper looks at a process by a descriptor of its directory in /proc, so that the number cannot mean another process
 * between the look and the work. */
#include "keeper_whom.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/events/opener.h"
#include "sample/tasks/cgroup_dir.h"
#include "sample/tasks/threads.h"
#include "sample/tasks/whose.h"
#include "sandbox.h"
#include "sym/module/module.h"

enum { ALIKE_MOST = 16, ANCESTORS_MOST = 64, KNOWN_MOST = 32, ROOTS_MOST = 256 };

static struct {
	bool all, lent;
	struct threads targets;            /* threads, with their processes */
	const char *cgroup;                /* all processes in it are of the capture; or NULL */
	struct whose alike[ALIKE_MOST];    /* what targets are like */
	unsigned nalike;
	struct known { int32_t pid; int dir; } known[KNOWN_MOST];   /* processes that were of the capture at the last look */
	unsigned next;
	struct place { uint64_t dev, ino; } root[ROOTS_MOST];
	unsigned nroot, named;             /* NAMED of them are the command line's */
	struct place own;                  /* prof's root */
	unsigned users;                    /* how many users the targets have; UID and GID are those of the first */
	uid_t uid;
	gid_t gid;
} whom;

static bool
place_of(int fd, struct place *p)
{
	struct stat st;

	if (fd < 0 ? stat("/", &st) : fstat(fd, &st))
		return false;
	*p = (struct place){ st.st_dev, st.st_ino };
	return true;
}

static bool
is_among(struct place p, unsigned from, unsigned to)
{
	while (from < to && (whom.root[from].dev != p.dev || whom.root[from].ino != p.ino))
		from++;
	return from < to;
}

void
whom_root(int fd)
{
	struct place p;

	if (place_of(fd, &p) && !is_among(p, whom.named, whom.nroot) && whom.nroot < ROOTS_MOST)
		whom.root[whom.nroot++] = p;
}

bool
whom_is_root(int fd)
{
	struct place p;

	return whom.all || (fd < 0 ? is_among(whom.own, whom.named, whom.nroot) : place_of(fd, &p) && is_among(p, 0, whom.nroot));
}

bool
whom_is_named(int fd)
{
	struct place p;

	return place_of(fd, &p) && is_among(p, 0, whom.named);
}

void
whom_user(uid_t *uid, gid_t *gid)
{
	if (whom.users != 1)
		return;
	*uid = whom.uid;
	*gid = whom.gid;
}

static bool
is_target(int32_t pid)
{
	for (uint32_t i = 0; i < whom.targets.n; i++)
		if (whom.targets.thread[i].pid == pid || whom.targets.thread[i].tid == pid)
			return true;
	return false;
}

static bool
descends(int32_t pid)
{
	for (unsigned i = 0; pid > 0 && i < ANCESTORS_MOST; i++, pid = threads_parent(pid))
		if (is_target(pid))
			return true;
	return false;
}

static bool
is_in_cgroup(int32_t pid)
{
	size_t n = whom.cgroup ? strlen(whom.cgroup) : 0;
	char dir[480];
	bool unified;

	return n && !cgroup_dir(pid, CGROUP_EVENTS, dir, sizeof dir, &unified) && !strncmp(dir, whom.cgroup, n) &&
	       (!dir[n] || dir[n] == '/');
}

static bool
is_like_a_target(int dir)
{
	struct whose its;

	if (!whom.nalike || !whose_of(dir, &its))
		return false;
	for (unsigned i = 0; i < whom.nalike; i++)
		if (whose_same(&whom.alike[i], &its))
			return true;
	return false;
}

static bool
is_of_capture(int dir)
{
	int32_t process;

	if (whom.lent || whom.all)
		return whom.lent ? whose_callers(dir) : true;
	process = whose_process(dir);
	return process > 0 && (descends(process) || is_in_cgroup(process) || is_like_a_target(dir));
}

int
whom_look(int32_t pid)
{
	unsigned most = opener_files() < 16 * KNOWN_MOST ? (unsigned)opener_files() / 16 + 1 : KNOWN_MOST;   /* each keeps a descriptor */
	struct known *k = NULL;
	bool of;

	for (unsigned i = 0; i < most && !k; i++)
		if (whom.known[i].pid == pid && pid > 0)
			k = &whom.known[i];
	if (k && whom_still(k->dir))
		return k->dir;
	if (!k)
		k = &whom.known[whom.next++ % most];
	if (k->pid)
		close(k->dir);
	*k = (struct known){ pid, whose_open(pid) };
	of = k->dir >= 0 && is_of_capture(k->dir);
	if (of && whose_alive(k->dir))   /* so what the keeper read by its number was its own */
		return k->dir;
	if (k->dir >= 0)
		close(k->dir);
	errno = k->dir < 0 || of ? ESRCH : EPERM;
	*k = (struct known){ 0 };
	return -1;
}

bool
whom_still(int dir)
{
	bool still = whose_alive(dir) && (!whom.lent || whose_callers(dir));

	errno = still ? errno : ESRCH;
	return still;
}

bool
whom_may(int32_t pid)
{
	return whom_look(pid) >= 0;
}

bool
whom_lent(void)
{
	return whom.lent;
}

static void
add_target(int32_t pid)
{
	int dir = whose_open(pid);
	struct whose *w = &whom.alike[whom.nalike];
	struct stat st;
	int32_t process = dir < 0 ? -1 : whose_process(dir);

	if (dir >= 0 && !fstat(dir, &st) && (!whom.users || st.st_uid != whom.uid || st.st_gid != whom.gid)) {
		whom.users++;
		whom.uid = st.st_uid;
		whom.gid = st.st_gid;
	}
	threads_add(&whom.targets, process > 0 ? process : pid, pid);
	if (dir >= 0 && whom.nalike < ALIKE_MOST && !is_like_a_target(dir) && whose_of(dir, w))
		whom.nalike++;
	if (dir >= 0)
		close(dir);
}

void
whom_choose(const struct opener *o, const struct modules *ms)
{
	const struct capture *c = &o->capture;

	whom.lent = sandbox_lent();
	whom.all = c->target == TARGET_SYSTEM && !c->cgroup && !whom.lent;
	whom.cgroup = o->cgroup.fd > 0 ? o->cgroup.path : NULL;
	place_of(-1, &whom.own);
	for (uint32_t i = 0; ms && i < ms->nroot; i++)
		whom_root(ms->root[i].fd);
	whom.named = whom.nroot;
	for (unsigned i = 0; c->target != TARGET_SYSTEM && i < c->npid; i++)
		add_target(c->pid[i]);
}
