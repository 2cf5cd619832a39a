/* See hold.h.  A helper is a fork of prof that has closed all but the rings and a socket.  What it opens is written into
 * the rings as if prof had opened it; it does what single bytes on the socket say, and ends with it. */
#include "hold.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HELPERS_MOST = 64, FILES_MOST = 1 << 20 };

/* What a helper says of each event, and at the end with ID 0 and EVENT an errno. */
struct held {
	uint64_t id;
	int32_t tid;
	uint32_t event;
};

struct helper {
	int fd;
	pid_t pid;
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

static void
keep_only(const struct rings *rings, int own, uint64_t limit)
{
	for (int fd = 3; (uint64_t)fd < limit && fd < FILES_MOST; fd++) {
		bool keep = fd == own;

		for (uint32_t i = 0; i < rings->n; i++)
			keep |= fd == rings->ring[i].fd;
		if (!keep)
			close(fd);
	}
}

static int
open_held(struct opener *o, struct watches *w, const struct thread *t, uint32_t n, int fd)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = w->n;
		int err = watches_add(o, w, t[i].tid, false);

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

static void
serve(struct opener *o, const struct thread *t, uint32_t n, int fd)
{
	struct watches w = { 0 };
	struct held end = { 0 };
	char what;

	end.event = (uint32_t)open_held(o, &w, t, n, fd);
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

/* A helper for those threads: its socket in *FD.  0 or an errno. */
static int
start(struct opener *o, const struct thread *t, uint32_t n, uint64_t limit, struct helper *h)
{
	int pair[2];
	sigset_t all;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return errno;
	if ((h->pid = fork()) == 0) {
		sigfillset(&all);   /* the terminal's signals are prof's; the socket's end is ours */
		sigprocmask(SIG_BLOCK, &all, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep_only(&o->rings, pair[1], limit);
		o->files = o->rings.n;
		serve(o, t, n, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	h->fd = pair[0];
	if (h->pid > 0)
		return 0;
	close(pair[0]);
	return errno;
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
		if ((err = start(o, t, now, limit, h)))
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
		while (waitpid(w->helper[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	vec_free(&w->helper, &w->cap_helper, sizeof *w->helper);
	w->nhelper = 0;
}
