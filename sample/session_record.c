/* See session_record.h. */
#include "session_record.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/index.h"
#include "sym/kernel/made_code.h"
#include "sample/events/cpu.h"
#include "sample/tasks/process.h"

/* The event that has ID, or had it before the last session_stack. */
static const struct watch *
watch_of(const struct session *s, uint64_t id)
{
	const struct watch *w = watches_find(&s->watches, id);

	return w ? w : watches_find(&s->old, id);
}

/* The event of a sample: false where it is one too many. */
static bool
event_of(struct session *s, const struct record *r, const struct task *t, uint32_t *event)
{
	const struct watch *w;

	*event = 0;
	if (s->tracer.pid) {
		*event = r->id < s->opener.capture.nevent ? (uint32_t)r->id : 0;
		return true;
	}
	if (s->opener.capture.nevent == 1 && !t->counted.own)
		return true;
	if ((w = watches_find(&s->watches, r->id))) {
		*event = w->event;
		return !t->counted.own || w->tid == t->counted.own;
	}
	if ((w = watches_find(&s->old, r->id)))
		*event = w->event;
	return true;
}

/* A thread can have only one tracer. */
static void
note_tracer(struct session *s, const char *comm)
{
	static const char *const names[] = { "gdb", "gdbserver", "lldb-server", "ltrace", "rr", "strace" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(comm, names[i]))
			s->counts.tracer = names[i];
}

/* Whether each occurrence of EVENT is a sample.  A breakpoint's old event is told before its new one, so these are not. */
static bool
is_each(const struct session *s, uint32_t event)
{
	const struct event *e = &s->opener.capture.event[event];

	return (e->period ? e->period : s->opener.capture.count) == 1 && e->type != PERF_TYPE_BREAKPOINT && !e->waits && !s->tracer.pid;
}

/* While the old events and the new ones run together for a moment, all that comes from the new ones is one too many, but for
 * events of which each occurrence counts. */
static bool
is_too_early(const struct session *s, const struct record *r)
{
	const struct watch *w;

	return r->id >= s->new_id && r->time < s->new_since && !((w = watch_of(s, r->id)) && is_each(s, w->event));
}

/* Those are told by both.  The kernel calls the new event first and the old one right after it. */
static bool
is_told_twice(const struct session *s, const struct record *r, struct task_counted *t, uint32_t event)
{
	bool fresh = r->id >= s->new_id, twice = !fresh && t->told_in == s->weights.opened && t->told == event + 1;

	t->told_in = s->weights.opened;
	t->told = fresh ? event + 1 : 0;
	return twice && is_each(s, event);
}

/* Whether the kernel samples that event at a rate, and does not tell of each occurrence, or each so many. */
static bool
is_by_rate(const struct session *s, const struct event *e)
{
	return !e->waits && !e->wakes && (e->freq || (s->opener.freq && !e->period));
}

/* Whether prof leaves the next sample out.  Chance chooses one of each few in a row: one in a fixed place might always be of the same
 * CPU, or of the same moment of a loop. */
static bool
leaves_out(struct session *s, uint32_t cpu)
{
	struct turn *t = &s->turn[cpu % TURNS];

	if (!t->left && s->pressure.want.one_of > 1) {
		t->of = t->left = s->pressure.want.one_of;
		t->pick = hash_u64(t->n++ | (uint64_t)cpu << 32) % t->of;
	}
	return t->left && t->left - 1 != t->pick;
}

/* For how many samples this one stands; 0: prof leaves it out. */
static uint32_t
stands_for(struct session *s, uint32_t cpu)
{
	struct turn *t = &s->turn[cpu % TURNS];
	bool out = leaves_out(s, cpu);

	if (!t->left)
		return 1;
	t->left--;
	return out ? 0 : t->of;
}

/* Whether the sample that this part of a stack is of will be left out: copying parts costs more than all the rest of it. */
static bool
is_part_of_none(struct session *s, uint32_t cpu)
{
	return s->opener.capture.nevent == 1 && is_by_rate(s, &s->opener.capture.event[0]) && leaves_out(s, cpu);
}

static void
count_sample(struct session *s, struct task *t, const struct sample *out)
{
	s->counts.samples += out->count;
	s->first_event += out->event == 0 ? out->count : 0;
	s->counts.threads += !t->counted.sampled;
	s->counts.processes += !t->process->sampled;
	t->counted.sampled = t->process->sampled = true;
}

