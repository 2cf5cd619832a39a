/* See session.h.  How a capture goes: events are opened stopped, then started, then what runs already is read from /proc;
 * from there on the kernel's records tell what changes, in the order of time. */
#include "session.h"

#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "sample/events/cpu.h"
#include "sample/rights/keeper.h"
#include "sample/tasks/process_maps.h"
#include "sample/rights/permit.h"
#include "session_state.h"
#include "sample/tasks/target.h"

/* Nanoseconds: between two times that stacks are cut; how long the reader sleeps at most, so that what short processes
 * leave behind is still found, and how long where there was no record for some time; how long less, because nothing is known
 * yet; how late a record may appear. */
#define PRESS_PAUSE UINT64_C(20000000)
#define SLEEP_MOST  INT64_C(50000000)
#define SLEEP_CALM  INT64_C(200000000)
#define CALM_AFTER  UINT64_C(1000000000)
#define BEGINNING   UINT64_C(200000000)
#define RECORD_LATE UINT64_C(200000)

static const char *const reach_words[] = {
	[REACH_THREADS] = "the threads",
	[REACH_CGROUP] = "the CPUs, for a cgroup of the command's own",
	[REACH_GIVEN] = "the CPUs, for that cgroup",
	[REACH_TREE] = "the CPUs, the samples of others left out",
	[REACH_SYSTEM] = "the CPUs",
};

/* Percent of a ring that are in use when the reader is woken, comes late, and too late. */
enum { WOKEN = 25, PRESSING = 75, PRESSING_HARD = 95 };
/* How late it comes is known after so many rounds, and so many ns: to begin with, and at most. */
enum { LATE_ROUNDS = 8 };
#define LATE_LEAST UINT64_C(50000000)
#define LATE_MOST  UINT64_C(6400000000)
/* Times as late it may come the next time; and ns that it may be late for other reasons, where threads have a CPU each and
 * where they have not. */
enum { LATER = 4 };
#define LATE_ALONE UINT64_C(8000000)
#define LATE_MANY  UINT64_C(20000000)
/* What is done beside reading takes no more than a part of the time that rings have room for. */
enum { PATIENT = 4 };

/* Times that the time between samples is doubled. */
enum { SLOWER_MOST = 6 };

/* Of a sample without its stack, bytes: registers, the kernel's chain. */
enum { SAMPLE_LEAST = 512 };

/* Of the stack of a wait, bytes, where rings fill up. */
enum { WAIT_STACK_LEAST = 1 << 10 };

/* What JITs write is to be read before they write something else in its place, whether there are records or not. */
static int64_t
sleep_most(const struct session *s, uint64_t t)
{
	if (t - s->since < BEGINNING)
		return SLEEP_MOST / 10;
	return t - s->since < CALM_AFTER || t - s->stirred < CALM_AFTER || s->modules->jits || s->tracer.pid ? SLEEP_MOST : SLEEP_CALM;
}

bool
session_wait(struct session *s, int extra, int64_t timeout_ns)
{
	uint64_t t = clock_now();
	int64_t most = sleep_most(s, t);
	bool going;

	if (!s->opener.first && s->woke) {   /* as of late */
		s->awake = s->awake * 7 / 8 + t - s->woke;
		s->ran = s->ran * 7 / 8 + clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->woke_cpu;
	}
	going = ends_wait(&s->ends, extra, timeout_ns < 0 || timeout_ns > most ? most : timeout_ns);
	s->woke = clock_now();
	if (!s->opener.first)
		s->woke_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return going && (s->opener.reach != REACH_GIVEN || !cgroup_over(&s->opener.cgroup));
}

/* Notes the threads that are there, with their names, while they still are.  Some may have their events twice: then only
 * those opened on themselves count. */
static void
note_threads(struct session *s, const struct threads *t, uint32_t sure)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct task *task;

		if ((task = processes_task(s->processes, t->thread[i].pid, t->thread[i].tid)))
			task->own = i < sure || s->opener.reach != REACH_THREADS ? 0 : t->thread[i].tid;
	}
}

/* Of events on CPUs those of other processes are left out. */
static bool
choose_processes(struct session *s)
{
	const struct capture *c = &s->opener.capture;

	if (c->target == TARGET_THREADS || !c->inherit || s->tracer.pid)
		processes_partial(s->processes);
	if (s->opener.reach != REACH_TREE)
		return true;
	for (unsigned i = 0; i < c->npid; i++)
		if (!processes_task(s->processes, c->pid[i], c->pid[i]))
			return false;
	processes_only_known(s->processes, c->inherit);
	return true;
}

