/* See keeper_serve.h.  Of what is asked for it gives what the capture, as prof's own memory had it, takes. */
#include "keeper_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/filemap.h"
#include "sym/kernel/bpf_names.h"
#include "sample/tasks/foreign.h"
#include "sample/events/helper_process.h"
#include "keeper.h"
#include "keeper_ask.h"
#include "sample/events/opener.h"
#include "sample/events/priority.h"
#include "sandbox.h"
#include "sample/tasks/target.h"
#include "sample/tasks/threads.h"

enum { UIDS_MOST = 16, ANCESTORS_MOST = 64, HEADS = 18 };

static struct {
	bool checks;               /* in the keeper and its helpers */
	pid_t prof;
	struct opener *opener;
	const struct keeper_also *also;
	/* Whom the capture may see: all of them, or processes of these users, and what descends from its targets. */
	bool all, lent;
	uid_t uid[UIDS_MOST];
	unsigned uids;
} kept;

static bool
is_target(int32_t pid)
{
	const struct capture *c = &kept.opener->capture;

	for (unsigned i = 0; i < c->npid; i++)
		if (c->pid[i] == pid)
			return true;
	return false;
}

bool
keeper_may(int32_t pid)
{
	uid_t uid;

	if (!kept.checks || kept.all)
		return true;
	if (pid <= 0 || !target_owner(pid, "maps", &uid))
		return false;
	for (unsigned i = 0; i < kept.uids; i++)
		if (uid == kept.uid[i])
			return true;
	for (unsigned i = 0; !kept.lent && pid > 1 && i < ANCESTORS_MOST; i++, pid = threads_parent(pid))
		if (is_target(pid))
			return true;
	return false;
}

/* Where root's processes are seen, all are: they could reach any. */
static void
choose_whom(const struct opener *o)
{
	const struct capture *c = &o->capture;
	uid_t uid;

	kept.lent = sandbox_lent();
	kept.all = c->target == TARGET_SYSTEM && !kept.lent;
	if (kept.lent)
		kept.uid[kept.uids++] = getuid();
	for (unsigned i = 0; !kept.lent && i < c->npid && kept.uids < UIDS_MOST; i++)
		if (target_owner(c->pid[i], "", &uid)) {
			unsigned k = 0;

			while (k < kept.uids && kept.uid[k] != uid)
				k++;
			kept.uid[k] = uid;
			kept.uids += k == kept.uids;
			kept.all |= !uid;
		}
}

static int
refuse(int err)
{
	errno = err;
	return -1;
}

static bool
is_cgroups(int dir, const char *name)
{
	struct statfs fs;

	return !strchr(name, '/') && strcmp(name, "..") && !fstatfs(dir, &fs) &&
	       ((uint32_t)fs.f_type == 0x27e0eb || (uint32_t)fs.f_type == 0x63677270);
}

