/* See wakeup.h.  pidfd_open(2), Linux 5.3, tells of the end of a process, even if nobody has waited for it yet.  If there are
 * too many, and for threads, prof looks in /proc now and then. */
#include "wakeup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/proc.h"
#include "lib/mem.h"

enum { PIDFDS_MOST = 512 };
/* ns between looks at /proc. */
#define LOOK_PAUSE UINT64_C(100000000)
/* ns: if the last rest is over for so long, a rest is only a short one. */
#define QUIET UINT64_C(10000000)
enum { NAP_FIRST = 250000 };

static bool
add_poll(struct wakeup *w, int fd)
{
	if (!vec_room(&w->poll, &w->cap_poll, (uint64_t)w->npoll + 2, sizeof *w->poll))
		return false;
	w->poll[w->npoll++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return true;
}

static bool
add_target(struct wakeup *w, int32_t pid, bool thread)
{
	int fd = -1;

	w->alive++;
#ifdef SYS_pidfd_open
	if (!thread && w->npoll < w->rings + PIDFDS_MOST)
		fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
	if (fd >= 0)
		return add_poll(w, fd);
	if (!vec_room(&w->target, &w->cap_target, (uint64_t)w->ntarget + 1, sizeof *w->target))
		return false;
	w->target[w->ntarget++] = pid;
	return true;
}

bool
wakeup_init(struct wakeup *w, const struct rings *rings, uint32_t samples, const struct capture *c)
{
	*w = (struct wakeup){ .rings = rings->n, .samples = samples,
	                    .attached = c->target == TARGET_PROCESSES || c->target == TARGET_THREADS };
	for (uint32_t i = 0; i < rings->n; i++)
		if (!add_poll(w, rings->ring[i].fd))
			return false;
	for (unsigned i = 0; w->attached && i < c->npid; i++)
		if (!add_target(w, c->pid[i], c->target == TARGET_THREADS))
			return false;
	return true;
}

void
wakeup_free(struct wakeup *w)
{
	for (uint32_t i = w->rings; i < w->npoll; i++)
		if (w->poll[i].fd >= 0)
			close(w->poll[i].fd);
	vec_free(&w->poll, &w->cap_poll, sizeof *w->poll);
	vec_free(&w->target, &w->cap_target, sizeof *w->target);
}

/* Whether it exists and is not a zombie: field 3 of stat. */
static bool
is_alive(int32_t pid)
{
	char buf[512], *p;

	if (proc_text(pid, "stat", buf, sizeof buf) <= 0)
		return !proc_there() && (!kill(pid, 0) || errno == EPERM);
	p = strrchr(buf, ')');
	return p && p[1] && p[2] != 'Z' && p[2] != 'X';
}

static void
look(struct wakeup *w)
{
	uint64_t time = clock_now();

	if (!w->ntarget || time - w->looked < LOOK_PAUSE)
		return;
	w->looked = time;
	for (uint32_t i = 0; i < w->ntarget; i++)
		if (w->target[i] && !is_alive(w->target[i])) {
			w->target[i] = 0;
			w->alive--;
		}
}

void
wakeup_rest(struct wakeup *w, int64_t ns)
{
	uint64_t now = clock_now();
	struct timespec t = { .tv_nsec = (long)(now - w->rested > QUIET && ns > NAP_FIRST ? NAP_FIRST : ns) };
	bool tracks = false;

	for (uint32_t i = 0; i < w->rings; i++)
		if (w->poll[i].revents) {
			if (i < w->samples)
				return;
			tracks = true;
		}
	if (!tracks)
		return;
	nanosleep(&t, NULL);
	w->rested = clock_now();
}

bool
wakeup_wait(struct wakeup *w, int extra, int64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
	int n;

	w->poll[w->npoll] = (struct pollfd){ .fd = extra, .events = POLLIN };
	w->called = true;   /* (a signal that ended the wait) */
	if ((n = ppoll(w->poll, w->npoll + 1, &t, NULL)) >= 0)
		w->called = w->poll[w->npoll].revents;
	if (n > 0) {
		for (uint32_t i = w->rings; i < w->npoll; i++)
			if (w->poll[i].fd >= 0 && w->poll[i].revents) {
				close(w->poll[i].fd);
				w->poll[i].fd = -1;
				w->alive--;
			}
	}
	look(w);
	return !w->attached || w->alive;
}