/* Only time has periods that say how long something ran. */
static void
choose_weights(struct session *s)
{
	const struct event *e = &s->opener.capture.event[0];

	if (s->opener.reach == REACH_SYSTEM && s->opener.capture.idle && s->opener.freq && e->is_time && e->kernel && e->user)
		s->ticked = arena_alloc(&s->arena, CPUS_MAX * sizeof *s->ticked);
	if (s->tracer.pid)
		weigh_init(&s->weights, 1000000000 / s->opener.freq, true);
	else if (s->opener.reach == REACH_THREADS && s->opener.freq && e->is_time && s->opener.capture.target != TARGET_THREADS &&
	         watches_period(&s->watches, 1000000000 / s->opener.freq + 1))
		weigh_init(&s->weights, 1000000000 / s->opener.freq, e->kernel && e->user);
}

/* False and REFUSAL filled where the kernel does not let us. */
static bool
open_perf(struct session *s, const struct capture *c, struct refusal *r)
{
	int32_t pid = 0;
	int err;

	if (!opener_init(&s->opener, c, r)) {
		s->ladder.perf = s->opener.refused;
		return false;
	}
	if (!(err = opener_open(&s->opener, &s->watches, &s->found, &s->sure, &pid))) {
		s->ladder.kernel = s->opener.capture.event[0].kernel ? 0 : s->opener.refused;
		return true;
	}
	s->ladder.perf = err;
	permit_explain(r, c, pid, err);
	watches_close(&s->opener, &s->watches);
	watches_forget(&s->watches);
	opener_free(&s->opener);
	threads_free(&s->found);
	return false;
}

struct session *
session_open(const struct capture *c, struct modules *modules, struct refusal *r)
{
	struct arena arena = { 0 };
	struct session *s = arena_alloc(&arena, sizeof *s);

	*r = (struct refusal){ .what = "no memory to start with" };
	if (!s)
		return NULL;
	s->arena = arena;
	s->modules = modules;
	s->new_id = UINT64_MAX;
	s->late = UINT64_MAX;
	s->late_pause = LATE_LEAST;
	s->waits.waited = c->waited;
	s->waits.on = c->waited != NULL;
	s->waits.wall = c->wall;
	s->ladder.asked = c->engine == ENGINE_PTRACE;
	s->ladder.cycles = c->event[0].refused;
	if ((s->ladder.asked || !open_perf(s, c, r)) && !tracer_stand_in(&s->tracer, &s->opener, c, &s->ladder, &s->found, r)) {
		session_close(s);
		return NULL;
	}
	if ((s->processes = processes_new(modules)) && (c->target == TARGET_COMMAND || choose_processes(s))) {
		s->waits.looked = s->tracer.pid;
		note_threads(s, &s->found, s->tracer.pid ? s->found.n : s->sure);
		choose_weights(s);
		return s;
	}
	session_close(s);
	return NULL;
}

/* A command's samples count from its exec on. */
static bool
take_in_command(struct session *s, struct refusal *r)
{
	const struct capture *c = &s->opener.capture;
	struct task *t;
	int32_t whom;
	int err;

	if (s->tracer.pid && (err = tracer_attach(&s->tracer, c, &s->found, &whom))) {
		tracer_explain(r, c, whom, err);
		return false;
	}
	if (!s->tracer.pid && (err = opener_launched(&s->opener, &s->watches))) {
		permit_explain(r, c, 0, err);
		return false;
	}
	*r = (struct refusal){ .what = "no memory to start with" };
	if (!choose_processes(s) || !(t = processes_task(s->processes, c->pid[0], c->pid[0])))
		return false;
	t->process->starting = NOT_YET;
	return true;
}

bool
session_prepare(struct session *s, struct refusal *r)
{
	const struct capture *c = &s->opener.capture;

	if (c->target == TARGET_COMMAND && !take_in_command(s, r))
		return false;
	*r = (struct refusal){ .what = "no memory to start with" };
	if (!ends_init(&s->ends, &s->opener.rings, s->opener.nsample, c))
		return false;
	priority_raise(&s->priority, s->opener.ncpu > 1);
	return true;
}

