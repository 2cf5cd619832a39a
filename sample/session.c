/* See session.h.  How a capture goes: events are opened stopped, then started, then what runs already is read from /proc;
 * from there on the kernel's records tell what changes, in the order of time. */
#include "session.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../sym/ksymbol.h"
#include "cpu.h"
#include "ends.h"
#include "foreign.h"
#include "mapped.h"
#include "open.h"
#include "permit.h"
#include "target.h"
#include "weigh.h"

/* Nanoseconds: between two times that stacks are cut; how long the reader sleeps at most, so that what short processes
 * leave behind is still found, and how long less, because nothing is known yet; how late a record may appear. */
#define PRESS_PAUSE UINT64_C(20000000)
#define SLEEP_MOST  INT64_C(50000000)
#define BEGINNING   UINT64_C(200000000)
#define RECORD_LATE UINT64_C(200000)
#define NOT_YET     UINT64_MAX

static const char *const reach_words[] = {
	[REACH_THREADS] = "the threads",
	[REACH_CGROUP] = "the CPUs, for a cgroup of the command's own",
	[REACH_TREE] = "the CPUs, the samples of others left out",
	[REACH_SYSTEM] = "the CPUs",
};

/* Percent of a ring that are in use when the reader comes late. */
enum { PRESSING = 75, PRESSING_HARD = 95 };

struct session {
	struct arena arena;              /* the session itself */
	struct opener opener;
	struct watches watches;
	struct watches old;              /* before the last session_stack: closed, their samples may still come */
	struct processes *processes;
	struct modules *modules;
	struct threads found;            /* at the start */
	uint32_t sure;
	struct total closed[EVENTS_MAX]; /* counted by events closed since */
	struct session_counts counts;
	struct weights weights;
	uint64_t first_event;            /* samples of event 0 */
	uint64_t duplicates;
	uint64_t born;                   /* threads that began under our eyes */
	uint64_t since;                  /* when the events were on */
	uint64_t new_id, new_since;      /* events from that id on count from that time on */
	uint64_t last_time;
	uint64_t *ticked;                /* with --idle: when each CPU was sampled last, by number; else NULL */
	uint64_t pressed;                /* when stacks were cut because a ring was filling up */
	struct ends ends;
	bool realtime, reniced;
	int nice;
	void (*sample)(void *ctx, const struct sample *);
	void *ctx;
};

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The reader must not wait behind those it samples, nor they on a single CPU behind it; its children (there are none but
 * helpers) do not get that. */
static void
raise_priority(struct session *s)
{
	struct sched_param p = { .sched_priority = 1 };

	errno = 0;
	s->nice = getpriority(PRIO_PROCESS, 0);
	if (s->opener.ncpu > 1 && !syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p))
		s->realtime = true;
	else if (!setpriority(PRIO_PROCESS, 0, -20))
		s->reniced = true;
}

static void
lower_priority(struct session *s)
{
	struct sched_param p = { .sched_priority = 0 };

	if (s->realtime)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &p);
	if (s->reniced)
		setpriority(PRIO_PROCESS, 0, s->nice);
}

bool
session_wait(struct session *s, int extra, int64_t timeout_ns)
{
	int64_t most = now() - s->since < BEGINNING ? SLEEP_MOST / 10 : SLEEP_MOST;

	return ends_wait(&s->ends, extra, timeout_ns < 0 || timeout_ns > most ? most : timeout_ns);
}

/* Records. */

/* The event of a sample: false where it is one too many. */
static bool
event_of(struct session *s, const struct record *r, const struct task *t, uint32_t *event)
{
	const struct watch *w;

	*event = 0;
	if (s->opener.capture.nevent == 1 && !t->own)
		return true;
	if ((w = watches_find(&s->watches, r->id))) {
		*event = w->event;
		return !t->own || w->tid == t->own;
	}
	if ((w = watches_find(&s->old, r->id)))
		*event = w->event;
	return true;
}

static void
count_sample(struct session *s, struct task *t, const struct sample *out)
{
	s->counts.samples += out->count;
	s->first_event += out->event == 0 ? out->count : 0;
	s->counts.threads += !t->sampled;
	s->counts.processes += !t->process->sampled;
	t->sampled = t->process->sampled = true;
}

