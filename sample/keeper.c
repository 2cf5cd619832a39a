/* See keeper.h.  unix(7): each request and each answer is one message on a SOCK_SEQPACKET, SCM_RIGHTS carries descriptors.
 * The keeper is forked off when events are open, so that it knows from prof's own memory, not by what it is asked, what
 * the capture is. */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/clock.h"
#include "../lib/file.h"
#include "../sym/kbpf.h"
#include "foreign.h"
#include "hold.h"
#include "keeper_ask.h"
#include "open.h"
#include "priority.h"
#include "sandbox.h"
#include "target.h"
#include "threads.h"

/* ASKED_MOST: answers that a socket surely holds. */
enum { UIDS_MOST = 16, ANCESTORS_MOST = 64, HEADS = 18, ASKED_MOST = 64 };

struct answer {
	int32_t err;
	char bytes[READ_MOST + 512];
};

static struct {
	bool on;                   /* there is one, and this is not it */
	int fd;                    /* of its socket */
	bool checks;               /* in the keeper and its helpers */
	pid_t prof, pid;           /* and the keeper's */
	struct opener *opener;
	struct rings *rings;       /* that fill up while prof waits, or NULL */
	struct keeper_also also;
	/* Events that were asked for ahead, and those whose answers were taken. */
	struct ask_event { uint32_t number; int32_t pid, cpu; uint32_t size; bool chain; } asked[ASKED_MOST];
	unsigned nasked, taken;
	/* Whom the capture may see: all of them, or processes of these users, and what descends from its targets. */
	bool all, lent;
	uid_t uid[UIDS_MOST];
	unsigned uids;
} keeper;

/* Messages. */

static bool
put(int to, const void *bytes, size_t n, int fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec piece = { (void *)(uintptr_t)bytes, n };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
	}
	do
		sent = syscall(SYS_sendmsg, to, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)n;
}

/* The message's length, -1 for none; and its descriptor, or -1. */
static ssize_t
get(int from, void *bytes, size_t n, int *fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { 0 } };
	struct iovec piece = { bytes, n };
	struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room };
	ssize_t got;

	do
		got = syscall(SYS_recvmsg, from, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*fd = -1;
	if (got >= 0 && m.msg_controllen >= CMSG_LEN(sizeof(int)) && control.head.cmsg_level == SOL_SOCKET &&
	    control.head.cmsg_type == SCM_RIGHTS && control.head.cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(&control.head), sizeof *fd);
	return got;
}

/* What prof asks. */

/* An event that was asked for ahead, and nobody wants. */
static void
forget_asked(void)
{
	struct answer r;
	int fd;

	get(keeper.fd, &r, sizeof r, &fd);
	if (fd >= 0)
		close(fd);
	keeper.taken++;
}

