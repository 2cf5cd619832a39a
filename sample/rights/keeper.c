/* See keeper.h.  Three files: this one asks, keeper_serve.c answers, keeper_ask.c has the words.
 *
 *     prof                     opens events with all its rights, then forks
 *       the keeper             goes on with the rights, closes what it does not need, waits for questions
 *       prof                   takes its place at the doors of lib/file.h, tasks/foreign.h and events/opener.h, gives up its
 *                              rights (sandbox.c) and only then reads files and memory of others
 *
 * The callers of file_open, foreign_read and open_event see no difference.  Without a keeper these make the system call
 * themselves.  With one, a function of this file sends a question, and waits for the answer, and for a descriptor if the
 * question needs one.  One question is under way at a time.  Only events are different: prof asks for up to ASKED_MOST of
 * them in advance, for many threads, and the answers come in that order.  While prof waits, it relieves rings that fill
 * up.
 *
 * A keeper that opens a file may have to wait for its file system for ever.  If the answer takes too long, prof gives up the
 * file, and does not use that keeper any more; it ends when it comes back.
 *
 * prof forks the keeper when the events are open.  So the keeper knows the capture from prof's own memory, and not from
 * questions.  It ends when prof ends.  A spare keeper waits.  If the keeper is killed or given up, the spare takes its place,
 * and makes the next spare, as long as there are few of them.  When all are gone, each call fails with EPIPE, and the capture
 * goes on without a keeper. */
#include "keeper.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/answer.h"
#include "lib/file.h"
#include "lib/work.h"
#include "keeper_ask.h"
#include "keeper_serve.h"
#include "sample/events/opener.h"
#include "sample/tasks/foreign.h"

enum { ASKED_MOST = 64 /* answers that a socket surely holds */, SPARES_MOST = 8 };

static struct {
	bool on;                   /* there is a keeper, and this process is not it */
	int fd;                    /* of its socket */
	pid_t pid;
	int spare_fd;              /* the socket of another keeper that takes over when this one dies, or -1 */
	pid_t spare;
	unsigned lost, left;       /* keepers that have died; and those that prof left alone */
	unsigned spares;           /* spares that were made since */
	unsigned full;             /* answers that failed because too many files were open */
	int (*direct)(int, const char *, int);   /* the function at file_open before */
	struct rings *rings;       /* rings that fill up while prof waits, or NULL */
	/* How many events prof asked for in advance, and how many of their answers it has taken. */
	struct ask_event { uint32_t number; int32_t pid, cpu; uint32_t size; bool chain; } asked[ASKED_MOST];
	unsigned nasked, taken;
	struct answer answer;      /* too large for a small stack */
} keeper;

/* The answer's length, and its descriptor or -1.  If no answer comes: less than an answer has, with errno. */
static ssize_t
answered(int *fd)
{
	struct answer *r = &keeper.answer;
	ssize_t n = ask_get(keeper.fd, r, sizeof *r, fd);

	if (n < (ssize_t)sizeof r->err && !(n < 0 && errno == EMFILE))
		errno = EPIPE;
	keeper.full += n < 0 ? errno == EMFILE : r->err == EMFILE || r->err == ENFILE;
	return n;
}

/* Drops an event that prof asked for ahead, and that nobody wants. */
static void
forget_asked(void)
{
	int fd;

	answered(&fd);
	if (fd >= 0)
		close(fd);
	keeper.taken++;
}