bool
session_keep(struct session *s, const struct keeper_also *also)
{
	keeper_rings(&s->opener.rings);
	return keeper_start(&s->opener, also);
}

void
session_enable(struct session *s)
{
	const struct capture *c = &s->opener.capture;

	s->weights.looked = clock_now();
	if (s->tracer.pid)
		tracer_on(&s->tracer, true);
	else if (c->target != TARGET_COMMAND || s->opener.reach != REACH_THREADS)   /* else its exec does */
		watches_enable(&s->watches);
	s->since = s->waits.since = clock_now();
	for (unsigned i = 0; c->target == TARGET_PROCESSES && i < c->npid; i++) {
		struct task *t = processes_task(s->processes, c->pid[i], c->pid[i]);

		if (t)
			mapped_ready(t->process, 0);
	}
}

void
session_disable(struct session *s)
{
	if (s->tracer.pid)
		tracer_on(&s->tracer, false);
	watches_disable(&s->watches);
	s->until = clock_now();
}

static void
add_threads(void *threads, struct process *p)
{
	if (p->pid > 0)
		threads_of(threads, p->pid);
}

static void
retire(struct session *s, struct watches *w)
{
	watches_total(&s->opener, w, s->closed);
	watches_close(&s->opener, w);
}

/* ns between two samples. */
static uint64_t
period(const struct session *s)
{
	return (UINT64_C(1000000000) << s->slower) / s->opener.freq;
}

/* Opens the events again, as they are asked for now; false where that cannot be had, and nothing has changed. */
static bool
reopen(struct session *s)
{
	struct opener *o = &s->opener;
	struct watches fresh = { 0 };
	struct threads found = { 0 };
	uint32_t sure;

	if (o->capture.target == TARGET_THREADS)
		for (unsigned i = 0; i < o->capture.npid; i++)
			threads_add(&found, o->capture.pid[i], o->capture.pid[i]);
	else
		processes_each(s->processes, add_threads, &found);
	if (opener_reopen(o, &fresh, &found, &sure) || !fresh.n) {
		watches_close(&s->opener, &fresh);
		watches_forget(&fresh);
		threads_free(&found);
		return false;
	}
	/* Both for a moment, so that no record of a new process or map is missed; of samples only one side counts. */
	if (s->weights.period && !watches_period(&fresh, s->weights.first))
		s->weights.period = 0;
	if (s->slower)
		watches_period(&fresh, period(s));
	s->new_id = fresh.watch[0].id;
	s->new_since = UINT64_MAX;
	watches_enable(&fresh);
	watches_disable(&s->watches);
	s->new_since = clock_now();
	watches_forget(&s->old);
	s->old = s->watches;
	s->watches = fresh;
	retire(s, &s->old);
	s->weights.opened++;
	note_threads(s, &found, sure);
	threads_free(&found);
	return true;
}

/* Of a sample, bytes. */
static uint64_t
sample_bytes(const struct session *s)
{
	return s->opener.capture.stack_size + SAMPLE_LEAST + deep_mean(&s->opener.deep);
}

/* ns in which PERCENT of a ring fill up with samples, at most. */
static uint64_t
fills(const struct session *s, uint64_t percent)
{
	const struct opener *o = &s->opener;

	return o->ring_bytes * percent * 10000000 / (o->freq ? o->freq : 1) / o->capture.nevent / sample_bytes(s);
}

/* Notes how late the reader was. */
static void
note_late(struct session *s, uint64_t t)
{
	uint64_t late = s->opener.rings.fullest > WOKEN ? fills(s, s->opener.rings.fullest - WOKEN) : 0;

	s->worst = late > s->worst ? late : s->worst;
	if (++s->rounds < LATE_ROUNDS || t - s->noted < s->late_pause)
		return;
	s->late = s->worst;
	s->noted = t;
	s->worst = s->rounds = 0;
}

/* Stacks may be longer where rings have been found to have room for that. */
static void
find_room(struct session *s)
{
	struct opener *o = &s->opener;
	uint64_t late = s->late > s->worst ? s->late : s->worst, room;

	if (o->first || !o->freq || s->late == UINT64_MAX)
		return;
	late = late * LATER + (s->counts.threads > o->ncpu ? LATE_MANY : LATE_ALONE);
	room = fills(s, 100 - WOKEN) * sample_bytes(s) / late;
	if (room < SAMPLE_LEAST + o->stack_most * 2)
		return;
	opener_stack_more(o, room < SAMPLE_LEAST + o->stack_most * 4 ? 2 : 4);
	s->late = UINT64_MAX;
}