/* Adds the user side.  A thread that has ended has none.  A thread in the middle of an exec has none, either: its registers
 * are still those from before. */
static void
add_user_side(struct session *s, struct sample *out, const struct record *r, const struct chains *chains)
{
	if (out->task->dead || process_is_starting(out->task->process, out->kernel, out->time))
		return;
	/* An exec takes the memory away before its record comes: registers without a stack belong to the old program. */
	if (r->sample.regs && !(out->kernel && r->sample.stack && !r->sample.stack_size)) {
		out->regs = r->sample.regs;
		out->nregs = s->opener.shape.regs;
		out->regs32 = sizeof(void *) == 8 && r->sample.abi == PERF_SAMPLE_REGS_ABI_32;
		out->stack = r->sample.stack;
		out->stack_size = r->sample.stack_size;
		out->arg = s->opener.capture.event[out->event].waits ? out->regs[s->opener.capture.prstatus[0].arg] : 0;
		if (s->opener.deep.told && !s->opener.capture.event[out->event].waits) {
			out->deep = &s->opener.deep;
			out->rest = deep_rest(out->deep, r, &out->thread);
			s->counts.deep += out->rest.n != 0;
		}
	}
	out->uchain = chains->user;
	out->nuchain = chains->nuser;
	if (out->regs || out->nuchain || !out->kernel)
		out->unsure = !process_ready(out->task->process, out->time);
}

/* Since when a CPU may have slept. */
static uint64_t
since(const struct session *s, uint64_t last)
{
	uint64_t begin = s->since + s->opener.capture.delay;

	return last > begin ? last : begin;
}

/* For how many samples this one counts.  A sleeping CPU may be late for its timer, and miss some samples although the clock
 * ran on.  On a virtual machine half of them may be missing, or all. */
static uint64_t
ticks(struct session *s, const struct record *r)
{
	uint64_t *last = &s->ticked[r->cpu < CPUS_MAX ? r->cpu : 0];
	uint64_t from = since(s, *last), period = 1000000000 / s->opener.freq;

	*last = r->time;
	return !r->tid && r->time > from + period ? (r->time - from + period / 2) / period : 1;
}

/* Until this record the CPU may have been busy without a sample. */
static void
knows_no_sleep(struct session *s, const struct record *r)
{
	if (s->ticked)
		s->ticked[r->cpu < CPUS_MAX ? r->cpu : 0] = r->time;
}

static void on_sample(struct session *, const struct record *);

/* What CPU slept before T.  One that shows no sample for two periods ran nothing. */
static void
slept(struct session *s, uint32_t cpu, uint64_t t)
{
	struct record r = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL, .cpu = cpu, .time = t };

	if (t > since(s, s->ticked[cpu < CPUS_MAX ? cpu : 0]) + 2 * UINT64_C(1000000000) / s->opener.freq)
		on_sample(s, &r);
}

/* The switches of the idle task, and of threads that have ended, belong to no thread. */
static bool
is_nobodys(const struct session *s, const struct record *r)
{
	const struct watch *w = s->waits.on && r->tid <= 0 ? watch_of(s, r->id) : NULL;

	return w && s->opener.capture.event[w->event].waits && !s->opener.capture.event[w->event].wakes;
}

/* False if the sample shows a waking that is of no concern.  Most are, because prof sees the wakings of the whole system. */
static bool
wakes_somebody(struct session *s, const struct record *r, struct sample *out)
{
	const struct watch *w = watch_of(s, r->id);

	return !w || !s->opener.capture.event[w->event].wakes ||
	       (out->wakes = wait_woken(s->processes, r, &out->interrupt));
}

/* Whether the process is outside of prof's pid namespace: all such processes have the number of the idle task. */
static bool
is_strangers(const struct record *r, const struct sample *out)
{
	return r->pid == 0 && r->tid == 0 && (!out->kernel || r->sample.regs);
}