static int
serve_small(const struct ask *a, int dir)
{
	char path[PROC_PATH_MAX];
	struct ask_proc p;

	if (dir >= 0)
		return is_cgroups(dir, a->path) ? openat(dir, a->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : refuse(EPERM);
	if (!strcmp(a->path, proc_root))
		return open(a->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!ask_proc(&p, a->path))
		return refuse(EPERM);
	if (!strcmp(a->path, "/proc/self/statm"))   /* prof's; the rest is the same as ours */
		return open(proc_path(path, kept.prof, "statm"), O_RDONLY | O_CLOEXEC);
	if (p.pid && !p.everyone && !keeper_may(p.pid))
		return refuse(EPERM);
	return open(a->path, (p.place ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK) | O_CLOEXEC);
}

/* What a process has mapped could be had from its memory as well.  Any other file must be a program, or be called as what
 * JITs write, and not by a link alone: or the whole disk could be read. */
static int
serve_file(const struct ask *a, int root)
{
	bool mapped, jit = ask_jit(a->path);
	uint8_t head[HEADS];
	struct ask_proc p;
	struct stat st;
	ssize_t n;
	int fd;

	if ((mapped = root < 0 && ask_mapped(&p, a->path)) && !keeper_may(p.pid))
		return refuse(EPERM);
	fd = foreign_regular(root < 0 ? AT_FDCWD : root, a->path, a->link || jit ? O_NOFOLLOW : 0, &st);
	if (fd < 0 || mapped || jit)
		return fd;
	n = pread(fd, head, sizeof head, 0);
	if (ask_code(head, n < 0 ? 0 : (size_t)n))
		return fd;
	close(fd);
	return refuse(ENOEXEC);
}

static int
serve_event(const struct ask *a)
{
	struct opener *o = kept.opener;
	bool known = false;

	for (uint32_t i = 0; i < o->nsample; i++)
		known |= o->rings.ring[i].cpu == a->cpu;
	if (!known || a->number >= o->capture.nevent || (a->pid < 0 ? o->reach == REACH_THREADS : !keeper_may(a->pid)))
		return refuse(EPERM);
	if (o->capture.event[a->number].waits)
		o->capture.wait_stack_size = a->size;
	else
		opener_stack(o, a->size, a->chain);
	return opener_event(o, a->number, a->pid, a->cpu, false);
}

static void
drop_cgroup(void)
{
	if (kept.opener->cgroup.fd > 0 && kept.opener->reach == REACH_CGROUP)
		cgroup_remove(&kept.opener->cgroup);
}

/* The text's length or -1 with errno; and the descriptor, or -1. */
static long
serve(const struct ask *a, int with, int *fd, char *text)
{
	uint64_t ns;
	pid_t pid;

	errno = EIO;
	switch (a->what) {
	case ASK_SMALL:
		return (*fd = serve_small(a, with)) < 0 ? -1 : 0;
	case ASK_FILE:
		return (*fd = serve_file(a, with)) < 0 ? -1 : 0;
	case ASK_EVENT:
		return (*fd = serve_event(a)) < 0 ? -1 : 0;
	case ASK_HELPER:
		return (*fd = hold_helper(kept.opener, &pid)) < 0 ? -1 : 0;
	case ASK_READ:
		return !a->pid || keeper_may(a->pid) ? (long)foreign_read(a->pid, a->at, text, a->size) : refuse(EPERM);
	case ASK_SAYS:   /* those whom prof is lent to need not know where the kernel is */
		return kept.lent ? refuse(EPERM) : (long)kbpf_names(a->path, text, READ_MOST);
	case ASK_ASLEEP:
		return keeper_may(a->pid) ? foreign_asleep(a->pid, (int32_t)a->at, text, a->size) : refuse(EPERM);
	case ASK_CGROUP:
		drop_cgroup();
		return 0;
	case ASK_CPU:
		ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		memcpy(text, &ns, sizeof ns);
		return sizeof ns;
	case ASK_CALLER:
		return kept.also->serve(kept.also->ctx, a, fd, text, sizeof((struct answer *)0)->bytes);
	}
	return -1;
}

static void
keep(int fd)
{
	struct answer r;
	struct ask a;
	ssize_t n;
	int with;

	while ((n = ask_get(fd, &a, sizeof a, &with)) > 0) {
		int given = -1;
		long len = !ask_check(&a, (size_t)n) ? refuse(EINVAL) : serve(&a, with, &given, r.bytes);

		r.err = len < 0 ? errno : 0;
		ask_put(fd, &r, sizeof r.err + (size_t)(len < 0 ? 0 : len), given);
		if (given >= 0)
			close(given);
		if (with >= 0)
			close(with);
	}
	drop_cgroup();   /* prof was killed */
}

/* Whatever the keeper waits for, a FIFO's reader perhaps: it ends with prof. */
static void
on_end(int sig)
{
	(void)sig;
	drop_cgroup();
	_exit(0);
}

void
keeper_serve(int fd, pid_t prof, struct opener *o, const struct keeper_also *also)
{
	struct priority p;
	sigset_t most;

	kept.opener = o;
	kept.also = also;
	kept.prof = prof;
	choose_whom(o);
	signal(SIGCHLD, SIG_IGN);   /* helpers need not be waited for */
	signal(SIGRTMAX, on_end);
	sigfillset(&most);
	sigdelset(&most, SIGRTMAX);
	sigprocmask(SIG_SETMASK, &most, NULL);
	prctl(PR_SET_PDEATHSIG, SIGRTMAX);
	prctl(PR_SET_NAME, "prof-keeper");
	priority_raise(&p, o->ncpu > 1);
	kept.checks = true;
	o->stack_most = o->stack_limit;   /* how much of it is prof's to know */
	hold_only(o, fd);
	for (int i = 0; i < 3; i++)   /* whoever reads what prof writes need not wait for the keeper's end */
		if (i != fd)
			close(i);
	keep(fd);
	_exit(0);
}
