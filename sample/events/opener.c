/* See opener.h.  perf_event_open(2).  A ring belongs to a dummy event on prof itself, so that it outlives every target and
 * every change of events; the kernel lets events of one CPU and clock share it (PERF_EVENT_IOC_SET_OUTPUT). */
#include "opener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "lib/file.h"
#include "lent_event.h"
#include "lib/text.h"
#include "perf.h"
#include "priority.h"
#include "probe_arg.h"
#include "refusal.h"

/* prof closes descriptors one by one up to this number, if the kernel cannot close ranges of them. */
enum { FILES_MOST = 1 << 20 };

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

uint64_t
opener_files(void)
{
	struct rlimit l;

	return getrlimit(RLIMIT_NOFILE, &l) ? 1024 : l.rlim_cur;
}

static bool
find_cpus(struct opener *o)
{
	if (!vec_room(&o->cpu, &o->cap_cpu, CPUS_MAX, sizeof *o->cpu))
		return false;
	if ((o->ncpu = o->capture.ncpu))
		memcpy(o->cpu, o->capture.cpu, o->ncpu * sizeof *o->cpu);
	else
		o->ncpu = cpu_online(o->cpu);
	return true;
}

/* Returns false, and notes in the refusal what the kernel refused. */
static bool
open_ring(struct opener *o, int32_t cpu, size_t bytes, struct refusal *r)
{
	struct perf_event_attr a = { 0 };
	int fd;

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_DUMMY;
	a.disabled = a.exclude_kernel = a.exclude_hv = a.watermark = a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.wakeup_watermark = (uint32_t)pressure_wakes(bytes, o->first);
	*r = (struct refusal){ .of = REFUSED_EVENT, .pid = o->capture.target == TARGET_SYSTEM ? -1 : 0 };
	if ((fd = perf_open(&a, 0, cpu, -1, 0)) >= 0) {
		if (rings_add(&o->rings, fd, cpu, bytes))
			return true;
		r->of = REFUSED_RING;
	}
	r->err = errno;
	if (fd >= 0)
		close(fd);
	return false;
}

/* One ring for each CPU that there is, all of a size. */
static bool
open_rings(struct opener *o, size_t bytes, struct refusal *r)
{
	for (uint32_t i = 0; i < o->ncpu; i++)
		if (!open_ring(o, o->cpu[i], bytes, r) && (r->of == REFUSED_RING || r->err != ENODEV)) {
			rings_drop(&o->rings, 0);
			return false;
		}
	o->ring_bytes = bytes;
	o->nsample = o->rings.samples = o->rings.n;
	return o->rings.n;
}

/* Samples a second on a CPU at most; 0: nobody knows. */
static uint64_t
most_samples(const struct opener *o)
{
	const struct event *e = o->capture.event;

	return o->capture.nevent == 1 && e->is_cycles && !e->period && !e->freq ? o->freq : 0;
}

static bool
map_rings(struct opener *o, struct refusal *r)
{
	size_t least = 2 * (size_t)sysconf(_SC_PAGESIZE), bytes;
	struct sysinfo memory;
	struct refusal why;

	bytes = (size_t)pressure_ring(sysinfo(&memory) ? UINT64_MAX : (uint64_t)memory.totalram * memory.mem_unit, o->ncpu, least,
	                              most_samples(o));
	for (; !open_rings(o, bytes, &why); bytes /= 2)
		if (bytes <= least || why.of != REFUSED_RING || (why.err != EPERM && why.err != ENOMEM)) {
			*r = why;
			o->refused = r->err;
			return false;
		}
	return true;
}

