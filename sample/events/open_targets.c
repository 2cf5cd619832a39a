/* See open.h.  perf_event_open(2).  A ring belongs to a dummy event on prof itself, so that it outlives every target and
 * every change of events; the kernel lets events of one CPU and clock share it (PERF_EVENT_IOC_SET_OUTPUT). */
#include "opener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "helper_process.h"
#include "sample/rights/keeper.h"
#include "perf.h"
#include "sample/rights/permit.h"
#include "priority.h"

/* Bytes of a ring as wished for, and of all together, which are no more than a part of the memory that there is.  Rings that
 * hold many samples wake a reader that need not wait for a CPU when they are half full: each time costs more than some
 * samples do. */
enum { RING_MOST = 8 << 20, RINGS_MOST = 128 << 20, RINGS_PART = 32, RING_ROOMY = 2 << 20 };
/* Descriptors that are not for events: the caller's, and files being looked at. */
enum { SPARE_FILES = 64 };
enum { STACK_DEFAULT = 16 << 10, STACK_MOST = 65528, STACK_LEAST = 1 << 10 };
/* Milliseconds of samples that a ring has room for at least, stacks being cut for that: where the reader comes first, and to
 * begin with where it has to wait like all others. */
enum { STACK_LATE = 20, STACK_LATER = 50 };
/* The part of a ring for samples that one for executions has. */
enum { TRACK_PART = 64 };
/* Times the threads are listed again, for targets that never stop making new ones. */
enum { PASSES = 20 };

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

/* 0, an errno of opening, or below 0 one of mapping. */
static int
open_ring(struct opener *o, int32_t cpu, size_t bytes)
{
	struct perf_event_attr a = { 0 };
	int fd, err;

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_DUMMY;
	a.disabled = a.exclude_kernel = a.exclude_hv = a.watermark = a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.wakeup_watermark = (uint32_t)(o->first && bytes > RING_ROOMY ? bytes / 2 : bytes / 4);
	if ((fd = perf_open(&a, 0, cpu, -1, 0)) < 0)
		return errno;
	if (rings_add(&o->rings, fd, cpu, bytes))
		return 0;
	err = errno;
	close(fd);
	return -err;
}

/* One ring for each CPU that there is, all of a size.  0 or as open_ring. */
static int
open_rings(struct opener *o, size_t bytes)
{
	int err = 0;

	for (uint32_t i = 0; i < o->ncpu; i++)
		if ((err = open_ring(o, o->cpu[i], bytes)) && err != ENODEV) {
			rings_drop(&o->rings, 0);
			return err;
		}
	o->ring_bytes = bytes;
	o->nsample = o->rings.n;
	return o->rings.n ? 0 : err;
}

