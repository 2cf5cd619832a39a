/* See open_event.h.  perf_event_open(2).  prof first tries an event with all that it wants, and with one thing less each time
 * that the kernel says no.  It does not ask again for what the kernel is too old for. */
#include "open_event.h"

#include <errno.h>
#include <time.h>

#include "lent_event.h"
#include "perf.h"
#include "switch_event.h"

int
open_event_as(const struct opener *o, const struct event *e, struct perf_event_attr *a, int32_t tid, int32_t cpu)
{
	if (o->capture.lent)
		return lent_event_open(a, tid, cpu);
	if (tid < 0 && !e->wakes && (o->reach == REACH_CGROUP || o->reach == REACH_GIVEN))
		return event_open(e, a, o->cgroup.fd, cpu, -1, PERF_FLAG_PID_CGROUP);
	return event_open(e, a, tid, cpu, -1, 0);
}

static struct perf_event_attr
attr_of(const struct opener *o, uint32_t event)
{
	const struct capture *c = &o->capture;
	const struct event *e = &c->event[event];
	struct perf_event_attr a;

	event_attr(e, &a);
	a.freq = e->freq || (o->freq && !e->period);
	a.sample_freq = e->freq ? e->freq : e->period ? e->period : o->freq ? o->freq : c->count;
	a.sample_type = record_sample_type(&o->shape);
	a.exclude_callchain_kernel = !c->kernel_chain || !e->kernel || e->no_kernel_chain;
	a.exclude_callchain_user = !c->user_chain;
	if (o->shape.stack) {
		a.sample_regs_user = c->regs_mask;
		a.sample_stack_user = c->stack_size;
	}
	if (o->shape.kernel_regs)
		a.sample_regs_intr = c->regs_mask & REGS_USUAL;
	if (e->waits) {
		a.freq = 0;
		a.sample_freq = 1;
		a.context_switch = !e->wakes;
		if (o->shape.stack)
			a.sample_stack_user = c->wait_stack_size;
	}
	if (c->lent && o->shape.stack)
		a.sample_stack_user = lent_event_stack(c, e, o->freq, a.sample_stack_user);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!o->no_lost)
		a.read_format |= PERF_FORMAT_LOST;
	a.disabled = a.sample_id_all = a.use_clockid = a.watermark = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.inherit = o->reach == REACH_THREADS && c->target != TARGET_THREADS && (c->inherit || !o->no_inherit_thread) && !e->no_heir;
	a.inherit_thread = a.inherit && !c->inherit;
	a.inherit_stat = a.inherit && event == 0;
	/* Events of time leave out idle time themselves; prof leaves out the idle samples of others. */
	a.exclude_idle |= e->is_time && o->reach != REACH_THREADS && !c->idle;
	if (event == 0) {   /* once, not for every event of a thread */
		a.task = 1;
		a.mmap = a.mmap2 = a.comm = a.comm_exec = o->rings.n == o->nsample;
		a.build_id = !o->no_build_id;
		a.ksymbol = !o->no_ksymbol && o->rings.n == o->nsample;
	}
	return a;
}

/* Leaves out the register that this CPU or kernel may not have, and that clocks never tell; false if it is left out already. */
static bool
fewer_registers(struct opener *o)
{
	uint64_t few = o->capture.regs_mask & REGS_USUAL;

	if (few == o->capture.regs_mask)
		return false;
	o->capture.regs_mask = few;
	o->shape.regs--;
	return true;
}

/* Leaves out what this kernel may be too old for, one thing at a time, newest first; false if nothing is left. */
static bool
ask_for_less(struct opener *o)
{
	bool *const given_up[] = { &o->no_lost, &o->no_inherit_thread, &o->no_build_id, &o->no_ksymbol };

	if (fewer_registers(o))
		return true;
	for (unsigned i = 0; i < sizeof given_up / sizeof *given_up; i++)
		if (!*given_up[i])
			return *given_up[i] = true;
	return false;
}

/* Whether the event opens without the kernel's side, which the user did not ask for by name. */
static bool
narrow(struct event *e)
{
	if (!e->kernel || !e->user || e->sides_given || e->each)
		return false;
	e->kernel = false;
	return true;
}

static uint32_t
copied(const struct opener *o, uint32_t event)
{
	return o->capture.event[event].waits ? o->capture.wait_stack_size : o->capture.stack_size;
}

bool
open_event_ahead(const struct opener *o, uint32_t event, int32_t tid, int32_t cpu)
{
	return o->door && o->door->ahead(event, tid, cpu, copied(o, event), o->capture.user_chain);
}

int
open_event(struct opener *o, uint32_t event, int32_t tid, int32_t cpu, bool on_exec)
{
	struct event *e = &o->capture.event[event];
	bool narrowed = false;

	o->tried = event + 1;
	if (o->door)
		return o->door->event(event, tid, cpu, copied(o, event), o->capture.user_chain);
	if (o->capture.lent && lent_event_refused(&o->capture, e)) {
		errno = EPERM;
		return -1;
	}
	for (;;) {
		struct perf_event_attr a = attr_of(o, event);
		uint64_t rate;
		int fd;

		a.enable_on_exec = on_exec;
		if ((fd = open_event_as(o, e, &a, tid, cpu)) >= 0)
			return fd;
		if (e->waits && !e->wakes && switch_event_other(e))
			continue;
		if ((errno == EACCES || errno == EPERM) && !narrowed && narrow(e)) {
			o->refused = errno;
			narrowed = true;
			continue;
		}
		if (narrowed && (errno == EACCES || errno == EPERM))   /* the kernel's side was not the reason */
			e->kernel = true;
		if (errno == EOPNOTSUPP && fewer_registers(o))
			continue;
		if (errno == EOPNOTSUPP && e->precise) {
			e->precise--;
			continue;
		}
		if (errno != EINVAL)
			return -1;
		if (o->freq && (rate = opener_rate()) < o->freq)   /* the kernel has lowered the rate meanwhile */
			o->freq = rate;
		else if (!ask_for_less(o)) {
			errno = EINVAL;
			return -1;
		}
	}
}