void
opener_more_files(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Whether the kernel would sample every occurrence of an event with a period of its own, if prof asked for the period. */
static bool
samples_each(const struct event *e)
{
	return e->period > 1 && !e->is_time && (e->type == PERF_TYPE_SOFTWARE || e->type == PERF_TYPE_TRACEPOINT || e->no_heir);
}

bool
opener_init(struct opener *o, const struct capture *c, struct refusal *r)
{
	const char *why;

	*o = (struct opener){ .capture = *c, .freq = c->count ? 0 : c->freq,
	                      .reach = c->target != TARGET_SYSTEM ? REACH_THREADS : c->cgroup ? REACH_GIVEN : REACH_SYSTEM };
	if (c->freq_max || o->freq > opener_rate())
		o->freq = opener_rate();
	if (c->lent && o->freq > LENT_RATE)
		o->freq = LENT_RATE;
	/* With -c prof knows it; and the kernel would sample every event of software. */
	o->shape.period = o->freq;
	for (unsigned i = 0; i < c->nevent; i++)
		o->shape.period &= !samples_each(&c->event[i]);
	o->wakes = c->event[c->nevent - 1].wakes;
	o->shape.raw = o->wakes;
	for (unsigned i = 0; i < c->nevent; i++)
		o->shape.raw |= c->event[i].leaf.size != 0 || c->event[i].growth || c->event[i].slow;
	for (unsigned i = 0; i < c->nevent && !o->shape.kernel_regs; i++)
		if (c->event[i].arg && c->event[i].arg->kernel)
			o->shape.kernel_regs = (uint8_t)__builtin_popcountll(c->regs_mask & REGS_USUAL);
	o->shape.stack = c->user_stack && c->regs_mask;
	for (uint64_t mask = c->regs_mask; mask; mask &= mask - 1)
		o->shape.regs++;
	o->shape.chain = c->kernel_chain || c->user_chain || o->shape.stack;   /* prof may still ask for it */
	opener_more_files();
	if (!find_cpus(o)) {
		snprintf(r->what, sizeof r->what, "out of memory");
		return false;
	}
	if (c->cgroup && (why = cgroup_open(&o->cgroup, c->cgroup))) {
		snprintf(r->what, sizeof r->what, "-G %.100s: %s", c->cgroup, why);
		return false;
	}
	o->first = o->ncpu > 1 && priority_may();
	if (!map_rings(o, r))
		return false;
	o->rings.relieves = !o->first;
	if (o->shape.stack && !c->stack_fixed && !c->lent && pressure_deep(o->ring_bytes) && deep_open(&o->deep, o->rings.ring, o->nsample)) {
		o->shape.part = o->deep.id;
		o->shape.nparts = o->deep.ncpu;
	}
	return true;
}

void
opener_stack(struct opener *o, uint32_t size, bool user_chain)
{
	o->capture.stack_size = o->shape.stack ? size : 0;
	o->capture.user_chain = user_chain;
	deep_copied(&o->deep, o->capture.stack_size, true);
}

void
opener_intake(struct opener *o, const struct intake *to)
{
	opener_stack(o, to->stack, to->chain);
	o->capture.wait_stack_size = to->wait_stack;
	deep_beyond(&o->deep, to->deep);
}

struct intake
opener_asked(const struct opener *o)
{
	return (struct intake){ .stack = o->capture.stack_size, .wait_stack = o->capture.wait_stack_size, .chain = o->capture.user_chain };
}

void
opener_free(struct opener *o)
{
	if (o->cgroup.fd > 0 && o->reach == REACH_GIVEN)
		close(o->cgroup.fd);
	else if (o->cgroup.fd > 0 && o->door)
		o->door->cgroup();
	else if (o->cgroup.fd > 0)
		cgroup_remove(&o->cgroup);
	deep_close(&o->deep);
	rings_close(&o->rings);
	vec_free(&o->cpu, &o->cap_cpu, sizeof *o->cpu);
}

/* The next descriptor from FD on that a forked process has a use for, or -1. */
static int
next_kept(const struct opener *o, int fd, const int *own, unsigned n)
{
	int next = -1;

	for (uint32_t i = 0; i < o->rings.n + 2 + n; i++) {
		int kept = i < n ? own[i] : i == n ? o->cgroup.fd : i == n + 1 ? o->deep.program : o->rings.ring[i - n - 2].fd;

		if (kept >= fd && (next < 0 || kept < next))
			next = kept;
	}
	return next;
}

void
opener_only(const struct opener *o, const int *own, unsigned n)
{
	uint64_t limit = opener_files() < FILES_MOST ? opener_files() : FILES_MOST;
	int fd = 3, next;

	do {
		next = next_kept(o, fd, own, n);
#ifdef SYS_close_range
		if (syscall(SYS_close_range, fd, next < 0 ? ~0u : (unsigned)next - 1, 0))
#endif
			for (; next < 0 ? (uint64_t)fd < limit : fd < next; fd++)
				close(fd);
		fd = next + 1;
	} while (next >= 0);
}
