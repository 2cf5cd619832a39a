/* See keeper_serve.h.  A file that prof read may have taken over the process that asks.  So the keeper judges each question as
 * if an enemy asked it, by what prof's own memory said of the capture before prof read any such file:
 *
 *     files of /proc            those of the few names in keeper_ask.c; what is not everybody's, only of processes of the capture
 *     files by path             programs, and what JITs write, by their first bytes and their names, and those below roots that
 *                               processes of the capture have: of the rest of the disk what anybody may read, or who wrote the
 *                               recording that names them
 *     memory                    of processes of the capture
 *     events                    those of the capture, on its CPUs and its processes
 *     what the caller keeps     by a function of the caller's: its output files, by the names that the command line has
 *
 * keeper_whom.c says which processes belong to the capture: before the work, and again once it is done. */
#include "keeper_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/answer.h"
#include "lib/asked_file.h"
#include "lib/clock.h"
#include "lib/proc.h"
#include "sym/kernel/bpf_names.h"
#include "sym/kernel/packed_module.h"
#include "sample/tasks/foreign.h"
#include "sample/events/helper_process.h"
#include "sample/events/open_event.h"
#include "keeper_ask.h"
#include "keeper_files.h"
#include "sample/events/opener.h"
#include "sample/events/priority.h"
#include "keeper_whom.h"
#include "module_link.h"
#include "sym/module/module.h"

enum { HEADS = 18, HELPERS_MOST = 128, KEEPERS_MOST = 8 };
/* ns that the keeper waits for files: less than prof waits. */
enum { PATIENCE = 600000000, PATIENCE_LEAST = 20000000 };
/* ms between looks whether prof gets a CPU: most rings have room for longer than two of these. */
enum { LOOK_EACH = 250 };

static struct {
	pid_t prof;
	struct opener *opener;
	const struct modules *modules;
	const struct keeper_also *also;
	unsigned helpers;          /* helpers that have not ended */
	unsigned before;           /* how many keepers came before this one */
	bool first;                /* this keeper is real-time, as prof was, */
	struct guard guard;        /* and sees to it that prof gets a CPU */
	bool spared;               /* this keeper has made its spare */
} kept;

static void keep(int fd);

static int
refuse(int err)
{
	errno = err;
	return -1;
}

