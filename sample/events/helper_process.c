/* See hold.h.  A helper is a fork of prof that has closed all but what hold_only leaves.  What it opens is written into
 * the rings as if prof had opened it; it does what single bytes on the socket say, and ends with it. */
#include "helper_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/rights/keeper.h"

enum { HELPERS_MOST = 64, FILES_MOST = 1 << 20 };

/* What a helper says of each event, and at the end with ID 0 and EVENT an errno. */
struct held {
	uint64_t id;
	int32_t tid;
	uint32_t event;
};

/* What a helper is told first, and then that many threads. */
struct wanted {
	uint32_t n, stack_size;
	bool user_chain;
};

struct helper {
	int fd;
	pid_t pid;                 /* 0: the keeper's child */
};

static bool
move_all(int fd, void *bytes, size_t n, bool out)
{
	char *at = bytes;

	while (n) {
		ssize_t k = out ? send(fd, at, n, MSG_NOSIGNAL) : read(fd, at, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

/* The next descriptor from FD on that a helper or the keeper has a use for, or -1. */
static int
next_kept(const struct opener *o, int fd, int own)
{
	int next = -1;

	for (uint32_t i = 0; i < o->rings.n + 3; i++) {
		int kept = !i ? own : i == 1 ? o->cgroup.fd : i == 2 ? o->deep.program : o->rings.ring[i - 3].fd;

		if (kept >= fd && (next < 0 || kept < next))
			next = kept;
	}
	return next;
}

void
hold_only(const struct opener *o, int own)
{
	uint64_t limit = opener_files() < FILES_MOST ? opener_files() : FILES_MOST;
	int fd = 3, next;

	do {
		next = next_kept(o, fd, own);
#ifdef SYS_close_range
		if (syscall(SYS_close_range, fd, next < 0 ? ~0u : (unsigned)next - 1, 0))
#endif
			for (; next < 0 ? (uint64_t)fd < limit : fd < next; fd++)
				close(fd);
		fd = next + 1;
	} while (next >= 0);
}

static int
open_held(struct opener *o, struct watches *w, const struct thread *t, uint32_t n, int fd)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = w->n;
		int err = keeper_may(t[i].tid) ? watches_add(o, w, t[i].tid, false) : ESRCH;

		if (err && err != ESRCH)
			return err;
		for (; from < w->n; from++) {
			struct held h = { w->watch[from].id, w->watch[from].tid, w->watch[from].event };

			if (!move_all(fd, &h, sizeof h, true))
				return EPIPE;
		}
	}
	return 0;
}

/* Reads all that is wanted before it says anything: whoever writes that does not read. */
static int
open_wanted(struct opener *o, struct watches *w, int fd)
{
	struct thread *t = NULL;
	struct wanted wanted;
	uint32_t cap = 0;

	if (!move_all(fd, &wanted, sizeof wanted, false) || wanted.n > FILES_MOST)
		return EINVAL;
	if (!vec_room(&t, &cap, wanted.n, sizeof *t) || !move_all(fd, t, wanted.n * sizeof *t, false))
		return ENOMEM;
	o->stack_most = o->stack_limit;
	opener_stack(o, wanted.stack_size, wanted.user_chain);
	return open_held(o, w, t, wanted.n, fd);
}

static void
serve(struct opener *o, int fd)
{
	struct watches w = { 0 };
	struct held end = { 0 };
	char what;

	end.event = (uint32_t)open_wanted(o, &w, fd);
	if (!move_all(fd, &end, sizeof end, true))
		return;
	while (move_all(fd, &what, 1, false)) {
		struct total total[EVENTS_MAX] = { { 0 } };

		if (what == 'e')
			watches_enable(&w);
		else if (what == 'd')
			watches_disable(&w);
		watches_total(o, &w, total);
		if (!move_all(fd, total, sizeof total, true))
			return;
	}
}

int
hold_helper(struct opener *o, pid_t *pid)
{
	int pair[2];
	sigset_t all;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	if ((*pid = fork()) == 0) {
		sigfillset(&all);   /* the terminal's signals are prof's; the socket's end is ours */
		sigprocmask(SIG_BLOCK, &all, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hold_only(o, pair[1]);
		o->files = o->rings.n;
		serve(o, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	if (*pid > 0)
		return pair[0];
	close(pair[0]);
	return -1;
}

/* A helper for those threads.  0 or an errno. */
static int
start(struct opener *o, const struct thread *t, uint32_t n, struct helper *h)
{
	struct wanted w = { n, o->capture.stack_size, o->capture.user_chain };

	h->pid = 0;
	if ((h->fd = keeper_on() ? keeper_helper() : hold_helper(o, &h->pid)) < 0)
		return errno;
	return move_all(h->fd, &w, sizeof w, true) && move_all(h->fd, (void *)(uintptr_t)t, n * sizeof *t, true) ? 0 : EPIPE;
}

static int
learn(struct watches *w, int fd)
{
	struct held h;

	while (move_all(fd, &h, sizeof h, false)) {
		if (!h.id)
			return (int)h.event;
		if (!watches_know(w, &(struct watch){ .fd = -1, .id = h.id, .tid = h.tid, .event = h.event }))
			return ENOMEM;
	}
	return EPIPE;
}

int
hold_open(struct opener *o, struct watches *w, const struct thread *t, uint32_t n)
{
	uint64_t each = (uint64_t)o->nsample * o->capture.nevent, limit = opener_files(), many;

	if (limit < o->rings.n + each + 8)
		return EMFILE;
	many = (limit - o->rings.n - 8) / each;
	while (n) {
		uint32_t now = many < n ? (uint32_t)many : n;
		struct helper *h;
		int err;

		if (w->nhelper == HELPERS_MOST || !vec_room(&w->helper, &w->cap_helper, (uint64_t)w->nhelper + 1, sizeof *h))
			return EMFILE;
		h = &w->helper[w->nhelper];
		if ((err = start(o, t, now, h)))
			return err;
		w->nhelper++;
		if ((err = learn(w, h->fd)))
			return err;
		t += now;
		n -= now;
	}
	return 0;
}

static void
tell(const struct watches *w, char what, struct total *total)
{
	for (uint32_t i = 0; i < w->nhelper; i++) {
		struct total its[EVENTS_MAX];

		if (!move_all(w->helper[i].fd, &what, 1, true) || !move_all(w->helper[i].fd, its, sizeof its, false))
			continue;
		for (unsigned e = 0; total && e < EVENTS_MAX; e++) {
			total[e].running += its[e].running;
			total[e].lost += its[e].lost;
		}
	}
}

void
hold_enable(const struct watches *w)
{
	tell(w, 'e', NULL);
}

void
hold_disable(const struct watches *w)
{
	tell(w, 'd', NULL);
}

void
hold_total(const struct watches *w, struct total *total)
{
	tell(w, 't', total);
}

void
hold_close(struct watches *w)
{
	for (uint32_t i = 0; i < w->nhelper; i++) {
		close(w->helper[i].fd);
		while (w->helper[i].pid && waitpid(w->helper[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	vec_free(&w->helper, &w->cap_helper, sizeof *w->helper);
	w->nhelper = 0;
}
