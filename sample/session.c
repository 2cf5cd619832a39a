/* See session.h.  The life of a capture:
 *
 *     session_open      opens events, stopped; if the kernel refuses them, ptrace stands in (engine)
 *     session_prepare   takes in a command, which the caller has forked by now
 *     session_keep      the keeper goes on with the rights, and this process gives them up
 *     session_enable    starts events; reads from /proc about what runs already when its first sample comes
 *     session_wait      sleeps until rings are full enough to read, or targets have ended (wakeup), no longer than pressure says
 *                       (before that, files that processes have mapped just now are opened: session_ahead)
 *     session_drain     reads records in the order of time across all rings (events/ring), and takes them in one by one
 *                       (session_record); then pressure sees how full the rings were, and the session does what it wants (reopen)
 *     session_disable, session_counts, session_close
 *
 * One process drains the rings and reads files, so that it need not copy a sample's stack.  If a file takes long, a signal
 * handler drains the rings into memory beside them, stops the events at the end of the capture, and gives back a real-time
 * priority (meanwhile).  The work on the file ends at its bounds (lib/work.h), or when it has taken too long.  No handler
 * runs while the kernel waits for a file system.  If a user's process is that file system (FUSE), another process waits for
 * it, and prof waits for that process (lib/asked_file.h).
 *
 * From the start on only the kernel's records tell what changes: forks, execs, mappings and ends.  A record may appear in its
 * ring later than a younger record in another ring, so the youngest records wait for the next round. */
#include "session.h"

#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "lib/answer.h"
#include "lib/clock.h"
#include "lib/watchdog.h"
#include "sample/events/cpu.h"
#include "sample/rights/keeper.h"
#include "sample/tasks/process.h"
#include "reopen.h"
#include "session_record.h"
#include "sample/tasks/target.h"

/* ns that a record may appear late. */
#define RECORD_LATE UINT64_C(200000)
/* ns between looks whether a cgroup has ended. */
#define CGROUP_EACH UINT64_C(50000000)
/* ns between looks at what processes have mapped, while records are taken in. */
#define MAPPED_EACH UINT64_C(500000)

static const char *const reach_words[] = {
	[REACH_THREADS] = "the threads",
	[REACH_CGROUP] = "the CPUs, for a cgroup of the command's own",
	[REACH_GIVEN] = "the CPUs, for that cgroup",
	[REACH_TREE] = "the CPUs; prof leaves out samples of others",
	[REACH_SYSTEM] = "the CPUs",
};

static bool
cgroup_has_ended(struct session *s)
{
	uint64_t t = clock_now();

	if (s->opener.reach != REACH_GIVEN || t - s->looked_at_cgroup < CGROUP_EACH)
		return false;
	s->looked_at_cgroup = t;
	return cgroup_over(&s->opener.cgroup);
}

bool
session_wait(struct session *s, int extra, int64_t timeout_ns)
{
	uint64_t t = clock_now();
	int64_t most = pressure_sleep(&s->pressure, t - s->since, t - s->stirred, s->modules->jits);
	bool going;

	if (!s->opener.first && s->woke)
		pressure_awake(&s->pressure, t - s->woke, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->woke_cpu);
	watchdog_look(false);
	priority_again(&s->priority, s->opener.door ? s->opener.door->first : NULL);
	going = wakeup_wait(&s->wakeup, extra, timeout_ns < 0 || timeout_ns > most ? most : timeout_ns);
	watchdog_look(true);
	session_ahead(s);
	watchdog_look(false);   /* its signals would end the rest */
	wakeup_rest(&s->wakeup, pressure_nap(&s->pressure, s->opener.rings.n));
	watchdog_look(true);
	s->woke = clock_now();
	if (!s->opener.first)
		s->woke_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return going && !cgroup_has_ended(s);
}

bool
session_called(const struct session *s)
{
	return s->wakeup.called;
}

/* Leaves out samples of other processes, if events are on CPUs. */
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
	session_note_threads(s, &s->found, s->sure);
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
	else if (s->opener.reach == REACH_THREADS && s->opener.shape.period && e->is_time && s->opener.capture.target != TARGET_THREADS &&
	         watches_period(&s->watches, 1000000000 / s->opener.freq + 1))
		weigh_init(&s->weights, 1000000000 / s->opener.freq, e->kernel && e->user);
}