static void
on_sample(struct session *s, const struct record *r)
{
	struct sample out = { .ip = r->sample.ip, .cpu = r->cpu, .raw = r->sample.raw, .kernel_regs = r->sample.kernel_regs,
	                      .nkernel_regs = s->opener.shape.kernel_regs };
	struct chains chains = record_chains(r->sample.chain, r->sample.nchain);

	out.period = s->opener.shape.period ? r->sample.period : s->opener.capture.count;
	out.kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	if (is_too_early(s, r) || is_nobodys(s, r) || (s->opener.wakes && !wakes_somebody(s, r, &out)))
		return;
	if (r->pid == 0 && r->tid == 0 && !is_strangers(r, &out) && s->opener.reach != REACH_THREADS && !s->opener.capture.idle) {
		s->counts.idle++;
		return;
	}
	if (is_strangers(r, &out)) {
		s->counts.strangers++;
		processes_comm(s->processes, 0, 0, "[other pid ns]", false, r->time);
	}
	/* A thread that has given back its number (-1) counts for its process. */
	if (!(out.task = processes_task(s->processes, r->pid, r->tid < 0 ? r->pid : r->tid))) {
		s->counts.lost += s->opener.reach != REACH_TREE;   /* with REACH_TREE it belongs to another process */
		s->counts.others += s->opener.reach == REACH_TREE;
		return;
	}
	if (process_is_before_exec(out.task->process))   /* the end of prof's own child, which is the command's beginning */
		return;
	if (!event_of(s, r, out.task, &out.event) || is_told_twice(s, r, &out.task->counted, out.event))
		return;
	out.of = &s->opener.capture.event[out.event];
	if (s->ticked && r->tid && !out.event)
		slept(s, r->cpu, r->time - 1000000000 / s->opener.freq);
	if (!out.wakes && s->opener.capture.event[out.event].waits)
		wait_stack(&s->waits, out.task, r->time);
	else if (!out.wakes && !(out.count = out.event ? 1 : s->ticked ? ticks(s, r) : weigh_sample(&s->weights, out.task, out.period)))
		return;
	out.count <<= s->slower - (r->time < s->slowed);
	if (is_by_rate(s, out.of) && !(s->ticked && !r->tid)) {   /* one of an idle CPU may count for seconds, and costs nothing */
		uint32_t n = stands_for(s, r->cpu);

		s->came++;
		s->counts.left_out += !n;
		if (!n)
			return;
		out.count *= n;
	}
	if (!out.wakes)
		count_sample(s, out.task, &out);
	if (s->waits.wall && !out.event)
		out.ran = wait_ran(&s->waits, out.task, r->time);
	out.time = s->last_time = r->time > s->last_time ? r->time : s->last_time;
	out.kchain = chains.kernel;
	out.nkchain = chains.nkernel;
	add_user_side(s, &out, r, &chains);
	if (s->tracer.pid && out.event && out.regs) {   /* the thread sleeps and prof did not stop it, so prof knows only these registers */
		out.sp_only = true;
		out.sp = out.regs[s->opener.capture.prstatus[0].sp];
		out.arg = out.regs[s->opener.capture.prstatus[0].arg];
		out.regs = NULL;
	}
	s->sample(s->ctx, &out);
}

void
session_slept(struct session *s, uint64_t t)
{
	for (uint32_t i = 0; s->ticked && i < s->opener.nsample; i++)
		slept(s, (uint32_t)s->opener.rings.ring[i].cpu, t);
}

/* False if it is not a process's code: pid -1 is the kernel and its modules, 0 strangers. */
static bool
mapped_code(const struct record *r, struct file_id *id)
{
	*id = (struct file_id){ .path = r->map.path, .maj = r->map.maj, .min = r->map.min, .ino = r->map.ino, .gen = r->map.gen,
	                        .build_id_len = r->map.build_id_len };
	memcpy(id->build_id, r->map.build_id, sizeof id->build_id);
	return r->map.exec && r->pid > 0;
}