/* Sends A with its PATH and a descriptor, or -1.  The answer's length or -1 with errno, its bytes and its descriptor. */
static long
ask(struct ask *a, const char *path, int with, int *fd, void *to, size_t size)
{
	size_t len = strlen(path);
	struct answer r;
	ssize_t n;
	int own;

	while (keeper.taken < keeper.nasked)
		forget_asked();
	if (keeper.rings)
		rings_relieve(keeper.rings);
	*(fd ? fd : &own) = -1;
	if (len >= sizeof a->path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(a->path, path, len + 1);
	if (!put(keeper.fd, a, offsetof(struct ask, path) + len + 1, with) ||
	    (n = get(keeper.fd, &r, sizeof r, fd ? fd : &own)) < (ssize_t)sizeof r.err) {
		errno = EPIPE;
		return -1;
	}
	if (!fd && own >= 0)
		close(own);
	n -= (ssize_t)sizeof r.err;
	if (size)
		memcpy(to, r.bytes, (size_t)n < size ? (size_t)n : size);
	errno = r.err;
	return r.err ? -1 : n;
}

/* As file_open. */
static int
ask_small(int dir, const char *path, int flags)
{
	struct ask a = { .what = ASK_SMALL };
	int fd;

	(void)flags;
	ask(&a, path, dir, &fd, NULL, 0);
	return fd;
}

int
keeper_file(int root, const char *path, bool link)
{
	struct ask a = { .what = ASK_FILE, .link = link };
	int fd;

	ask(&a, path, root, &fd, NULL, 0);
	return fd;
}

size_t
keeper_says(const char *addrs, char *text, size_t size)
{
	long n = ask(&(struct ask){ .what = ASK_SAYS }, addrs, -1, NULL, text, size);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size;
}

long
keeper_asleep(int32_t pid, int32_t tid, char *text, size_t n)
{
	struct ask a = { .what = ASK_ASLEEP, .pid = pid, .at = (uint32_t)tid, .size = n < READ_MOST ? (uint32_t)n : READ_MOST };

	return ask(&a, "", -1, NULL, text, n);
}

static struct ask
event_ask(const struct ask_event *e)
{
	return (struct ask){ .what = ASK_EVENT, .number = e->number, .pid = e->pid, .cpu = e->cpu, .size = e->size, .chain = e->chain };
}

static bool
same(const struct ask_event *a, const struct ask_event *b)
{
	return a->number == b->number && a->pid == b->pid && a->cpu == b->cpu && a->size == b->size && a->chain == b->chain;
}

bool
keeper_ahead(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain)
{
	struct ask_event e = { event, tid, cpu, stack_size, user_chain };
	struct ask a = event_ask(&e);

	if (!keeper.on || (keeper.taken < keeper.nasked && keeper.nasked == ASKED_MOST))
		return false;
	if (keeper.taken == keeper.nasked)
		keeper.taken = keeper.nasked = 0;
	if (!put(keeper.fd, &a, offsetof(struct ask, path) + 1, -1))
		return false;
	keeper.asked[keeper.nasked++] = e;
	return true;
}

int
keeper_event(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain)
{
	struct ask_event e = { event, tid, cpu, stack_size, user_chain };
	struct ask a = event_ask(&e);
	struct answer r;
	int fd;

	while (keeper.taken < keeper.nasked && !same(&keeper.asked[keeper.taken], &e))
		forget_asked();
	if (keeper.taken == keeper.nasked)
		ask(&a, "", -1, &fd, NULL, 0);
	else {
		keeper.taken++;
		errno = get(keeper.fd, &r, sizeof r, &fd) < (ssize_t)sizeof r.err ? EPIPE : r.err;
	}
	return fd;
}

int
keeper_helper(void)
{
	int fd;

	ask(&(struct ask){ .what = ASK_HELPER }, "", -1, &fd, NULL, 0);
	return fd;
}

size_t
keeper_read(int32_t pid, uint64_t addr, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		uint32_t size = n - done < READ_MOST ? (uint32_t)(n - done) : READ_MOST;
		struct ask a = { .what = ASK_READ, .pid = pid, .at = addr + done, .size = size };
		long got = ask(&a, "", -1, NULL, (char *)to + done, size);

		if (got <= 0)
			break;
		done += (size_t)got < size ? (size_t)got : size;
	}
	return done;
}

void
keeper_cgroup(void)
{
	ask(&(struct ask){ .what = ASK_CGROUP }, "", -1, NULL, NULL, 0);
}

uint64_t
keeper_cpu(void)
{
	uint64_t ns = 0;

	if (keeper.on)
		ask(&(struct ask){ .what = ASK_CPU }, "", -1, NULL, &ns, sizeof ns);
	return ns;
}

long
keeper_ask(uint32_t number, const char *path, int *fd, char *text, size_t size)
{
	return ask(&(struct ask){ .what = ASK_CALLER, .number = number }, path, -1, fd, text, size);
}

void
keeper_rings(struct rings *rings)
{
	keeper.rings = rings;
}

bool
keeper_on(void)
{
	return keeper.on;
}

/* Whom the capture may see. */

static bool
is_target(int32_t pid)
{
	const struct capture *c = &keeper.opener->capture;

	for (unsigned i = 0; i < c->npid; i++)
		if (c->pid[i] == pid)
			return true;
	return false;
}

bool
keeper_may(int32_t pid)
{
	uid_t uid;

	if (!keeper.checks || keeper.all)
		return true;
	if (pid <= 0 || !target_owner(pid, "maps", &uid))
		return false;
	for (unsigned i = 0; i < keeper.uids; i++)
		if (uid == keeper.uid[i])
			return true;
	for (unsigned i = 0; !keeper.lent && pid > 1 && i < ANCESTORS_MOST; i++, pid = threads_parent(pid))
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

	keeper.lent = sandbox_lent();
	keeper.all = c->target == TARGET_SYSTEM && !keeper.lent;
	if (keeper.lent)
		keeper.uid[keeper.uids++] = getuid();
	for (unsigned i = 0; !keeper.lent && i < c->npid && keeper.uids < UIDS_MOST; i++)
		if (target_owner(c->pid[i], "", &uid)) {
			unsigned k = 0;

			while (k < keeper.uids && keeper.uid[k] != uid)
				k++;
			keeper.uid[k] = uid;
			keeper.uids += k == keeper.uids;
			keeper.all |= !uid;
		}
}

