/* See helper_process.h.  A helper is a fork of prof that has closed all but what opener_only leaves.  Its events write into the
 * rings as if prof had opened them; it does what helpers.h says, and ends with its socket. */
#include "helper_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* The most threads that prof asks a helper for. */
enum { THREADS_MOST = 1 << 20 };

/* What a helper says of each event, and at the end with ID 0 and EVENT an errno. */
struct held {
	uint64_t id;
	int32_t tid;
	uint32_t event;
};

/* The first message to a helper; the threads follow, and it says how many. */
struct wanted {
	uint32_t n, stack_size;
	bool user_chain;
};

/* The helper sends this to the process that asked: 0 or an errno. */
static int
open_held(struct opener *o, struct watches *w, const struct thread *t, uint32_t n, bool (*may)(int32_t), int fd)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = w->n;
		int err = may && !may(t[i].tid) ? ESRCH : watches_add(o, w, t[i].tid, false) ? 0 : errno;

		if (err && err != ESRCH)
			return err;
		for (; from < w->n; from++) {
			struct held h = { w->watch[from].id, w->watch[from].tid, w->watch[from].event };

			if (!helpers_move(fd, &h, sizeof h, true))
				return EPIPE;
		}
	}
	return 0;
}

/* Reads the whole request before it says anything: whoever writes the request does not read meanwhile. */
static int
open_wanted(struct opener *o, struct watches *w, bool (*may)(int32_t), int fd)
{
	struct thread *t = NULL;
	struct wanted wanted;
	uint32_t cap = 0;

	if (!helpers_move(fd, &wanted, sizeof wanted, false) || wanted.n > THREADS_MOST)
		return EINVAL;
	if (!vec_room(&t, &cap, wanted.n, sizeof *t) || !helpers_move(fd, t, wanted.n * sizeof *t, false))
		return ENOMEM;
	opener_stack(o, wanted.stack_size, wanted.user_chain);
	return open_held(o, w, t, wanted.n, may, fd);
}

static void
serve(struct opener *o, bool (*may)(int32_t), int fd)
{
	struct watches w = { 0 };
	struct held end = { 0 };
	char what;

	end.event = (uint32_t)open_wanted(o, &w, may, fd);
	if (!helpers_move(fd, &end, sizeof end, true))
		return;
	while (helpers_move(fd, &what, 1, false)) {
		struct total total[EVENTS_MAX] = { { 0 } };

		if (what == HELPER_START)
			watches_enable(&w);
		else if (what == HELPER_STOP)
			watches_disable(&w);
		watches_total(o, &w, total);
		if (!helpers_move(fd, total, sizeof total, true))
			return;
	}
}

int
helper_fork(struct opener *o, bool (*may)(int32_t pid), pid_t *pid)
{
	int pair[2];
	sigset_t all;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	if ((*pid = fork()) == 0) {
		sigfillset(&all);   /* the terminal's signals are for prof; the helper ends with its socket */
		sigprocmask(SIG_BLOCK, &all, NULL);
		opener_only(o, &pair[1], 1);
		o->files = o->rings.n;
		serve(o, may, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	if (*pid > 0)
		return pair[0];
	close(pair[0]);
	return -1;
}

/* A helper for those threads: its socket, or -1 with errno. */
static int
start(struct opener *o, struct helpers *h, const struct thread *t, uint32_t n)
{
	struct wanted w = { n, o->capture.stack_size, o->capture.user_chain };
	pid_t pid = 0;
	int fd;

	if (!helpers_room(h)) {
		errno = EMFILE;
		return -1;
	}
	if ((fd = o->door ? o->door->helper() : helper_fork(o, NULL, &pid)) < 0)
		return -1;
	helpers_add(h, fd, pid);
	if (helpers_move(fd, &w, sizeof w, true) && helpers_move(fd, (void *)(uintptr_t)t, n * sizeof *t, true))
		return fd;
	errno = EPIPE;
	return -1;
}

/* Takes note of what the helper has opened.  False with errno. */
static bool
learn(struct watches *w, int fd)
{
	struct held h;

	while (helpers_move(fd, &h, sizeof h, false)) {
		if (!h.id) {
			errno = (int)h.event;
			return !h.event;
		}
		if (!watches_know(w, &(struct watch){ .fd = -1, .id = h.id, .tid = h.tid, .event = h.event })) {
			errno = ENOMEM;
			return false;
		}
	}
	errno = EPIPE;
	return false;
}

bool
helper_open(struct opener *o, struct watches *w, const struct thread *t, uint32_t n)
{
	uint64_t each = (uint64_t)o->nsample * o->capture.nevent, limit = opener_files(), many;

	if (limit < o->rings.n + each + 8) {
		errno = EMFILE;
		return false;
	}
	many = (limit - o->rings.n - 8) / each;
	while (n) {
		uint32_t now = many < n ? (uint32_t)many : n;
		int fd = start(o, &w->helpers, t, now);

		if (fd < 0 || !learn(w, fd))
			return false;
		t += now;
		n -= now;
	}
	return true;
}
