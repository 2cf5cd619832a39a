/* See event.h: what this machine answers when prof tries an event. */
#include "event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf.h"

void
event_attr(const struct event *e, struct perf_event_attr *a)
{
	*a = (struct perf_event_attr){ .type = e->type };
	a->config = e->config;
	a->config1 = e->config1;
	a->config2 = e->config2;
	if (e->bp_type)
		a->bp_type = e->bp_type;
	a->precise_ip = e->precise & 3u;
	a->exclude_user = !e->user;
	a->exclude_kernel = !e->kernel;
	a->exclude_hv = !e->kernel || e->no_hv;
	a->exclude_host = e->exclude_host;
	a->exclude_guest = e->exclude_guest;
	a->exclude_idle = e->exclude_idle;
	a->pinned = e->pinned;
}

int
event_open(const struct event *e, struct perf_event_attr *a, int32_t tid, int32_t cpu, int group, unsigned long flags)
{
	int fd = perf_open(a, tid, cpu, group, flags), err;

	if (fd < 0 || !e->filter || perf_control(fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)e->filter))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

static int
try_open(const struct event *e, bool kernel)
{
	struct perf_event_attr a;
	int fd, err;

	event_attr(e, &a);
	a.disabled = 1;
	if (!kernel)
		a.exclude_kernel = a.exclude_hv = 1;
	fd = event_open(e, &a, e->cpus ? -1 : 0, e->cpus ? 0 : -1, -1, 0);
	err = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return err;
}

const char *
event_try(const struct event *e)
{
	int err = try_open(e, true);

	if ((err == EACCES || err == EPERM) && e->user && e->kernel && !e->sides_given && e->type != PERF_TYPE_TRACEPOINT &&
	    try_open(e, false) == 0)
		err = 0;
	switch (err) {
	case 0:
		return NULL;
	case EACCES:
	case EPERM:
		return e->type == PERF_TYPE_TRACEPOINT || e->cpus
		       ? "only root may use it, or a prof with cap_perfmon: sudo prof ..."
		       : "not allowed here: sudo sysctl kernel.perf_event_paranoid=1, or sudo prof ...";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return "this machine has no such event";
	case EINVAL:
		return e->filter ? "the kernel does not understand the filter; prof list -v EVENT shows the names of its fields"
		                 : "the kernel does not know it";
	case EBUSY:
		return "other programs use all counters";
	case ENOSPC:
		return "this machine has too few counters for it";
	}
	return strerror(err);
}

bool
perf_event_interrupts(const struct event *e)
{
	struct perf_event_attr attr = { .type = e->type };
	const uint32_t raised = 1u << PERF_COUNT_HW_CPU_CYCLES | 1u << PERF_COUNT_HW_INSTRUCTIONS |
	                        1u << PERF_COUNT_HW_BRANCH_INSTRUCTIONS | 1u << PERF_COUNT_HW_REF_CPU_CYCLES;

	attr.config = e->config;
	if (e->type != PERF_TYPE_HARDWARE || e->config > 31 || !(raised >> e->config & 1))
		return true;
	return perf_interrupts(&attr);
}

struct event
event_default(void)
{
	struct event cycles = { .name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	                        .user = true, .kernel = true, .is_cycles = true };
	struct event clock = { .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	                       .user = true, .kernel = true, .is_cycles = true, .is_time = true };

	errno = 0;
	if (perf_event_interrupts(&cycles))
		return cycles;
	clock.refused = errno ? errno : EIO;
	return clock;
}