static bool
map_rings(struct opener *o, struct refusal *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = RING_MOST, most = RINGS_MOST;
	struct sysinfo memory;
	int err;

	if (!sysinfo(&memory) && (uint64_t)memory.totalram * memory.mem_unit / RINGS_PART < most)
		most = (size_t)((uint64_t)memory.totalram * memory.mem_unit / RINGS_PART);
	while (bytes > 2 * page && bytes * o->ncpu > most)
		bytes /= 2;
	while ((err = open_rings(o, bytes)) == -EPERM || err == -ENOMEM) {
		if (bytes <= 2 * page)
			break;
		bytes /= 2;
	}
	o->refused = err < 0 ? -err : err;
	if (err < 0)
		permit_explain_ring(r, -err);
	else if (err)
		permit_explain(r, &o->capture, o->capture.target == TARGET_SYSTEM ? -1 : 0, err);
	return !err;
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

/* What a ring can hold many of: the reader may come late. */
static size_t
stack_most(const struct opener *o)
{
	size_t most = o->stack_limit;
	uint64_t roomy = o->freq ? (uint64_t)o->ring_bytes * 1000 / (o->first ? STACK_LATE : STACK_LATER) / o->freq : most;

	return roomy >= most || o->capture.stack_fixed ? most : roomy > STACK_LEAST ? (size_t)roomy : STACK_LEAST;
}

bool
opener_init(struct opener *o, const struct capture *c, struct refusal *r)
{
	const char *why;

	*o = (struct opener){ .capture = *c, .freq = c->count ? 0 : c->freq,
	                      .reach = c->target != TARGET_SYSTEM ? REACH_THREADS : c->cgroup ? REACH_GIVEN : REACH_SYSTEM };
	if (c->freq_max || o->freq > opener_rate())
		o->freq = opener_rate();
	o->shape.period = o->freq;   /* with -c it is known; and asked for, the kernel would sample every software event */
	o->shape.raw = c->event[c->nevent - 1].wakes;
	o->shape.stack = c->user_stack && c->regs_mask;
	for (uint64_t mask = c->regs_mask; mask; mask &= mask - 1)
		o->shape.regs++;
	o->shape.chain = c->kernel_chain || c->user_chain || o->shape.stack;   /* may still be asked for */
	opener_more_files();
	if (!find_cpus(o)) {
		snprintf(r->what, sizeof r->what, "no memory to start with");
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
	o->stack_limit = o->ring_bytes / 4 < STACK_MOST ? o->ring_bytes / 4 : STACK_MOST;
	if (o->shape.stack && !c->stack_fixed && o->stack_limit > DEEP_COPIED && deep_open(&o->deep, o->rings.ring, o->nsample)) {
		o->shape.part = o->deep.id;
		o->shape.nparts = o->deep.ncpu;
	}
	o->stack_most = stack_most(o);
	opener_stack(o, c->stack_size, c->user_chain);
	return true;
}

bool
opener_stack_less(struct opener *o, bool much)
{
	uint32_t less = o->capture.stack_size / (much ? 8 : 2) & ~7u;

	if (o->capture.stack_fixed || o->capture.stack_size <= STACK_LEAST)
		return false;
	o->stack_most = less > STACK_LEAST ? less : STACK_LEAST;
	return true;
}

void
opener_stack_more(struct opener *o, uint32_t times)
{
	o->stack_most = o->stack_most * times < o->stack_limit ? o->stack_most * times : o->stack_limit;
}

void
opener_stack(struct opener *o, uint32_t size, bool user_chain)
{
	if (!size)
		size = STACK_DEFAULT;
	if (o->deep.program && size > DEEP_COPIED)   /* of what waits all is the kernel's to copy */
		size = DEEP_COPIED;
	o->capture.stack_size = !o->shape.stack ? 0 : (size < o->stack_most ? size : (uint32_t)o->stack_most) & ~7u;
	o->capture.user_chain = user_chain;
	deep_copied(&o->deep, o->capture.stack_size);
}

void
opener_free(struct opener *o)
{
	if (o->cgroup.fd > 0 && o->reach == REACH_GIVEN)
		close(o->cgroup.fd);
	else if (o->cgroup.fd > 0 && keeper_on())
		keeper_cgroup();
	else if (o->cgroup.fd > 0)
		cgroup_remove(&o->cgroup);
	deep_close(&o->deep);
	rings_close(&o->rings);
	vec_free(&o->cpu, &o->cap_cpu, sizeof *o->cpu);
}

/* Targets. */

uint64_t
opener_files(void)
{
	struct rlimit l;

	return getrlimit(RLIMIT_NOFILE, &l) ? 1024 : l.rlim_cur;
}

/* For how many threads more there are descriptors. */
static uint64_t
threads_fit(const struct opener *o)
{
	uint64_t limit = opener_files(), used = o->files + o->rings.n + o->deep.ncpu + SPARE_FILES;

	return limit > used ? (limit - used) / ((uint64_t)o->nsample * o->capture.nevent) : 0;
}

static void
list_targets(const struct opener *o, struct threads *t)
{
	for (unsigned i = 0; i < o->capture.npid; i++)
		if (o->capture.target == TARGET_PROCESSES)
			threads_of(t, o->capture.pid[i]);
		else
			threads_add(t, o->capture.pid[i], o->capture.pid[i]);
}

/* Events on threads FROM on, as far as descriptors go, then in helpers.  0 or an errno. */
static int
open_more(struct opener *o, struct watches *w, const struct threads *t, uint32_t from, int32_t *which)
{
	uint64_t fit = threads_fit(o), end = from + fit < t->n ? from + fit : t->n;

	for (uint32_t ahead = from; from < end; from++) {
		int err;

		if (ahead <= from)
			ahead = from + watches_ahead(o, t->thread + from, (uint32_t)(end - from));
		err = watches_add(o, w, t->thread[from].tid, false);
		if (err && err != ESRCH) {
			*which = t->thread[from].pid;
			return err;
		}
	}
	return from < t->n ? hold_open(o, w, t->thread + from, t->n - from) : 0;
}

/* Opens on all threads that are listed, lists again, until there are no new ones. */
static int
open_threads(struct opener *o, struct watches *w, struct threads *t, uint32_t *sure, bool again, bool children,
             int32_t *which)
{
	uint32_t done = 0;

	*sure = t->n;
	for (unsigned pass = 0; pass < PASSES && done < t->n; pass++) {
		uint32_t n = t->n;
		int err = open_more(o, w, t, done, which);

		if (err)
			return err;
		done = n;
		if (again || o->capture.target == TARGET_PROCESSES)
			threads_again(t, children);
	}
	return w->n ? 0 : ESRCH;
}

/* Rings for what processes execute: each record wakes the reader, so that it finds the process before that is over.  Where
 * there cannot be any, they come with the samples.  The kernel tells there who forks and exits, too, asked or not. */
static void
open_tracks(struct opener *o)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = o->ring_bytes / TRACK_PART;

	for (uint32_t i = 0; i < o->nsample; i++) {
		static const struct record_shape least;   /* the ends of all records are the same */
		struct perf_event_attr a = { 0 };
		int fd;

		a.type = PERF_TYPE_SOFTWARE;
		a.config = PERF_COUNT_SW_DUMMY;
		a.sample_type = record_sample_type(&least);
		a.exclude_kernel = a.exclude_hv = a.sample_id_all = a.watermark = a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC;
		a.wakeup_watermark = 1;
		a.comm = a.comm_exec = 1;
		a.ksymbol = !o->no_ksymbol;
		if ((fd = opener_perf(o, &a, -1, o->rings.ring[i].cpu, false)) >= 0 &&
		    rings_add(&o->rings, fd, o->rings.ring[i].cpu, bytes > page ? bytes : page))
			continue;
		if (fd >= 0)
			close(fd);
		rings_drop(&o->rings, o->nsample);
		return;
	}
}

static int
open_cpus(struct opener *o, struct watches *w)
{
	int err;

	if (o->rings.n == o->nsample)
		open_tracks(o);
	watches_ahead(o, &(struct thread){ .tid = -1 }, 1);
	if (!(err = watches_add(o, w, -1, false)) && w->n)
		return 0;
	watches_close(o, w);
	watches_forget(w);
	rings_drop(&o->rings, o->nsample);
	return err ? err : ENODEV;
}

/* Events on CPUs, if prof may have them: in a cgroup of the command's, else with the samples of others left out. */
static bool
open_for_command(struct opener *o, struct watches *w)
{
	int fd = opener_event(o, 0, -1, o->rings.ring[0].cpu, false);

	if (fd < 0)
		return false;
	close(fd);
	if (!(o->no_cgroup = cgroup_make(&o->cgroup))) {
		o->reach = REACH_CGROUP;
		if (!open_cpus(o, w))
			return true;
		o->no_cgroup = "the kernel has no events of cgroups";
		cgroup_remove(&o->cgroup);
	}
	o->reach = REACH_TREE;
	if (!open_cpus(o, w))
		return true;
	o->reach = REACH_THREADS;
	return false;
}

/* Events that the command is born with, or none yet where its children shall not have any.  0 or an errno. */
static int
open_command(struct opener *o, struct watches *w)
{
	if (!o->capture.inherit || open_for_command(o, w))
		return 0;
	return watches_add(o, w, 0, true);
}

int
opener_launched(struct opener *o, struct watches *w)
{
	int32_t pid = o->capture.pid[0];

	if (!o->capture.inherit)
		return watches_add(o, w, pid, true);
	if (o->reach != REACH_CGROUP || cgroup_put(&o->cgroup, pid))
		return 0;
	watches_close(o, w);
	watches_forget(w);
	rings_drop(&o->rings, o->nsample);
	cgroup_remove(&o->cgroup);
	o->no_cgroup = "the command cannot be put into one";
	o->reach = REACH_TREE;
	return open_cpus(o, w);
}

int
opener_open(struct opener *o, struct watches *w, struct threads *found, uint32_t *sure, int32_t *pid)
{
	*sure = 0;
	*pid = -1;
	if (o->capture.target == TARGET_SYSTEM)
		return open_cpus(o, w);
	*pid = 0;
	if (o->capture.target == TARGET_COMMAND)
		return open_command(o, w);
	*pid = o->capture.pid[0];
	list_targets(o, found);
	/* More threads times CPUs than descriptors: the CPUs alone, and others' samples left out, where that is allowed. */
	if (o->capture.target == TARGET_PROCESSES && found->n > threads_fit(o)) {
		o->reach = REACH_TREE;
		*sure = found->n;
		if (!open_cpus(o, w))
			return 0;
		o->reach = REACH_THREADS;
	}
	open_tracks(o);
	return open_threads(o, w, found, sure, false, false, pid);
}

int
opener_reopen(struct opener *o, struct watches *w, struct threads *found, uint32_t *sure)
{
	int32_t which;

	*sure = found->n;
	if (o->reach != REACH_THREADS)
		return open_cpus(o, w);
	return open_threads(o, w, found, sure, true, o->capture.inherit && o->capture.target != TARGET_THREADS, &which);
}
