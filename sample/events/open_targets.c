/* See open_targets.h.  Each thread of a target has its own events, and its children inherit them; this works as long as there
 * are enough descriptors.  Events on CPUs see everything that runs there.  A cgroup leaves out what does not belong to the
 * target, if prof can make one. */
#include "open_targets.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <time.h>
#include <unistd.h>

#include "helper_process.h"
#include "open_event.h"

/* Descriptors that are not for events: the caller's, and files being looked at. */
enum { SPARE_FILES = 64 };
/* Times the threads are listed again, for targets that never stop making new ones. */
enum { PASSES = 20 };

/* How many more threads there are descriptors for. */
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

/* Whether the user named this process; descendants do not count. */
static bool
is_asked_for(const struct opener *o, int32_t pid)
{
	for (unsigned i = 0; i < o->capture.npid; i++)
		if (o->capture.pid[i] == pid)
			return true;
	return false;
}

/* Whether new threads and children can have the events of those that make them. */
static bool
can_inherit(const struct capture *c)
{
	for (unsigned i = 0; i < c->nevent; i++)
		if (c->event[i].no_heir)
			return false;
	return true;
}

/* Events on threads FROM on, as far as descriptors go, then in helpers.  False with errno. */
static bool
open_more(struct opener *o, struct watches *w, const struct threads *t, uint32_t from, int32_t *which)
{
	uint64_t fit = threads_fit(o), end = from + fit < t->n ? from + fit : t->n;

	for (uint32_t ahead = from; from < end; from++) {
		if (ahead <= from)
			ahead = from + watches_ahead(o, t->thread + from, (uint32_t)(end - from));
		if (!watches_add(o, w, t->thread[from].tid, false) && errno != ESRCH &&
		    ((errno != EACCES && errno != EPERM) || is_asked_for(o, t->thread[from].pid))) {
			*which = t->thread[from].pid;
			return false;
		}
	}
	return from >= t->n || helper_open(o, w, t->thread + from, t->n - from);
}

/* Opens events on all listed threads, and lists again until there are no new ones. */
static bool
open_threads(struct opener *o, struct watches *w, struct threads *t, uint32_t *sure, bool again, bool children,
             int32_t *which)
{
	uint32_t done = 0;

	*sure = t->n;
	for (unsigned pass = 0; pass < PASSES && done < t->n; pass++) {
		uint32_t n = t->n;

		if (!open_more(o, w, t, done, which))
			return false;
		done = n;
		if (again || o->capture.target == TARGET_PROCESSES)
			threads_again(t, children);
	}
	errno = ESRCH;
	return w->n;
}

/* Rings for what processes execute and map: each record wakes the reader, so that it finds the process and the file before
 * these are gone.  If there cannot be such rings, these records come with the samples.  There the kernel also tells who forks
 * and exits, whether prof asks or not. */
static void
open_tracks(struct opener *o)
{
	size_t bytes = (size_t)pressure_track(o->ring_bytes, (uint64_t)sysconf(_SC_PAGESIZE));

	for (uint32_t i = 0; i < o->nsample; i++) {
		static const struct event tracks;
		static const struct record_shape least;   /* the ends of all records are the same */
		struct perf_event_attr a = { 0 };
		int fd;

		a.type = PERF_TYPE_SOFTWARE;
		a.config = PERF_COUNT_SW_DUMMY;
		a.sample_type = record_sample_type(&least);
		a.exclude_kernel = a.exclude_hv = a.sample_id_all = a.watermark = a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC;
		a.wakeup_watermark = 1;
		a.comm = a.comm_exec = a.mmap = a.mmap2 = 1;
		a.build_id = !o->no_build_id;
		a.ksymbol = !o->no_ksymbol;
		if ((fd = open_event_as(o, &tracks, &a, -1, o->rings.ring[i].cpu)) >= 0 &&
		    rings_add(&o->rings, fd, o->rings.ring[i].cpu, bytes))
			continue;
		if (fd >= 0)
			close(fd);
		rings_drop(&o->rings, o->nsample);
		return;
	}
}