void
session_stack(struct session *s, uint32_t stack_size, bool user_chain)
{
	struct opener *o = &s->opener;
	uint32_t size = o->capture.stack_size;
	bool chain = o->capture.user_chain;

	if (stack_size > size)
		find_room(s);
	opener_stack(o, stack_size, user_chain);
	if (s->tracer.pid)
		tracer_stack(&s->tracer, o->capture.stack_size);
	else if ((o->capture.stack_size != size || user_chain != chain) && !reopen(s))
		opener_stack(o, size, chain);
}

void
session_wait_stack(struct session *s, uint32_t stack_size)
{
	uint32_t size = s->opener.capture.wait_stack_size;

	s->opener.capture.wait_stack_size = s->wait_most && stack_size > s->wait_most ? s->wait_most : stack_size;
	if (s->opener.capture.wait_stack_size != size && !reopen(s))
		s->opener.capture.wait_stack_size = size;
}

/* -F max is what can be had: twice the time between samples, each of which counts for that.  False where that cannot be told.
 * Threads that were born to their events get new ones, as their period stays; and how long they ran counts no more. */
static bool
slow_down(struct session *s)
{
	const struct capture *c = &s->opener.capture;
	bool threads = s->opener.reach == REACH_THREADS;

	if (!c->freq_max || s->tracer.pid || !c->event[0].is_time || c->nevent > 1 || s->ticked || s->slower == SLOWER_MOST ||
	    !watches_period(&s->watches, period(s) * 2))
		return false;
	s->slower++;
	s->slowed = clock_now();
	if (threads && reopen(s)) {
		s->weights.period = 0;
		s->slowed = s->new_since;
	} else if (threads) {
		s->slower--;
		watches_period(&s->watches, period(s));
		return false;
	}
	return true;
}

/* A ring is filling up: less of the stacks is copied, first of those of waits, which are many more than samples. */
static void
press(struct session *s, uint64_t t)
{
	struct opener *o = &s->opener;
	uint32_t size = o->capture.wait_stack_size;
	bool dropped = s->dropped > s->dropped_then;

	note_late(s, t);
	if (o->rings.fullest < PRESSING && !dropped) {
		if (t - s->pressed > 2 * s->late_pause && deep_more(&o->deep))
			s->pressed = t;
		return;
	}
	if (t - s->pressed <= PRESS_PAUSE)
		return;
	s->dropped_then = s->dropped;
	s->late_pause *= s->late_pause < LATE_MOST ? 2 : 1;
	s->late = UINT64_MAX;
	if (s->waits.on && !o->capture.stack_fixed && size >= 2 * WAIT_STACK_LEAST) {
		s->wait_most = size / 4 < WAIT_STACK_LEAST ? WAIT_STACK_LEAST : size / 4;
		session_wait_stack(s, s->wait_most);
	} else if (!deep_less(&o->deep) && opener_stack_less(o, dropped || o->rings.fullest >= PRESSING_HARD)) {
		session_stack(s, o->capture.stack_size, o->capture.user_chain);
	} else if (!slow_down(s)) {
		return;
	}
	s->pressed = t;
}

void
session_drain(struct session *s, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx)
{
	struct rings *rings = &s->opener.rings;
	uint64_t t = clock_now(), first;
	struct cursor bytes;
	struct record r;
	uint32_t places;

	s->sample = sample;
	s->ctx = s->waits.ctx = ctx;
	places = processes_places(s->processes);
	if (s->waits.on && !s->waits.looked)
		wait_look(&s->waits, s->processes, &s->found, s->opener.capture.nevent - 1 - s->opener.shape.raw, sample, ctx);
	tracer_awake(&s->tracer, rings);
	rings_start(rings, final || rings->n == 1 ? RING_EMPTY - 1 : t - RECORD_LATE);
	priority_aside(&s->priority, rings, s->opener.nsample);
	while (rings_next(rings, &bytes)) {
		if (record_parse(&r, &s->opener.shape, bytes))
			continue;
		if (r.type != PERF_RECORD_COMM)   /* they wake the reader, whosever they are */
			s->stirred = t;
		session_record(s, &r);
	}
	if (final)
		session_slept(s, s->until);
	processes_tidy(s->processes, t, final);
	press(s, t);
	ends_urgent(&s->ends, processes_places(s->processes) != places);
	if (!s->tracer.pid && (first = weigh_first(&s->weights, t))) {
		watches_period(&s->watches, first);
		if (s->opener.capture.target == TARGET_COMMAND)
			weigh_account(&s->weights, target_cpu(s->opener.capture.pid[0], &s->cpu_fd));
	}
}