/* Whether the thread's own side is not there yet: its registers are still those from before the exec. */
static bool
is_starting(struct process *p, const struct sample *s)
{
	if (p->starting && (!s->kernel || s->time > p->starting))
		p->starting = 0;
	return p->starting;
}

/* The thread's own side.  What is left of a thread that has ended has none. */
static void
add_user_side(struct sample *out, const struct record *r, const struct chains *chains)
{
	if (out->task->dead || is_starting(out->task->process, out))
		return;
	/* An exec takes the memory away before it tells so: registers without a stack are of what is no more. */
	if (r->sample.regs && !(out->kernel && r->sample.stack && !r->sample.stack_size)) {
		out->regs = r->sample.regs;
		out->regs32 = sizeof(void *) == 8 && r->sample.abi == PERF_SAMPLE_REGS_ABI_32;
		out->stack = r->sample.stack;
		out->stack_size = r->sample.stack_size;
	}
	out->uchain = chains->user;
	out->nuchain = chains->nuser;
	if (out->regs || out->nuchain || !out->kernel)
		mapped_ready(out->task->process, out->time);
}

/* How many samples this one counts for.  A CPU that sleeps may be late for its timer, and then has missed some: a clock
 * that ran on all the same.  Of a machine that is virtual half of them may be missing. */
static uint64_t
ticks(struct session *s, const struct record *r)
{
	uint64_t *last = &s->ticked[r->cpu < CPUS_MAX ? r->cpu : 0], period = 1000000000 / s->opener.freq, n = 1;

	if (!r->tid && *last && r->time > *last + period)
		n = (r->time - *last + period / 2) / period;
	*last = r->time;
	return n;
}

static void
on_sample(struct session *s, const struct record *r)
{
	struct sample out = { .ip = r->sample.ip, .cpu = r->cpu };
	struct chains chains = record_chains(r->sample.chain, r->sample.nchain);

	out.period = s->opener.shape.period ? r->sample.period : s->opener.capture.count;
	out.kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	if (r->id >= s->new_id && r->time < s->new_since)
		return;
	if (r->pid == 0 && r->tid == 0 && out.kernel && s->opener.reach == REACH_SYSTEM && !s->opener.capture.idle) {
		s->counts.idle++;
		return;
	}
	if (!(out.task = processes_task(s->processes, r->pid, r->tid))) {
		s->counts.lost += s->opener.reach != REACH_TREE;   /* there it is another's */
		s->counts.others += s->opener.reach == REACH_TREE;
		return;
	}
	if (out.task->process->starting == NOT_YET)   /* the end of prof's own child, which is the command's beginning */
		return;
	if (!event_of(s, r, out.task, &out.event)) {
		s->duplicates++;
		return;
	}
	if (!(out.count = out.event ? 1 : s->ticked ? ticks(s, r) : weigh_sample(&s->weights, out.task, out.period)))
		return;
	count_sample(s, out.task, &out);
	out.time = s->last_time = r->time > s->last_time ? r->time : s->last_time;
	out.kchain = chains.kernel;
	out.nkchain = chains.nkernel;
	add_user_side(&out, r, &chains);
	s->sample(s->ctx, &out);
}

static void
on_map(struct session *s, const struct record *r)
{
	struct file_id id = { .path = r->map.path, .maj = r->map.maj, .min = r->map.min, .ino = r->map.ino, .gen = r->map.gen,
	                      .build_id_len = r->map.build_id_len };

	if (!r->map.exec || r->pid < 0)   /* -1: the kernel and its modules */
		return;
	memcpy(id.build_id, r->map.build_id, sizeof id.build_id);
	processes_map(s->processes, r->pid, r->tid, r->map.lo, r->map.lo + r->map.size, r->map.off, &id, r->time);
}

static void
on_read(struct session *s, const struct record *r)
{
	const struct watch *w = s->opener.capture.nevent > 1 ? watches_find(&s->watches, r->id) : NULL;
	struct task *t = processes_task(s->processes, r->pid, r->tid);

	if (t && (!w || w->event == 0))
		weigh_end(&s->weights, t, r->running);
}

