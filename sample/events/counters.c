/* See counters.h.  perf_event_open(2): the hardware counts all events of a group together, or none; counts of inherited events
 * contain those of children, also after their end. */
#include "counters.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "cpu.h"
#include "lent_event.h"
#include "opener.h"
#include "perf.h"
#include "probe.h"

bool
counters_at(struct counters *c, const struct counted *where)
{
	if (!vec_room(&c->where, &c->cap, (uint64_t)c->n + 1, sizeof *c->where))
		return false;
	c->where[c->n++] = *where;
	c->rows = where->row >= c->rows ? where->row + 1 : c->rows;
	return true;
}

/* Whether the errno says that this machine has no such event, and not that somebody may not use it. */
static bool
is_missing(int err)
{
	return err == ENOENT || err == EOPNOTSUPP || err == ENXIO || err == EINVAL || err == ENOSYS || err == EBUSY || err == ENODEV ||
	       err == ESRCH;
}

/* If a PMU counts for the whole machine, prof opens its event once for each CPU that the PMU names. */
static bool
counts_there(const struct event *e, const struct counted *w)
{
	return !e->cpus || w->cpu < 0 || cpu_in_list(e->cpus, w->cpu);
}

static int
open_one(struct counters *c, struct event *e, const struct counted *w, int group)
{
	struct perf_event_attr a;
	int fd;

	for (;;) {
		event_attr(e, &a);
		a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		a.disabled = group < 0;
		a.enable_on_exec = c->on_exec && w->tid >= 0 && group < 0;
		a.inherit = c->inherit && w->tid >= 0 && !e->no_heir;
		a.precise_ip = 0;
		if (c->lent)
			fd = lent_event_open(&a, w->tid, w->cpu);
		else if (w->cgroup >= 0)
			fd = event_open(e, &a, w->cgroup, w->cpu, group, PERF_FLAG_PID_CGROUP);
		else
			fd = event_open(e, &a, w->tid, w->cpu, group, 0);
		if (fd >= 0 || (errno != EACCES && errno != EPERM) || !e->kernel || !e->user || e->sides_given || e->each)
			return fd;
		e->kernel = false;
	}
}

/* Opens the events of one place; the first event of a group that opens is the leader of the others. */
static bool
open_at(struct counters *c, const struct counted *w, int *fd, struct refusal *r)
{
	int leader = -1;

	for (unsigned e = 0; e < c->nevent; e++) {
		struct event *event = &c->event[e];

		if (!event->group || !e || event->group != event[-1].group || event->no_heir)   /* a child inherits a group as its leader says */
			leader = -1;
		fd[e] = -1;
		if (!counts_there(event, w))
			continue;
		if ((fd[e] = open_one(c, event, w, event->group ? leader : -1)) >= 0) {
			leader = event->no_heir ? -1 : leader < 0 ? fd[e] : leader;
			c->err[e] = 0;
			continue;
		}
		if (!is_missing(errno) || probe_is(event->name)) {
			*r = (struct refusal){ .of = REFUSED_EVENT, .err = errno, .event = e + 1, .pid = c->on_exec ? 0 : w->tid };
			return false;
		}
		if (c->err[e] < 0)
			c->err[e] = errno;
	}
	return true;
}

bool
counters_open(struct counters *c, struct refusal *r)
{
	*r = (struct refusal){ .what = "out of memory" };
	opener_more_files();
	c->nfd = c->n * c->nevent;
	if (!vec_room(&c->fd, &c->cap_fd, (uint64_t)c->nfd + 1, sizeof *c->fd) || !vec_room(&c->err, &c->cap_err, (uint64_t)c->nevent + 1, sizeof *c->err))
		return false;
	for (uint32_t i = 0; i < c->nfd; i++)
		c->fd[i] = -1;
	for (unsigned e = 0; e < c->nevent; e++)
		c->err[e] = -1;
	for (uint32_t w = 0; w < c->n; w++)
		if (!open_at(c, &c->where[w], c->fd + (size_t)w * c->nevent, r))
			return false;
	return true;
}

void
counters_enable(const struct counters *c, bool on)
{
	for (uint32_t i = 0; i < c->nfd; i++)
		if (c->fd[i] >= 0)
			perf_control(c->fd[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void
counters_read(const struct counters *c, struct count *count)
{
	for (uint32_t w = 0; w < c->n; w++)
		for (unsigned e = 0; e < c->nevent; e++) {
			struct count *to = count + (size_t)c->where[w].row * c->nevent + e, v;
			int fd = c->fd[(size_t)w * c->nevent + e];

			if (fd < 0 || read(fd, &v, sizeof v) != (ssize_t)sizeof v)
				continue;
			to->value += v.value;
			to->enabled += v.enabled;
			to->running += v.running;
		}
}

void
counters_close(struct counters *c)
{
	for (uint32_t i = 0; i < c->nfd; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	c->nfd = 0;
	vec_free(&c->fd, &c->cap_fd, sizeof *c->fd);
	vec_free(&c->err, &c->cap_err, sizeof *c->err);
	vec_free(&c->where, &c->cap, sizeof *c->where);
	c->n = 0;
}