static bool
open_cpus(struct opener *o, struct watches *w)
{
	int err = ENODEV;

	if (o->rings.n == o->nsample)
		open_tracks(o);
	watches_ahead(o, &(struct thread){ .tid = -1 }, 1);
	if (!watches_add(o, w, -1, false))
		err = errno;
	else if (w->n)
		return true;
	watches_close(o, w);
	watches_forget(w);
	rings_drop(&o->rings, o->nsample);
	errno = err;
	return false;
}

/* Opens events on CPUs, if the kernel allows it: in a cgroup of the command's own, or else with all samples, so that prof
 * leaves out those of others. */
static bool
open_for_command(struct opener *o, struct watches *w)
{
	int fd = open_event(o, 0, -1, o->rings.ring[0].cpu, false);

	if (fd < 0)
		return false;
	close(fd);
	if (!(o->no_cgroup = cgroup_make(&o->cgroup))) {
		o->reach = REACH_CGROUP;
		if (open_cpus(o, w))
			return true;
		o->no_cgroup = "the kernel cannot count events of a cgroup";
		cgroup_remove(&o->cgroup);
	}
	o->reach = REACH_TREE;
	if (open_cpus(o, w))
		return true;
	o->reach = REACH_THREADS;
	return false;
}

/* Opens the events that the command inherits when it is forked.  If its children shall have no events, it opens none yet.
 * False with errno. */
static bool
open_command(struct opener *o, struct watches *w)
{
	return !o->capture.inherit || open_for_command(o, w) || watches_add(o, w, 0, true);
}

bool
open_targets_launched(struct opener *o, struct watches *w)
{
	int32_t pid = o->capture.pid[0];

	if (!o->capture.inherit)
		return watches_add(o, w, pid, true);
	if (o->reach != REACH_CGROUP || cgroup_put(&o->cgroup, pid))
		return true;
	watches_close(o, w);
	watches_forget(w);
	rings_drop(&o->rings, o->nsample);
	cgroup_remove(&o->cgroup);
	o->no_cgroup = "prof cannot put the command into its cgroup";
	o->reach = REACH_TREE;
	return open_cpus(o, w);
}

bool
open_targets(struct opener *o, struct watches *w, struct threads *found, uint32_t *sure, int32_t *pid)
{
	bool crowd;

	*sure = 0;
	*pid = -1;
	if (o->capture.target == TARGET_SYSTEM)
		return open_cpus(o, w);
	*pid = 0;
	if (o->capture.target == TARGET_COMMAND)
		return open_command(o, w);
	*pid = o->capture.pid[0];
	list_targets(o, found);
	if (o->capture.descendants)
		threads_families(found, getpid());
	/* If there are more threads times CPUs than descriptors, or if no thread can inherit them: events on CPUs alone, if the kernel allows
	 * them; prof leaves out others' samples. */
	crowd = found->n > threads_fit(o);
	if (o->capture.target == TARGET_PROCESSES && (crowd || (o->capture.inherit && !can_inherit(&o->capture)))) {
		o->reach = REACH_TREE;
		*sure = found->n;
		if (open_cpus(o, w)) {
			o->crowd = crowd ? found->n : 0;
			return true;
		}
		o->reach = REACH_THREADS;
	}
	open_tracks(o);
	return open_threads(o, w, found, sure, false, o->capture.descendants, pid);
}

bool
open_targets_again(struct opener *o, struct watches *w, struct threads *found, uint32_t *sure)
{
	int32_t which;

	*sure = found->n;
	if (o->reach != REACH_THREADS)
		return open_cpus(o, w);
	return open_threads(o, w, found, sure, true, o->capture.inherit && o->capture.target != TARGET_THREADS, &which);
}
