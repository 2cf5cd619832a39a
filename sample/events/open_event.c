/* See open.h.  One event: what the kernel is asked for (perf_event_open(2)), and what older ones lack; and all that are open. */
#include "opener.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "lib/filemap.h"
#include "helper_process.h"
#include "sample/rights/keeper.h"
#include "perf.h"

/* Events whose period is changed now and then: each may interrupt a CPU. */
enum { PERIODS_MOST = 512 };

/* What the kernel is asked for. */

uint64_t
opener_rate(void)
{
	char buf[32];
	const char *p = buf;
	uint64_t rate;

	if (file_text(AT_FDCWD, "/proc/sys/kernel/perf_event_max_sample_rate", buf, sizeof buf) > 0 && text_dec(&p, &rate) &&
	    rate)
		return rate;
	return 100000;
}

int
opener_perf(const struct opener *o, struct perf_event_attr *a, int32_t tid, int32_t cpu, bool others)
{
	if (tid < 0 && !others && (o->reach == REACH_CGROUP || o->reach == REACH_GIVEN))
		return perf_open(a, o->cgroup.fd, cpu, -1, PERF_FLAG_PID_CGROUP);
	return perf_open(a, tid, cpu, -1, 0);
}

static struct perf_event_attr
attr_of(const struct opener *o, uint32_t event)
{
	const struct capture *c = &o->capture;
	const struct event *e = &c->event[event];
	struct perf_event_attr a = { 0 };

	a.type = e->type;
	a.config = e->config;
	a.config1 = e->config1;
	a.config2 = e->config2;
	a.precise_ip = e->precise & 3u;
	a.exclude_user = !e->user;
	a.exclude_kernel = a.exclude_hv = !e->kernel;
	a.freq = o->freq != 0;
	a.sample_freq = o->freq ? o->freq : c->count;
	a.sample_type = record_sample_type(&o->shape);
	a.exclude_callchain_kernel = !c->kernel_chain || !e->kernel;
	a.exclude_callchain_user = !c->user_chain;
	if (o->shape.stack) {
		a.sample_regs_user = c->regs_mask;
		a.sample_stack_user = c->stack_size;
	}
	if (e->waits) {
		a.freq = 0;
		a.sample_freq = 1;
		a.context_switch = !e->wakes;
		if (o->shape.stack)
			a.sample_stack_user = (c->wait_stack_size < o->stack_most ? c->wait_stack_size : (uint32_t)o->stack_most) & ~7u;
	}
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!o->no_lost)
		a.read_format |= PERF_FORMAT_LOST;
	a.disabled = a.sample_id_all = a.use_clockid = a.watermark = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.inherit = o->reach == REACH_THREADS && c->target != TARGET_THREADS && (c->inherit || !o->no_inherit_thread);
	a.inherit_thread = a.inherit && !c->inherit;
	a.inherit_stat = a.inherit && event == 0;
	/* Idle time is left out by whoever counts time, or else by its samples. */
	a.exclude_idle = e->is_time && o->reach != REACH_THREADS && !c->idle;
	if (event == 0) {   /* once, not for every event of a thread */
		a.mmap = a.mmap2 = a.task = 1;
		a.comm = a.comm_exec = o->rings.n == o->nsample;
		a.build_id = !o->no_build_id;
		a.ksymbol = !o->no_ksymbol && o->rings.n == o->nsample;
	}
	return a;
}

/* Leaves out the register that this CPU or kernel may not have, and that clocks never tell; false where that is so already. */
static bool
fewer_registers(struct opener *o)
{
	uint64_t few = o->capture.regs_mask & (((uint64_t)1 << REGS_EXTENDED) - 1);

	if (few == o->capture.regs_mask)
		return false;
	o->capture.regs_mask = few;
	o->shape.regs--;
	return true;
}

/* Leaves out what this kernel may be too old for, one thing a time, newest first; false where nothing is left. */
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

/* Whether the event can be had after all without the kernel's side, which was not asked for by name. */
static bool
narrow(struct event *e)
{
	if (!e->kernel || !e->user || e->sides_given)
		return false;
	e->kernel = false;
	return true;
}

static uint32_t
copied(const struct opener *o, uint32_t event)
{
	return o->capture.event[event].waits ? o->capture.wait_stack_size : o->capture.stack_size;
}

uint32_t
watches_ahead(const struct opener *o, const struct thread *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = 0; r < o->nsample; r++)
			for (uint32_t e = 0; e < o->capture.nevent; e++)
				if (!keeper_ahead(e, t[i].tid, o->rings.ring[r].cpu, copied(o, e), o->capture.user_chain))
					return i;
	return n;
}