static void
on_map(struct session *s, const struct record *r)
{
	struct file_id id;

	if (!mapped_code(r, &id))
		return;
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

/* Whether the record tells what strangers do.  Even where events are on threads, those that tell of executions are not: see
 * open_tracks. */
static bool
is_other(const struct session *s, const struct record *r)
{
	if (r->type != PERF_RECORD_COMM && r->type != PERF_RECORD_FORK && r->type != PERF_RECORD_EXIT && r->type != PERF_RECORD_MMAP2)
		return false;
	return !r->pid || (s->opener.reach == REACH_THREADS && s->opener.rings.n > s->opener.nsample &&
	                   !processes_find(s->processes, r->type == PERF_RECORD_FORK ? r->task.ppid : r->pid));
}

/* Whether it is a target, or one has just forked it. */
static bool
is_targets(const struct session *s, int32_t pid)
{
	bool is = (s->opener.reach != REACH_THREADS && s->opener.reach != REACH_TREE) || processes_find(s->processes, pid);

	for (unsigned i = 0; i < COMING && !is; i++)
		is = s->coming[i] == pid;
	return is && pid > 0;
}

void
session_ahead(struct session *s)
{
	struct cursor bytes;
	struct record r;
	struct file_id id;

	while (s->opener.capture.inherit && rings_ahead(&s->opener.rings, PERF_RECORD_FORK, &bytes))
		if (!record_parse(&r, &s->opener.shape, bytes) && r.pid != r.task.ppid && is_targets(s, r.task.ppid))
			s->coming[s->ncoming++ % COMING] = r.pid;
	while (rings_ahead(&s->opener.rings, PERF_RECORD_MMAP2, &bytes))
		if (!record_parse(&r, &s->opener.shape, bytes) && is_targets(s, r.pid) && mapped_code(&r, &id))
			processes_ahead(s->processes, r.pid, r.map.lo, r.map.lo + r.map.size, &id);
}

/* Whether there are rings that tell only what processes execute and map; and whether the ring with the loss is one of them: then
 * no sample is among the lost records. */
static bool
has_tracks(const struct session *s)
{
	return s->opener.rings.n > s->opener.nsample && !s->tracer.pid;
}

static bool
is_of_tracks(const struct session *s, const struct record *r)
{
	const struct opener *o = &s->opener;

	return has_tracks(s) && !watch_of(s, r->id) &&
	       !(r->cpu < o->shape.nparts && o->shape.part[r->cpu] == r->id);
}

void
session_record(struct session *s, const struct record *r)
{
	if (is_other(s, r))
		return;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		on_sample(s, r);
		deep_forget(&s->opener.deep, r->cpu);   /* the sample may be of no concern, its parts are of no other */
		break;
	case RECORD_PART:
		if (!is_part_of_none(s, r->cpu))
			deep_part(&s->opener.deep, r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		on_map(s, r);
		break;
	case PERF_RECORD_COMM:
		if (r->time < s->since)   /* what it maps was not recorded yet */
			break;
		processes_comm(s->processes, r->pid, r->tid, r->comm.name, r->comm.exec, r->time);
		if (s->tracer.pid && r->comm.exec)
			note_tracer(s, r->comm.name);
		if (s->gone && r->comm.exec)
			s->gone(s->ctx, r->pid, true, r->time);
		break;
	case PERF_RECORD_FORK:
		s->born++;
		processes_fork(s->processes, r->pid, r->tid, r->task.ppid, r->task.ptid, r->time);
		break;
	case PERF_RECORD_EXIT:
		if (s->opener.reach != REACH_THREADS && processes_is_exec(s->processes, r->pid, r->tid))   /* events on CPUs go on */
			return;
		if (s->waits.on && s->opener.reach == REACH_SYSTEM)   /* makes it known, so that later samples see that it is dead */
			processes_task(s->processes, r->pid, r->tid);
		processes_exit(s->processes, r->pid, r->tid, r->time);
		if (s->gone && processes_over(s->processes, r->pid, r->tid))
			s->gone(s->ctx, r->pid, false, r->time);
		break;
	case PERF_RECORD_KSYMBOL:
		if (!r->ksymbol.gone)
			made_code_add(s->modules, &r->ksymbol.code, r->ksymbol.bpf);
		break;
	case PERF_RECORD_READ:
		on_read(s, r);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (!is_of_tracks(s, r)) {
			s->counts.lost += r->lost;
			s->dropped += r->lost;
		}
		knows_no_sleep(s, r);
		if (!has_tracks(s) || is_of_tracks(s, r))   /* else all that matters is in another ring */
			processes_lost(s->processes, r->time);
		deep_forget(&s->opener.deep, r->cpu);   /* a part of them, or their sample, may be lost */
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	case PERF_RECORD_UNTHROTTLE:
		knows_no_sleep(s, r);
		break;
	}
	if (s->waits.on)
		wait_record(&s->waits, s->processes, r);
}
