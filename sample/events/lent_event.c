/* See lent_event.h.  This file lists the events that are harmless, and prof refuses all others.  perf_event_open(2).  If a
 * thread executes a program with other rights, the kernel takes its events away (begin_new_exec in fs/exec.c). */
#include "lent_event.h"

#include <errno.h>
#include <unistd.h>

#include "capture.h"
#include "event.h"
#include "perf.h"
#include "sample/tasks/whose.h"

/* Samples by time or hardware are at least so many ns or events apart; bytes that all samples of a thread may copy in a
 * second. */
enum { APART = 100000, SECOND_BYTES = 64 << 20, WAIT_BYTES = 8 << 10 };

static bool
is_known(const struct event *e)
{
	switch (e->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return !e->precise && !e->config1 && !e->config2;
	case PERF_TYPE_SOFTWARE:
		return e->config <= PERF_COUNT_SW_EMULATION_FAULTS && !e->config1 && !e->config2;
	}
	return false;
}

const char *
lent_event_refused(const struct capture *c, const struct event *e)
{
	if (!is_known(e))
		return "this prof has more rights than you, so it samples only time and generic events of hardware and software";
	if (e->waits || !c->count || (e->type == PERF_TYPE_SOFTWARE && !e->is_time))
		return NULL;
	return c->count < APART ? "this prof has more rights than you, so it takes at most one sample every 100000 events" : NULL;
}

uint32_t
lent_event_stack(const struct capture *c, const struct event *e, uint64_t freq, uint32_t wished)
{
	uint64_t rate = freq ? freq : !c->count ? LENT_RATE : e->is_time ? 1000000000 / c->count : 100000, most;

	if (e->waits)   /* as often as the thread itself gives up its CPU */
		return wished < WAIT_BYTES ? wished : WAIT_BYTES;
	most = SECOND_BYTES / (rate ? rate : 1) / (c->nevent ? c->nevent : 1);
	return wished < most ? wished : (uint32_t)most & ~7u;
}

int
lent_event_open(struct perf_event_attr *a, int32_t tid, int32_t cpu)
{
	int dir, fd = -1, err = EPERM;

	if (tid == 0 || (tid > 0 && a->enable_on_exec))   /* prof, and its child that is to execute the command */
		return perf_open(a, tid, cpu, -1, 0);
	if (tid > 0 && (dir = whose_open(tid)) < 0)
		err = ESRCH;
	else if (tid > 0) {
		if (whose_callers(dir) && (fd = perf_open(a, tid, cpu, -1, 0)) < 0)
			err = errno;
		if (fd >= 0 && (!whose_alive(dir) || !whose_callers(dir))) {
			close(fd);
			fd = -1;
			err = ESRCH;
		}
		close(dir);
	}
	errno = err;
	return fd;
}