int
opener_event(struct opener *o, uint32_t event, int32_t tid, int32_t cpu, bool on_exec)
{
	struct event *e = &o->capture.event[event];
	bool narrowed = false;

	if (keeper_on())
		return keeper_event(event, tid, cpu, copied(o, event), o->capture.user_chain);
	for (;;) {
		struct perf_event_attr a = attr_of(o, event);
		uint64_t rate;
		int fd;

		a.enable_on_exec = on_exec;
		if ((fd = opener_perf(o, &a, tid, cpu, e->wakes)) >= 0)
			return fd;
		if (e->waits && !e->wakes && wait_event_other(e))
			continue;
		if ((errno == EACCES || errno == EPERM) && !narrowed && narrow(e)) {
			o->refused = errno;
			narrowed = true;
			continue;
		}
		if (narrowed && (errno == EACCES || errno == EPERM))   /* that was not it */
			e->kernel = true;
		if (errno == EOPNOTSUPP && fewer_registers(o))
			continue;
		if (errno == EOPNOTSUPP && e->precise) {
			e->precise--;
			continue;
		}
		if (errno != EINVAL)
			return -1;
		if (o->freq && (rate = opener_rate()) < o->freq)   /* lowered meanwhile */
			o->freq = rate;
		else if (!ask_for_less(o)) {
			errno = EINVAL;
			return -1;
		}
	}
}

/* Watches. */

static uint32_t
hash_watch(const void *ctx, uint32_t i)
{
	const struct watches *w = ctx;

	return hash_u64(w->watch[i].id);
}

bool
watches_know(struct watches *w, const struct watch *watch)
{
	if (!vec_room(&w->watch, &w->cap, (uint64_t)w->n + 1, sizeof *w->watch))
		return false;
	w->watch[w->n] = *watch;
	if (!index_add(&w->index, hash_watch(w, w->n), w->n, hash_watch, w))
		return false;
	w->n++;
	return true;
}

/* 0 or an errno. */
static int
into_ring(struct opener *o, struct watches *w, struct watch *watch, const struct ring *ring)
{
	int err = 0;

	if (!perf_control(watch->fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned)ring->fd) ||
	    !perf_control(watch->fd, PERF_EVENT_IOC_ID, (uintptr_t)&watch->id))
		err = errno;
	else if (!watches_know(w, watch))
		err = ENOMEM;
	else if (o->deep.program && !o->capture.event[watch->event].waits)   /* where that fails, stacks are cut */
		perf_control(watch->fd, PERF_EVENT_IOC_SET_BPF, (unsigned)o->deep.program);
	if (err)
		close(watch->fd);
	else
		o->files++;
	return err;
}

int
watches_add(struct opener *o, struct watches *w, int32_t tid, bool on_exec)
{
	for (uint32_t r = 0; r < o->nsample; r++)
		for (uint32_t e = 0; e < o->capture.nevent; e++) {
			struct watch watch = { .tid = tid, .event = e };
			int err;

			if ((watch.fd = opener_event(o, e, tid, o->rings.ring[r].cpu, on_exec)) < 0) {
				if (errno == ENODEV && o->nsample > 1)   /* the CPU went offline */
					continue;
				return errno;
			}
			if ((err = into_ring(o, w, &watch, &o->rings.ring[r])))
				return err;
		}
	return 0;
}

const struct watch *
watches_find(const struct watches *w, uint64_t id)
{
	uint32_t slot, i;

	for (slot = index_first(&w->index, hash_u64(id)); (i = index_at(&w->index, slot)) != INDEX_NONE;
	     slot = index_next(&w->index, slot))
		if (w->watch[i].id == id)
			return &w->watch[i];
	return NULL;
}

void
watches_enable(const struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		perf_control(w->watch[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	hold_enable(w);
}

void
watches_disable(const struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		perf_control(w->watch[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	hold_disable(w);
}

bool
watches_period(const struct watches *w, uint64_t ns)
{
	if (w->n > PERIODS_MOST)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (!w->watch[i].event)
			perf_control(w->watch[i].fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&ns);
	return true;
}

void
watches_total(const struct opener *o, const struct watches *w, struct total *total)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct { uint64_t value, enabled, running, lost; } v = { 0 };

		if (read(w->watch[i].fd, &v, sizeof v) < (ssize_t)(3 * sizeof v.value))
			continue;
		total[w->watch[i].event].running += v.running;
		total[w->watch[i].event].lost += o->no_lost ? 0 : v.lost;
	}
	hold_total(w, total);
}

void
watches_close(struct opener *o, struct watches *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->watch[i].fd < 0)
			continue;
		close(w->watch[i].fd);
		w->watch[i].fd = -1;
		o->files--;
	}
	hold_close(w);
}

void
watches_forget(struct watches *w)
{
	vec_free(&w->watch, &w->cap, sizeof *w->watch);
	index_free(&w->index);
	w->n = 0;
}