/* Where events are on threads, those that tell of executions are not: see open_tracks. */
static bool
is_other(const struct session *s, const struct record *r)
{
	return s->opener.reach == REACH_THREADS && s->opener.rings.n > s->opener.nsample &&
	       (r->type == PERF_RECORD_COMM || r->type == PERF_RECORD_FORK || r->type == PERF_RECORD_EXIT) &&
	       !processes_find(s->processes, r->type == PERF_RECORD_FORK ? r->task.ppid : r->pid);
}

static void
on_record(struct session *s, const struct record *r)
{
	if (is_other(s, r))
		return;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		on_sample(s, r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		on_map(s, r);
		break;
	case PERF_RECORD_COMM:
		if (r->time < s->since)   /* what it maps was not recorded yet */
			break;
		processes_comm(s->processes, r->pid, r->tid, r->comm.name, r->comm.exec, r->time);
		break;
	case PERF_RECORD_FORK:
		s->born++;
		processes_fork(s->processes, r->pid, r->tid, r->task.ppid, r->task.ptid, r->time);
		break;
	case PERF_RECORD_EXIT:
		processes_exit(s->processes, r->pid, r->tid, r->time);
		break;
	case PERF_RECORD_KSYMBOL:
		if (!r->ksymbol.gone)
			ksymbol_add(s->modules, &r->ksymbol.code, r->ksymbol.bpf);
		break;
	case PERF_RECORD_READ:
		on_read(s, r);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		s->counts.lost += r->lost;
		processes_lost(s->processes);
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	}
}

/* Opening and closing. */

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

	if (c->target == TARGET_THREADS || !c->inherit)
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

	if (s->opener.reach == REACH_SYSTEM && s->opener.capture.idle && s->opener.freq && e->is_time)
		s->ticked = arena_alloc(&s->arena, CPUS_MAX * sizeof *s->ticked);
	if (s->opener.reach != REACH_THREADS || !s->opener.freq || !e->is_time || s->opener.capture.target == TARGET_THREADS)
		return;
	if (watches_period(&s->watches, 1000000000 / s->opener.freq + 1))
		weigh_init(&s->weights, 1000000000 / s->opener.freq, e->kernel && e->user);
}

