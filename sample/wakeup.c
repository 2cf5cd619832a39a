/* See ends.h.  pidfd_open(2), Linux 5.3, tells of the end of a process, also of one that nobody has waited for; threads
 * and processes beyond many are looked up in /proc now and then. */
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
#include "lib/filemap.h"

enum { PIDFDS_MOST = 512 };
/* Nanoseconds between looks at /proc; how long to wait when something was executed, for what it maps first and for
 * what is late, the shortest that is in no hurry, and that much longer for each ring that is to be read then. */
#define LOOK_PAUSE UINT64_C(100000000)
#define NAP_LEAST  250000
#define NAP_LONG   1000000
#define NAP_MOST   4000000
#define NAP_EACH   2000

static bool
add_poll(struct ends *e, int fd)
{
	if (!vec_room(&e->poll, &e->cap_poll, (uint64_t)e->npoll + 2, sizeof *e->poll))
		return false;
	e->poll[e->npoll++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return true;
}

static bool
add_target(struct ends *e, int32_t pid, bool thread)
{
	int fd = -1;

	e->alive++;
#ifdef SYS_pidfd_open
	if (!thread && e->npoll < e->rings + PIDFDS_MOST)
		fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
	if (fd >= 0)
		return add_poll(e, fd);
	if (!vec_room(&e->target, &e->cap_target, (uint64_t)e->ntarget + 1, sizeof *e->target))
		return false;
	e->target[e->ntarget++] = pid;
	return true;
}

bool
ends_init(struct ends *e, const struct rings *rings, uint32_t samples, const struct capture *c)
{
	*e = (struct ends){ .rings = rings->n, .samples = samples, .nap = NAP_LEAST,
	                    .attached = c->target == TARGET_PROCESSES || c->target == TARGET_THREADS };
	for (uint32_t i = 0; i < rings->n; i++)
		if (!add_poll(e, rings->ring[i].fd))
			return false;
	for (unsigned i = 0; e->attached && i < c->npid; i++)
		if (!add_target(e, c->pid[i], c->target == TARGET_THREADS))
			return false;
	return true;
}

void
ends_free(struct ends *e)
{
	for (uint32_t i = e->rings; i < e->npoll; i++)
		if (e->poll[i].fd >= 0)
			close(e->poll[i].fd);
	vec_free(&e->poll, &e->cap_poll, sizeof *e->poll);
	vec_free(&e->target, &e->cap_target, sizeof *e->target);
}

/* Whether it is there and not just waiting to be buried: field 3 of stat. */
static bool
is_alive(int32_t pid)
{
	char buf[512], *p;

	if (file_proc(pid, "stat", buf, sizeof buf) <= 0)
		return !proc_there() && (!kill(pid, 0) || errno == EPERM);
	p = strrchr(buf, ')');
	return p && p[1] && p[2] != 'Z' && p[2] != 'X';
}

static void
look(struct ends *e)
{
	uint64_t time = clock_now();

	if (!e->ntarget || time - e->looked < LOOK_PAUSE)
		return;
	e->looked = time;
	for (uint32_t i = 0; i < e->ntarget; i++)
		if (e->target[i] && !is_alive(e->target[i])) {
			e->target[i] = 0;
			e->alive--;
		}
}

void
ends_urgent(struct ends *e, bool new)
{
	e->nap = new ? NAP_LEAST : e->nap < NAP_MOST ? e->nap * 9 / 8 : NAP_MOST;
}

bool
ends_hurry(const struct ends *e)
{
	return e->nap < NAP_LONG;
}

/* A short rest where something was executed, unless samples press. */
static void
nap(const struct ends *e)
{
	struct timespec t = { .tv_nsec = e->nap + (long)e->rings * NAP_EACH };
	bool tracks = false;

	for (uint32_t i = 0; i < e->rings; i++)
		if (e->poll[i].revents) {
			if (i < e->samples)
				return;
			tracks = true;
		}
	if (tracks)
		nanosleep(&t, NULL);
}

bool
ends_wait(struct ends *e, int extra, int64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	e->poll[e->npoll] = (struct pollfd){ .fd = extra, .events = POLLIN };
	if (ppoll(e->poll, e->npoll + 1, &t, NULL) > 0) {
		for (uint32_t i = e->rings; i < e->npoll; i++)
			if (e->poll[i].fd >= 0 && e->poll[i].revents) {
				close(e->poll[i].fd);
				e->poll[i].fd = -1;
				e->alive--;
			}
		nap(e);
	}
	look(e);
	return !e->attached || e->alive;
}
