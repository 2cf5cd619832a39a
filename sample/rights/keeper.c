/* See keeper.h.  The keeper is forked off when events are open, so that it knows from prof's own memory, not by what it is
 * asked, what the capture is. */
#include "keeper.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "keeper_ask.h"
#include "keeper_serve.h"
#include "sample/events/ring.h"

enum { ASKED_MOST = 64 };   /* answers that a socket surely holds */

static struct {
	bool on;                   /* there is one, and this is not it */
	int fd;                    /* of its socket */
	pid_t pid;
	struct rings *rings;       /* that fill up while prof waits, or NULL */
	/* Events that were asked for ahead, and those whose answers were taken. */
	struct ask_event { uint32_t number; int32_t pid, cpu; uint32_t size; bool chain; } asked[ASKED_MOST];
	unsigned nasked, taken;
} keeper;

/* An event that was asked for ahead, and nobody wants. */
static void
forget_asked(void)
{
	struct answer r;
	int fd;

	ask_get(keeper.fd, &r, sizeof r, &fd);
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
	if (!ask_put(keeper.fd, a, offsetof(struct ask, path) + len + 1, with) ||
	    (n = ask_get(keeper.fd, &r, sizeof r, fd ? fd : &own)) < (ssize_t)sizeof r.err) {
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
	if (!ask_put(keeper.fd, &a, offsetof(struct ask, path) + 1, -1))
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
		errno = ask_get(keeper.fd, &r, sizeof r, &fd) < (ssize_t)sizeof r.err ? EPIPE : r.err;
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

bool
keeper_start(struct opener *o, const struct keeper_also *also)
{
	pid_t prof = getpid(), pid;
	sigset_t all, own;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	sigfillset(&all);   /* the terminal's signals are prof's; the socket's end is the keeper's */
	sigprocmask(SIG_BLOCK, &all, &own);
	if (!(pid = fork()))
		keeper_serve(pair[1], prof, o, also);
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
