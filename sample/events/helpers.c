/* See helpers.h.  A helper does what single bytes on its socket say, and ends with it. */
#include "helpers.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "lib/mem.h"

enum { HELPERS_MOST = 64 };

struct helper {
	int fd;
	pid_t pid;
};

bool
helpers_move(int fd, void *bytes, size_t n, bool out)
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

bool
helpers_room(struct helpers *h)
{
	return h->n < HELPERS_MOST && vec_room(&h->helper, &h->cap, (uint64_t)h->n + 1, sizeof *h->helper);
}

void
helpers_add(struct helpers *h, int fd, pid_t pid)
{
	h->helper[h->n++] = (struct helper){ fd, pid };
}

void
helpers_tell(const struct helpers *h, char what, struct total *total)
{
	for (uint32_t i = 0; i < h->n; i++) {
		struct total its[EVENTS_MAX];

		if (!helpers_move(h->helper[i].fd, &what, 1, true) || !helpers_move(h->helper[i].fd, its, sizeof its, false))
			continue;
		for (unsigned e = 0; total && e < EVENTS_MAX; e++) {
			total[e].running += its[e].running;
			total[e].lost += its[e].lost;
		}
	}
}

void
helpers_close(struct helpers *h)
{
	for (uint32_t i = 0; i < h->n; i++) {
		close(h->helper[i].fd);
		while (h->helper[i].pid && waitpid(h->helper[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	vec_free(&h->helper, &h->cap, sizeof *h->helper);
	h->n = 0;
}