/* What the keeper does. */

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
	if (!strcmp(a->path, "/"))
		return open(a->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!strcmp(a->path, proc_root))
		return open(a->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!ask_proc(&p, a->path))
		return refuse(EPERM);
	if (!strcmp(a->path, "/proc/self/statm"))   /* prof's; the rest is the same as ours */
		return open(proc_path(path, keeper.prof, "statm"), O_RDONLY | O_CLOEXEC);
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
	struct opener *o = keeper.opener;
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
	if (keeper.opener->cgroup.fd > 0 && keeper.opener->reach == REACH_CGROUP)
		cgroup_remove(&keeper.opener->cgroup);
}

/* The text's length or -1 with errno; and the descriptor, or -1. */
static long
serve(const struct ask *a, int with, int *fd, char *text)
{
	uint64_t ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
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
		return (*fd = hold_helper(keeper.opener, &pid)) < 0 ? -1 : 0;
	case ASK_READ:
		return !a->pid || keeper_may(a->pid) ? (long)foreign_read(a->pid, a->at, text, a->size) : refuse(EPERM);
	case ASK_SAYS:   /* those whom prof is lent to need not know where the kernel is */
		return keeper.lent ? refuse(EPERM) : (long)kbpf_names(a->path, text, READ_MOST);
	case ASK_ASLEEP:
		return keeper_may(a->pid) ? foreign_asleep(a->pid, (int32_t)a->at, text, a->size) : refuse(EPERM);
	case ASK_CGROUP:
		drop_cgroup();
		return 0;
	case ASK_CPU:
		memcpy(text, &ns, sizeof ns);
		return sizeof ns;
	case ASK_CALLER:
		return keeper.also.serve(keeper.also.ctx, a, fd, text, sizeof((struct answer *)0)->bytes);
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

	while ((n = get(fd, &a, sizeof a, &with)) > 0) {
		int given = -1;
		long len = !ask_check(&a, (size_t)n) ? refuse(EINVAL) : serve(&a, with, &given, r.bytes);

		r.err = len < 0 ? errno : 0;
		put(fd, &r, sizeof r.err + (size_t)(len < 0 ? 0 : len), given);
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

bool
keeper_start(struct opener *o, const struct keeper_also *also)
{
	struct priority p;
	sigset_t all, own;
	pid_t pid;
	int pair[2];

	keeper.opener = o;
	keeper.also = *also;
	keeper.prof = getpid();
	choose_whom(o);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	sigfillset(&all);   /* the terminal's signals are prof's; the socket's end is the keeper's */
	sigprocmask(SIG_BLOCK, &all, &own);
	if (!(pid = fork())) {
		signal(SIGCHLD, SIG_IGN);   /* helpers need not be waited for */
		signal(SIGRTMAX, on_end);
		sigdelset(&all, SIGRTMAX);
		sigprocmask(SIG_SETMASK, &all, NULL);
		prctl(PR_SET_PDEATHSIG, SIGRTMAX);
		prctl(PR_SET_NAME, "prof-keeper");
		priority_raise(&p, o->ncpu > 1);
		keeper.checks = true;
		o->stack_most = o->stack_limit;   /* how much of it is prof's to know */
		hold_only(o, pair[1]);
		for (int i = 0; i < 3; i++)   /* whoever reads what prof writes need not wait for the keeper's end */
			if (i != pair[1])
				close(i);
		keep(pair[1]);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &own, NULL);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return false;
	}
	keeper.on = true;
	keeper.pid = pid;
	keeper.fd = pair[0];
	file_open = ask_small;
	return true;
}

void
keeper_end(void)
{
	if (!keeper.on)
		return;
	close(keeper.fd);
	while (waitpid(keeper.pid, NULL, 0) < 0 && errno == EINTR)
		;
	keeper.on = false;
}