/* Samples that there should be of the CPU time that the target had, but that fell into the kernel, which is not seen.
 * A thread's clock starts with a whole period on each CPU, so that the last one is cut short: half a sample on average. */
static uint64_t
unseen(const struct session *s, const struct total *all)
{
	const struct capture *c = &s->opener.capture;
	uint64_t period = s->opener.freq ? 1000000000 / s->opener.freq : c->count, expected;
	uint64_t known = s->first_event + s->counts.lost + (s->watches.n + (s->weights.period ? 0 : s->born)) / 2;

	if (s->opener.reach != REACH_THREADS || !c->event[0].is_time || c->event[0].kernel || c->event[0].sides_given || !period)
		return 0;
	expected = all[0].running / period;
	return expected > known ? expected - known : 0;
}

uint64_t
session_patience(const struct session *s)
{
	const struct opener *o = &s->opener;
	uint64_t period = s->weights.period ? s->weights.first : o->freq ? 1000000000 / o->freq : 0, room;

	if (s->waits.on || (!o->first && o->rings.fullest > 2 * WOKEN))   /* threads switch as often as they like */
		return 0;
	if (ends_hurry(&s->ends))
		return 0;
	room = o->ring_bytes * period / o->capture.nevent / sample_bytes(s);
	if (o->first)
		return room;
	/* What is done in that time is less where others want the CPUs, too. */
	room = room / PATIENT * o->ncpu / (o->ncpu + s->counts.threads);
	return s->awake < 1000 ? 0 : room / (s->awake / 1000) * (s->ran < s->awake ? s->ran / 1000 : s->awake / 1000);
}

void
session_end_waits(struct session *s, uint64_t time)
{
	wait_over(&s->waits, s->processes, time);
}

void
session_counts(struct session *s, struct session_counts *n)
{
	struct total all[EVENTS_MAX];
	uint64_t lost = 0, parts = deep_lost(&s->opener.deep);

	memcpy(all, s->closed, sizeof all);
	watches_total(&s->opener, &s->watches, all);
	for (unsigned i = 0; i < s->opener.capture.nevent; i++)
		lost += all[i].lost;
	s->counts.enabled_ns = all[0].running;
	s->counts.unseen_samples = unseen(s, all);
	s->counts.freq = s->opener.freq >> s->slower;
	s->counts.stack_size = s->opener.capture.stack_size;
	s->counts.too_short = weigh_left(&s->weights);
	s->counts.reach = reach_words[s->opener.reach];
	s->counts.no_cgroup = s->opener.no_cgroup;
	s->counts.rings = s->opener.nsample;
	s->counts.ring_bytes = s->opener.ring_bytes;
	s->counts.maps_reread = processes_reread(s->processes);
	s->counts.waits = s->waits.counts;
	if (s->tracer.pid)
		tracer_counts(&s->tracer, &s->counts);
	*n = s->counts;
	n->lost -= parts < n->lost ? parts : n->lost;
	if (lost > n->lost)   /* those after which nothing came that could have told of them */
		n->lost = lost;
}

bool
session_kernel_visible(const struct session *s)
{
	return s->opener.capture.event[0].kernel;
}

const struct ladder *
session_ladder(const struct session *s)
{
	return &s->ladder;
}

struct processes *
session_processes(struct session *s)
{
	return s->processes;
}

void
session_close(struct session *s)
{
	struct arena arena = s->arena;

	keeper_rings(NULL);
	priority_lower(&s->priority);
	tracer_close(&s->tracer);
	if (s->cpu_fd > 0)
		close(s->cpu_fd);
	ends_free(&s->ends);
	watches_close(&s->opener, &s->watches);
	watches_forget(&s->watches);
	watches_forget(&s->old);
	opener_free(&s->opener);
	threads_free(&s->found);
	if (s->processes)
		processes_free(s->processes);
	arena_free(&arena);
}