struct session *
session_open(const struct capture *c, struct modules *modules, struct refusal *r)
{
	struct arena arena = { 0 };
	struct session *s = arena_alloc(&arena, sizeof *s);

	*r = (struct refusal){ .what = "out of memory" };
	if (!s)
		return NULL;
	s->arena = arena;
	s->modules = modules;
	s->new_id = UINT64_MAX;
	s->gone = c->gone;
	s->waits.waited = c->waited;
	s->waits.on = c->waited != NULL;
	s->waits.wall = c->wall;
	if (!engine_open(s, c, r)) {
		session_close(s);
		return NULL;
	}
	if ((s->processes = processes_new(modules)) && (c->target == TARGET_COMMAND || choose_processes(s))) {
		s->waits.looked = s->tracer.pid;
		session_note_threads(s, &s->found, s->tracer.pid ? s->found.n : s->sure);
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

	if (!engine_take_in(s, r))
		return false;
	*r = (struct refusal){ .what = "out of memory" };
	if (!choose_processes(s) || !(t = processes_task(s->processes, c->pid[0], c->pid[0])))
		return false;
	process_before_exec(t->process);
	return true;
}

bool
session_prepare(struct session *s, struct refusal *r)
{
	const struct capture *c = &s->opener.capture;

	if (c->target == TARGET_COMMAND && !take_in_command(s, r))
		return false;
	*r = (struct refusal){ .what = "out of memory" };
	if (!wakeup_init(&s->wakeup, &s->opener.rings, s->opener.nsample, c))
		return false;
	priority_raise(&s->priority, s->opener.ncpu > 1);
	return true;
}

bool
session_keep(struct session *s, const struct keeper_also *also)
{
	keeper_rings(&s->opener.rings);
	return keeper_start(&s->opener, s->modules, also);
}

void
session_events(struct session *s, void (*each)(void *ctx, int fd, int32_t cpu), void *ctx)
{
	watches_enable(&s->watches);
	for (uint32_t i = 0; i < s->watches.n; i++)
		each(ctx, s->watches.watch[i].fd, s->watches.watch[i].cpu);
}

void
session_enable(struct session *s)
{
	const struct capture *c = &s->opener.capture;

	s->weights.looked = clock_now();
	if (s->tracer.pid)
		tracer_on(&s->tracer, true);
	else if (c->target != TARGET_COMMAND || s->opener.reach != REACH_THREADS)   /* else the command's exec starts them */
		watches_enable(&s->watches);
	s->since = s->waits.since = clock_now();
	for (unsigned i = 0; c->target == TARGET_PROCESSES && i < c->npid; i++) {
		struct task *t = processes_task(s->processes, c->pid[i], c->pid[i]);

		if (t)
			process_ready(t->process, 0);
	}
}

void
session_disable(struct session *s)
{
	watchdog_start(NULL, NULL);
	if (s->tracer.pid)
		tracer_on(&s->tracer, false);
	watches_disable(&s->watches);
	if (!s->stopped)
		s->until = clock_now();
}

/* Does what may not wait until prof has read a file.  It runs in a signal handler, which interrupts only that reading. */
static void
meanwhile(void *session)
{
	struct session *s = session;
	uint64_t t = clock_now();
	sigset_t pending;

	priority_waive(&s->priority);
	if (rings_save(&s->opener.rings))
		deep_beyond(&s->opener.deep, 0);   /* stacks that are cut are better than samples that are lost */
	if (s->stopped)
		return;
	sigpending(&pending);
	for (int sig = 1; sig < 32 && !s->stopped; sig++)
		s->stopped = sigismember(&s->ends, sig) && sigismember(&pending, sig);
	s->stopped |= s->deadline && t >= s->deadline;
	if (s->stopped) {
		watches_stop(&s->watches);
		answer_hurry();
		s->until = t;
	}
}

void
session_ends(struct session *s, uint64_t deadline, const sigset_t *signals)
{
	s->deadline = deadline;
	s->ends = *signals;
	watchdog_start(meanwhile, s);
}

uint64_t
session_until(const struct session *s)
{
	return s->until;
}

bool
session_used(struct session *s, struct stack_use *samples, struct stack_use *waits)
{
	bool changed = pressure_used(&s->pressure, samples, waits);

	if (!s->stopped)
		session_obey(s);
	return changed;
}

const struct pressure *
session_pressure(const struct session *s)
{
	return &s->pressure;
}

void
session_drain(struct session *s, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx)
{
	struct rings *rings = &s->opener.rings;
	uint64_t t = clock_now(), first, ahead = t, now;
	struct cursor bytes;
	struct record r;

	s->sample = sample;
	s->ctx = s->waits.ctx = ctx;
	session_ahead(s);
	if (s->waits.on && !s->waits.looked)
		wait_look(&s->waits, s->processes, &s->found, s->opener.capture.nevent - 1 - s->opener.wakes, sample, ctx);
	tracer_awake(&s->tracer, rings);
	rings_start(rings, final || rings->n == 1 ? RING_EMPTY - 1 : t - RECORD_LATE);
	priority_aside(&s->priority, rings, s->opener.nsample);
	while (rings_next(rings, &bytes)) {
		if (rings->lost_until)
			processes_lost(s->processes, rings->lost_until);
		if (record_parse(&r, &s->opener.shape, bytes))
			continue;
		if (r.type != PERF_RECORD_COMM)   /* they wake the reader, whatever process they are of */
			s->stirred = t;
		session_record(s, &r);
		if (rings->scarce)
			deep_beyond(&s->opener.deep, 0);   /* see meanwhile */
		if (r.type == PERF_RECORD_SAMPLE && (now = clock_now()) - ahead > MAPPED_EACH) {
			session_ahead(s);
			ahead = now;
		}
	}
	if (final)
		session_slept(s, s->until);
	processes_tidy(s->processes, t, final);
	if (s->stopped)
		return;
	pressure_read(&s->pressure, &(struct pressure_round){
		.time = t,
		.samples = s->came,
		.cpu = pressure_judges(&s->pressure, t) ? clock_ns(CLOCK_PROCESS_CPUTIME_ID) + keeper_cpu() : 0,
		.fullest = rings->fullest,
		.dropped = s->dropped,
		.deep = deep_mean(&s->opener.deep),
		.threads = s->counts.threads,
		.may_slow = session_may_slow(s),
		.new = processes_places(s->processes) != s->places,
	});
	s->places = processes_places(s->processes);
	session_obey(s);
	deep_beyond(&s->opener.deep, s->pressure.want.deep);
	if (!s->tracer.pid && (first = weigh_first(&s->weights, t))) {
		watches_period(&s->watches, first);
		if (s->opener.capture.target == TARGET_COMMAND)
			weigh_account(&s->weights, target_cpu(s->opener.capture.pid[0], &s->cpu_fd));
	}
}

/* Samples that the target's CPU time should have given, but that fell into the kernel, which prof does not see.  A thread's
 * clock starts with a whole period on each CPU, so that the last one is cut short: half a sample on average. */
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

/* Samples that the CPU time of all threads would make, but not that of each by itself: a thread's clock goes on when it comes back,
 * but a sample comes after a whole period.  Half a period of each is no news. */
static uint64_t
unsampled(const struct session *s, const struct total *all, uint64_t too_short)
{
	const struct capture *c = &s->opener.capture;
	uint64_t period = s->opener.freq ? 1000000000 / s->opener.freq : c->count, known = s->first_event + s->counts.lost + too_short;
	uint64_t expected = period ? all[0].running / period : 0;

	if (s->opener.reach != REACH_THREADS || s->tracer.pid || !c->event[0].is_time || !c->event[0].kernel || !c->event[0].user)
		return 0;
	return expected > known ? expected - known : 0;
}

uint64_t
session_spare(const struct session *s)
{
	uint64_t freq = s->opener.freq;

	return pressure_spare(&s->pressure, s->weights.period ? s->weights.first : freq ? 1000000000 / freq : 0);
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
	s->counts.unsampled = unsampled(s, all, s->counts.too_short);
	s->counts.reach = reach_words[s->opener.reach];
	s->counts.no_cgroup = s->opener.no_cgroup;
	s->counts.whole_machine = s->opener.reach == REACH_GIVEN && s->opener.cgroup.root;
	s->counts.crowd = s->opener.crowd;
	s->counts.rings = s->opener.nsample;
	s->counts.ring_bytes = s->opener.ring_bytes;
	s->counts.maps_reread = processes_reread(s->processes);
	s->counts.waits = s->waits.counts;
	if (s->tracer.pid)
		tracer_counts(&s->tracer, &s->counts.stopper);
	*n = s->counts;
	n->lost -= parts < n->lost ? parts : n->lost;
	if (lost > n->lost)   /* records lost so late that no later record could tell of them */
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

	watchdog_start(NULL, NULL);
	keeper_rings(NULL);
	if (s->priority.realtime && s->opener.door)
		s->opener.door->first(false);
	priority_lower(&s->priority);
	tracer_close(&s->tracer);
	if (s->cpu_fd > 0)
		close(s->cpu_fd);
	wakeup_free(&s->wakeup);
	watches_close(&s->opener, &s->watches);
	watches_forget(&s->watches);
	watches_forget(&s->old);
	opener_free(&s->opener);
	threads_free(&s->found);
	if (s->processes)
		processes_free(s->processes);
	arena_free(&arena);
}