static void
reap(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* If the new keeper is gone as well, the next question finds that out. */
static void
make_spare(void)
{
	static const struct ask a = { .what = ASK_SPARE };
	int32_t pid;

	if (keeper.spares == SPARES_MOST || !ask_put(keeper.fd, &a, offsetof(struct ask, path) + 1, -1))
		return;
	keeper.spares++;
	if (answered(&keeper.spare_fd) < (ssize_t)(sizeof keeper.answer.err + sizeof pid))
		return;
	memcpy(&pid, keeper.answer.bytes, sizeof pid);
	keeper.spare = pid;
}

/* The keeper has died, or prof leaves it ALONE.  What prof asked it for ahead is lost, too.  False if there is no other
 * keeper. */
static bool
take_spare(bool alone)
{
	static const struct ask leave = { .what = ASK_LEAVE };

	if (keeper.fd < 0)
		return false;
	if (alone)   /* else it would think that prof has ended, and remove what prof is to write */
		ask_put(keeper.fd, &leave, offsetof(struct ask, path) + 1, -1);
	close(keeper.fd);
	*(alone ? &keeper.left : &keeper.lost) += 1;
	if (!alone)
		reap(keeper.pid);
	keeper.fd = keeper.spare_fd;
	keeper.pid = keeper.spare;
	keeper.spare_fd = keeper.spare = -1;
	keeper.taken = keeper.nasked = 0;
	if (keeper.fd >= 0)
		make_spare();
	return keeper.fd >= 0;
}

/* prof does not leave its last keeper: without one it could not write the profile. */
static bool
may_leave(void)
{
	return !answer_hopeless() && (keeper.fd < 0 || keeper.spare_fd >= 0 || !keeper.left);
}

/* Sends N bytes of A, and waits for the answer; if that may hang, only for a limited time.  The code that asks for a file uses
 * nothing of the session meanwhile, so that prof may drain rings. */
static ssize_t
put(const struct ask *a, size_t n, int with, int *fd)
{
	bool file = a->what == ASK_SMALL || a->what == ASK_FILE || a->what == ASK_READ;
	bool waits = file || a->what == ASK_SOURCE || a->what == ASK_MOUNT;
	ssize_t got;

	if (waits && !may_leave()) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (file)
		work_wait(true);
	do {
		got = -1;
		errno = EPIPE;
		if (keeper.fd < 0 || !ask_put(keeper.fd, a, n, with)) {
			errno = EPIPE;
		} else if (!waits || keeper.spare_fd < 0 || answer_comes(keeper.fd)) {
			got = answered(fd);
		} else {
			take_spare(true);
			errno = ETIMEDOUT;
		}
	} while (got < (ssize_t)sizeof keeper.answer.err && errno == EPIPE && take_spare(false));
	if (file)
		work_wait(false);
	return got;
}

/* Sends A with its PATH and a descriptor, or -1.  The answer's length or -1 with errno, its bytes and its descriptor. */
static long
ask(struct ask *a, const char *path, int with, int *fd, void *to, size_t size)
{
	const struct answer *r = &keeper.answer;
	size_t len = strlen(path);
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
	n = put(a, offsetof(struct ask, path) + len + 1, with, fd ? fd : &own);
	if (n < (ssize_t)sizeof r->err)
		return -1;
	if (!fd && own >= 0)
		close(own);
	n -= (ssize_t)sizeof r->err;
	if (size)
		memcpy(to, r->bytes, (size_t)n < size ? (size_t)n : size);
	errno = r->err;
	return r->err ? -1 : n;
}

/* Does what file_open does. */
static int
ask_small(int dir, const char *path, int flags)
{
	struct ask a = { .what = ASK_SMALL };
	int fd;

	(void)flags;
	ask(&a, path, dir, &fd, NULL, 0);
	return fd;
}

static int
keeper_file(int root, const char *path, bool link)
{
	struct ask a = { .what = ASK_FILE, .link = link };
	int fd;

	ask(&a, path, root, &fd, NULL, 0);
	return fd;
}

static int
keeper_source(int root, const char *path)
{
	int fd;

	ask(&(struct ask){ .what = ASK_SOURCE }, path, root, &fd, NULL, 0);
	return fd;
}

static size_t
keeper_says(const char *addrs, char *text, size_t size)
{
	long n = ask(&(struct ask){ .what = ASK_SAYS }, addrs, -1, NULL, text, size);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size;
}

static long
keeper_asleep(int32_t pid, int32_t tid, char *text, size_t n)
{
	struct ask a = { .what = ASK_ASLEEP, .pid = pid, .at = (uint32_t)tid, .size = n < READ_MOST ? (uint32_t)n : READ_MOST };

	return ask(&a, "", -1, NULL, text, n);
}

static uint64_t
keeper_mount(int fd)
{
	uint64_t mount = 0;

	ask(&(struct ask){ .what = ASK_MOUNT }, "", fd, NULL, &mount, sizeof mount);
	return mount;
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

static bool
keeper_ahead(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain)
{
	struct ask_event e = { event, tid, cpu, stack_size, user_chain };
	struct ask a = event_ask(&e);

	if (keeper.taken < keeper.nasked && keeper.nasked == ASKED_MOST)
		return false;
	if (keeper.taken == keeper.nasked)
		keeper.taken = keeper.nasked = 0;
	if (!ask_put(keeper.fd, &a, offsetof(struct ask, path) + 1, -1))
		return false;
	keeper.asked[keeper.nasked++] = e;
	return true;
}

static int
keeper_event(uint32_t event, int32_t tid, int32_t cpu, uint32_t stack_size, bool user_chain)
{
	struct ask_event e = { event, tid, cpu, stack_size, user_chain };
	struct ask a = event_ask(&e);
	int fd;

	while (keeper.taken < keeper.nasked && !same(&keeper.asked[keeper.taken], &e))
		forget_asked();
	if (keeper.taken == keeper.nasked)
		ask(&a, "", -1, &fd, NULL, 0);
	else {
		keeper.taken++;
		errno = answered(&fd) < (ssize_t)sizeof keeper.answer.err ? errno : keeper.answer.err;
	}
	return fd;
}

static int
keeper_helper(void)
{
	int fd;

	ask(&(struct ask){ .what = ASK_HELPER }, "", -1, &fd, NULL, 0);
	return fd;
}

static size_t
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

static bool
keeper_first(bool needs)
{
	return !ask(&(struct ask){ .what = ASK_FIRST, .number = needs }, "", -1, NULL, NULL, 0);
}

static void
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
keeper_ask(uint32_t number, const char *path, int with, int *fd, char *text, size_t size)
{
	return ask(&(struct ask){ .what = ASK_CALLER, .number = number }, path, with, fd, text, size);
}

void
keeper_rings(struct rings *rings)
{
	keeper.rings = rings;
}

static const struct foreign_door foreign_there = { keeper_file, keeper_read, keeper_says, keeper_asleep, keeper_mount, keeper_source };
static const struct opener_door opener_there = { keeper_event, keeper_ahead, keeper_helper, keeper_first, keeper_cgroup };

/* Forks a keeper.  Returns its socket, or -1 with errno. */
static int
fork_keeper(struct opener *o, const struct modules *ms, const struct keeper_also *also, pid_t *pid)
{
	pid_t prof = getpid();
	sigset_t all, own;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	sigfillset(&all);   /* the terminal's signals are for prof; the keeper ends with its socket */
	sigprocmask(SIG_BLOCK, &all, &own);
	if (!(*pid = fork()))
		keeper_serve(pair[1], prof, o, ms, also);
	sigprocmask(SIG_SETMASK, &own, NULL);
	close(pair[1]);
	if (*pid > 0)
		return pair[0];
	close(pair[0]);
	return -1;
}

bool
keeper_start(struct opener *o, const struct modules *ms, const struct keeper_also *also)
{
	if ((keeper.fd = fork_keeper(o, ms, also, &keeper.pid)) < 0)
		return false;
	keeper.spare_fd = fork_keeper(o, ms, also, &keeper.spare);
	keeper.on = true;
	keeper.lost = keeper.left = keeper.spares = 0;
	keeper.direct = file_open;
	file_open = ask_small;
	foreign_door = &foreign_there;
	o->door = &opener_there;
	return true;
}

unsigned
keeper_full(void)
{
	return keeper.full;
}

unsigned
keeper_lost(void)
{
	return keeper.lost;
}

bool
keeper_gone(void)
{
	return keeper.on && keeper.fd < 0;
}

void
keeper_end(void)
{
	if (!keeper.on)
		return;
	if (keeper.fd >= 0)
		close(keeper.fd);
	if (keeper.spare_fd >= 0)
		close(keeper.spare_fd);
	reap(keeper.pid);
	reap(keeper.spare);
	keeper.on = false;
	file_open = keeper.direct;
	foreign_door = NULL;
}