struct session *
session_open(const struct capture *c, struct modules *modules, struct refusal *r)
{
	struct arena arena = { 0 };
	struct session *s = arena_alloc(&arena, sizeof *s);
	int32_t pid;
	int err;

	*r = (struct refusal){ .what = "no memory to start with" };
	if (!s)
		return NULL;
	s->arena = arena;
	s->modules = modules;
	s->new_id = UINT64_MAX;
	if (!opener_init(&s->opener, c, r)) {
		session_close(s);
		return NULL;
	}
	if ((err = opener_open(&s->opener, &s->watches, &s->found, &s->sure, &pid)))
		permit_explain(r, c, pid, err);
	else if ((s->processes = processes_new(modules)) && (c->target == TARGET_COMMAND || choose_processes(s))) {
		note_threads(s, &s->found, s->sure);
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
	int err;

	if ((err = opener_launched(&s->opener, &s->watches))) {
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
session_enable(struct session *s, struct refusal *r)
{
	const struct capture *c = &s->opener.capture;

	if (c->target == TARGET_COMMAND && !take_in_command(s, r))
		return false;
	*r = (struct refusal){ .what = "no memory to start with" };
	if (!ends_init(&s->ends, &s->opener.rings, s->opener.nsample, c))
		return false;
	raise_priority(s);
	s->weights.looked = now();
	if (c->target != TARGET_COMMAND || s->opener.reach != REACH_THREADS)   /* else its exec does */
		watches_enable(&s->watches);
	s->since = now();
	for (unsigned i = 0; c->target == TARGET_PROCESSES && i < c->npid; i++) {
		struct task *t = processes_task(s->processes, c->pid[i], c->pid[i]);

		if (t)
			mapped_ready(t->process, 0);
	}
	return true;
}

void
session_disable(struct session *s)
{
	watches_disable(&s->watches);
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

void
session_stack(struct session *s, uint32_t stack_size, bool user_chain)
{
	struct opener *o = &s->opener;
	struct watches fresh = { 0 };
	struct threads found = { 0 };
	uint32_t sure, size = o->capture.stack_size;
	bool chain = o->capture.user_chain;

	opener_stack(o, stack_size, user_chain);
	if (o->capture.stack_size == size && user_chain == chain)
		return;
	if (o->capture.target == TARGET_THREADS)
		for (unsigned i = 0; i < o->capture.npid; i++)
			threads_add(&found, o->capture.pid[i], o->capture.pid[i]);
	else
		processes_each(s->processes, add_threads, &found);
	if (opener_reopen(o, &fresh, &found, &sure) || !fresh.n) {
		watches_close(&s->opener, &fresh);
		watches_forget(&fresh);
		threads_free(&found);
		opener_stack(o, size, chain);
		return;
	}
	/* Both for a moment, so that no record of a new process or map is missed; of samples only one side counts. */
	if (s->weights.period && !watches_period(&fresh, s->weights.first))
		s->weights.period = 0;
	s->new_id = fresh.watch[0].id;
	s->new_since = UINT64_MAX;
	watches_enable(&fresh);
	watches_disable(&s->watches);
	s->new_since = now();
	watches_forget(&s->old);
	s->old = s->watches;
	s->watches = fresh;
	retire(s, &s->old);
	s->weights.opened++;
	note_threads(s, &found, sure);
	threads_free(&found);
}

void
session_drain(struct session *s, bool final, void (*sample)(void *ctx, const struct sample *), void *ctx)
{
	struct rings *rings = &s->opener.rings;
	uint64_t t = now(), first;
	struct cursor bytes;
	struct record r;
	uint32_t roots;

	s->sample = sample;
	s->ctx = ctx;
	roots = processes_roots(s->processes);
	rings_start(rings, final || rings->n == 1 ? RING_EMPTY - 1 : t - RECORD_LATE);
	while (rings_next(rings, &bytes))
		if (!record_parse(&r, &s->opener.shape, bytes))
			on_record(s, &r);
	processes_tidy(s->processes, t, final);
	if (rings->fullest >= PRESSING && t - s->pressed > PRESS_PAUSE && 
	    opener_stack_less(&s->opener, rings->fullest >= PRESSING_HARD)) {
		s->pressed = t;
		session_stack(s, s->opener.capture.stack_size, s->opener.capture.user_chain);
	}
	ends_urgent(&s->ends, processes_roots(s->processes) != roots);
	if ((first = weigh_first(&s->weights, t))) {
		watches_period(&s->watches, first);
		if (s->opener.capture.target == TARGET_COMMAND)
			weigh_account(&s->weights, target_cpu(s->opener.capture.pid[0]));
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

void
session_counts(struct session *s, struct session_counts *n)
{
	struct total all[EVENTS_MAX];
	uint64_t lost = 0;

	memcpy(all, s->closed, sizeof all);
	watches_total(&s->opener, &s->watches, all);
	for (unsigned i = 0; i < s->opener.capture.nevent; i++)
		lost += all[i].lost;
	if (lost > s->counts.lost)   /* those after which nothing came that could have told of them */
		s->counts.lost = lost;
	s->counts.enabled_ns = all[0].running;
	s->counts.unseen_samples = unseen(s, all);
	s->counts.freq = s->opener.freq;
	s->counts.stack_size = s->opener.capture.stack_size;
	s->counts.too_short = weigh_left(&s->weights);
	s->counts.reach = reach_words[s->opener.reach];
	s->counts.no_cgroup = s->opener.no_cgroup;
	s->counts.rings = s->opener.nsample;
	s->counts.ring_bytes = s->opener.ring_bytes;
	s->counts.maps_reread = processes_reread(s->processes);
	*n = s->counts;
}

bool
session_kernel_visible(const struct session *s)
{
	return s->opener.capture.event[0].kernel;
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

	lower_priority(s);
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