/* Returns FD if DIR still stands for the same process; else closes FD. */
static int
if_still(int dir, int fd)
{
	if (fd < 0 || whom_still(dir))
		return fd;
	close(fd);
	return refuse(ESRCH);
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
	int of, fd;

	if (dir >= 0)
		return is_cgroups(dir, a->path) ? openat(dir, a->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : refuse(EPERM);
	if (!strcmp(a->path, proc_root))
		return open(a->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!ask_proc(&p, a->path))
		return refuse(EPERM);
	if (!strcmp(a->path, "/proc/self/statm"))   /* it must be prof's own; all else is the same for prof and the keeper */
		return open(proc_path(path, kept.prof, "statm"), O_RDONLY | O_CLOEXEC);
	if (!p.pid || p.everyone)
		return open(a->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if ((of = whom_look(p.pid)) < 0)
		return -1;
	fd = if_still(of, open(a->path, (p.place ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK) | O_CLOEXEC));
	if (fd >= 0 && p.place)
		whom_root(fd);
	return fd;
}

/* Whether PATH lies in a directory that the command line names. */
static bool
is_named(const char *path)
{
	const struct debug_places *d = kept.modules ? &kept.modules->places : NULL;

	if (!d || strstr(path, "/../"))
		return false;
	for (unsigned i = 0; i < DEBUG_DIRS + DEBUG_CACHES; i++) {
		const char *dir = i < DEBUG_DIRS ? d->dir[i] : d->cache[i - DEBUG_DIRS];
		size_t n = dir ? strlen(dir) : 0;

		if (n && !strncmp(path, dir, n) && (path[n] == '/' || dir[n - 1] == '/'))
			return true;
	}
	return false;
}

/* A file that neither a root of the capture nor the command line leads to. */
static int
elsewhere(const char *path, uint64_t flags)
{
	const struct keeper_also *also = kept.also;
	uid_t uid = also->owned ? also->owner : FOREIGN_NOBODY;
	struct stat st;

	return uid ? foreign_as(uid, FOREIGN_NOBODY, AT_FDCWD, path, flags, &st) : foreign_regular(AT_FDCWD, path, flags, &st);
}

static int
open_served(int root, const char *path, uint64_t flags)
{
	struct stat st;

	return root >= 0 || whom_is_root(-1) || is_named(path) ? foreign_regular(root < 0 ? AT_FDCWD : root, path, flags, &st)
	                                                       : elsewhere(path, flags);
}

/* The packed module to which the link at PATH leads, if it is one of weak-updates. */
static int
open_linked(int root, const char *path)
{
	char text[PATH_MAX], to[PATH_MAX];

	if (foreign_link(root < 0 ? AT_FDCWD : root, path, text, sizeof text) && module_link(path, text, to, sizeof to))
		return open_served(root, to, O_NOFOLLOW);
	return refuse(ELOOP);
}

/* prof could read what a process has mapped from its memory as well.  Any other file must be a program, or have the name of
 * what JITs write or of a compressed kernel module, and not by a link alone: else the asker could read the whole disk.  What a
 * module's link leads to must itself have such a name. */
static int
serve_file(const struct ask *a, int root)
{
	bool jit = ask_jit(a->path), packed = packed_module_is(a->path, NULL, 0);
	uint64_t flags = a->link || jit || packed ? O_NOFOLLOW : 0;
	uint8_t head[HEADS];
	struct ask_proc p;
	struct stat st;
	ssize_t n;
	int fd, of;

	if (root < 0 && ask_mapped(&p, a->path))
		return (of = whom_look(p.pid)) < 0 ? -1 : if_still(of, foreign_regular(AT_FDCWD, a->path, flags, &st));
	if (root >= 0 && !whom_is_root(root))
		return refuse(EPERM);
	fd = open_served(root, a->path, flags);
	if (fd < 0 && errno == ELOOP && packed && !a->link)
		fd = open_linked(root, a->path);
	if (fd < 0 || jit)
		return fd;
	n = asked_file_read(fd, head, sizeof head, 0);
	n = n < 0 ? 0 : n;
	if (ask_code(head, (size_t)n) || (packed && packed_module_is(a->path, head, (size_t)n)))
		return fd;
	close(fd);
	return refuse(ENOEXEC);
}

/* A source file: below a root of the capture, any file that the capture's user could read; elsewhere, files that everybody
 * may read. */
static int
serve_source(const struct ask *a, int root)
{
	uid_t uid = FOREIGN_NOBODY;
	gid_t gid = FOREIGN_NOBODY;
	struct stat st;

	if (root >= 0 && whom_is_named(root))
		return foreign_regular(root, a->path, 0, &st);
	if (root >= 0 && !whom_is_root(root))
		return refuse(EPERM);
	if (whom_is_root(root))
		whom_user(&uid, &gid);
	return foreign_as(uid, gid, root < 0 ? AT_FDCWD : root, a->path, 0, &st);
}

static int
serve_event(const struct ask *a)
{
	struct opener *o = kept.opener;
	bool known = false;
	int of = -1, fd;

	for (uint32_t i = 0; i < o->nsample; i++)
		known |= o->rings.ring[i].cpu == a->cpu;
	if (!known || a->number >= o->capture.nevent || (a->pid < 0 && o->reach == REACH_THREADS))
		return refuse(EPERM);
	if (a->pid >= 0 && (of = whom_look(a->pid)) < 0)
		return -1;
	if (o->capture.event[a->number].waits)
		o->capture.wait_stack_size = a->size;
	else
		opener_stack(o, a->size, a->chain);
	fd = open_event(o, a->number, a->pid, a->cpu, false);
	return of < 0 ? fd : if_still(of, fd);
}

static int
serve_helper(void)
{
	pid_t pid;
	int fd;

	while (kept.helpers && waitpid(-1, NULL, WNOHANG) > 0)
		kept.helpers--;
	if (kept.helpers == HELPERS_MOST)
		return refuse(EAGAIN);
	fd = helper_fork(kept.opener, whom_may, &pid);
	kept.helpers += fd >= 0;
	return fd;
}

/* Another keeper, as if prof had forked it: it is prof's child. */
static int
serve_spare(int own, char *text)
{
	int32_t pid;
	int pair[2];

	if (kept.spared || kept.before == KEEPERS_MOST)
		return refuse(EAGAIN);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (!(pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0))) {
		prctl(PR_SET_PDEATHSIG, SIGRTMAX);
		if (getppid() != kept.prof)
			_exit(0);
		close(own);
		close(pair[0]);
		kept.before++;
		kept.helpers = 0;
		if (kept.guard.pid) {
			close(kept.guard.stat);
			close(kept.guard.schedstat);
		}
		kept.guard.pid = 0;
		keep(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	kept.spared = true;
	memcpy(text, &pid, sizeof pid);
	return pair[0];
}

static long
serve_read(const struct ask *a, char *text)
{
	int of = a->pid ? whom_look(a->pid) : -1;
	long n;

	if (a->pid && of < 0)
		return -1;
	n = (long)foreign_read(a->pid, a->at, text, a->size);
	return of < 0 || whom_still(of) ? n : -1;
}

static long
serve_asleep(const struct ask *a, char *text)
{
	int of = whom_look(a->pid);
	long n;

	if (of < 0)
		return -1;
	n = foreign_asleep(a->pid, (int32_t)a->at, text, a->size);
	return whom_still(of) ? n : -1;
}

/* The mount of a directory that the asker has open. */
static long
serve_mount(int fd, char *text)
{
	uint64_t mount = foreign_mount(fd);

	memcpy(text, &mount, sizeof mount);
	return sizeof mount;
}

static void
drop_cgroup(void)
{
	if (kept.opener->cgroup.fd > 0 && kept.opener->reach == REACH_CGROUP)
		cgroup_remove(&kept.opener->cgroup);
}

/* The text's length or -1 with errno; and the descriptor, or -1. */
static long
serve(const struct ask *a, int own, int with, int *fd, char *text)
{
	uint64_t ns;

	errno = EIO;
	switch (a->what) {
	case ASK_SMALL:
		return (*fd = serve_small(a, with)) < 0 ? -1 : 0;
	case ASK_FILE:
		return (*fd = serve_file(a, with)) < 0 ? -1 : 0;
	case ASK_SOURCE:
		return (*fd = serve_source(a, with)) < 0 ? -1 : 0;
	case ASK_EVENT:
		return (*fd = serve_event(a)) < 0 ? -1 : 0;
	case ASK_HELPER:
		return (*fd = serve_helper()) < 0 ? -1 : 0;
	case ASK_READ:
		return serve_read(a, text);
	case ASK_SAYS:   /* users of a lent prof need not know where the kernel lies */
		return whom_lent() ? refuse(EPERM) : (long)bpf_names(a->path, text, READ_MOST);
	case ASK_ASLEEP:
		return serve_asleep(a, text);
	case ASK_MOUNT:
		return serve_mount(with, text);
	case ASK_FIRST:
		kept.first = kept.first && a->number;
		if (kept.first && !kept.guard.pid)   /* a spare serves now */
			priority_guard(&kept.guard, kept.prof);
		return getppid() == kept.prof && kept.first && priority_first(kept.prof, kept.guard.urgent) ? 0 : refuse(EPERM);
	case ASK_CGROUP:
		drop_cgroup();
		return 0;
	case ASK_CPU:
		ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		memcpy(text, &ns, sizeof ns);
		return sizeof ns;
	case ASK_SPARE:
		return (*fd = serve_spare(own, text)) < 0 ? -1 : (long)sizeof(int32_t);
	case ASK_CALLER:
		return kept.also->serve(kept.also->ctx, a, with, fd, text, sizeof((struct answer *)0)->bytes);
	}
	return -1;
}

/* Removes what prof has left behind, if somebody killed it. */
static void
over(void)
{
	drop_cgroup();
	if (kept.also->over)
		kept.also->over(kept.also->ctx);
}

/* Waits for a request, and looks after prof meanwhile. */
static void
await(int fd)
{
	while (kept.first && kept.guard.pid) {
		uint64_t ms = (clock_now() - kept.guard.looked) / 1000000;

		if (ms < LOOK_EACH && poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, LOOK_EACH - (int)ms))
			return;
		if (ms >= LOOK_EACH)
			priority_look(&kept.guard);
	}
}

static void
keep(int fd)
{
	struct answer r;
	struct ask a;
	ssize_t n;
	int with;

	while (await(fd), (n = ask_get(fd, &a, sizeof a, &with)) > 0 || (n < 0 && errno == EMFILE)) {
		int given = -1;
		bool fit = n >= 0 && ask_check(&a, (size_t)n);
		long len = n < 0 ? refuse(EMFILE) : !fit ? refuse(EINVAL) : serve(&a, fd, with, &given, r.bytes);

		if (fit && a.what == ASK_LEAVE)   /* prof goes on with another */
			_exit(0);
		r.err = len < 0 ? errno : 0;
		ask_put(fd, &r, sizeof r.err + (size_t)(len < 0 ? 0 : len), given);
		if (given >= 0)
			close(given);
		if (with >= 0)
			close(with);
	}
	over();
}

/* The keeper ends with prof, whatever it waits for (perhaps a FIFO's reader). */
static void
on_end(int sig)
{
	(void)sig;
	over();
	_exit(0);
}

void
keeper_serve(int fd, pid_t prof, struct opener *o, const struct modules *ms, const struct keeper_also *also)
{
	struct priority p;
	sigset_t most;
	int own[1 + KEEPER_FDS] = { fd }, none;

	kept.opener = o;
	kept.also = also;
	kept.prof = prof;
	kept.modules = ms;
	whom_choose(o, ms);
	foreign_apart = keeper_files_open;
	answer_patience(PATIENCE, PATIENCE_LEAST);
	signal(SIGCHLD, SIG_DFL);   /* the keeper counts the children that have ended */
	signal(SIGRTMAX, on_end);
	sigfillset(&most);
	sigdelset(&most, SIGRTMAX);
	sigprocmask(SIG_SETMASK, &most, NULL);
	prctl(PR_SET_PDEATHSIG, SIGRTMAX);
	prctl(PR_SET_NAME, "prof-keeper");
	priority_raise(&p, o->ncpu > 1);
	kept.first = p.realtime;
	if (also->nfd)
		memcpy(own + 1, also->fd, also->nfd * sizeof *own);
	opener_only(o, own, 1 + also->nfd);
	/* Whoever reads what prof writes need not wait for the keeper's end; and no other descriptor takes the place of these, which
	 * helpers keep. */
	none = open("/", O_PATH | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		dup2(none, i);
	close(none);
	if (kept.first)
		priority_guard(&kept.guard, prof);
	keep(fd);
	_exit(0);
}
