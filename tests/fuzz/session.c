/* A stream of records as the session takes them in: processes that fork, execute, map, wait and end, in any order.  Beside the maps
 * that children borrow there are plain ones, copied at each fork, and both must be equal at each sample.  Input: 4 bytes for what the
 * capture is, then records of a byte each and what they need; tests/fuzz/proc is /proc. */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/proc.h"
#include "tests/fuzz/harness/session_model.h"

#include "sample/tasks/process.c"
#include "sample/session_record.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS = 3, WATCHES = 9, OLD = 4, SINCE = 1000000000, CPUS = 2, PAGES_OF_STACK = 64 };

static const struct event all_events[][EVENTS] = {
	{ { .is_time = true, .user = true, .kernel = true }, { .user = true } },
	{ { .is_time = true, .user = true, .kernel = true }, { .waits = true }, { .waits = true, .wakes = true } },
};
static const char *const paths[] = { "/bin/a", "/lib/b", "", "//anon", "[vdso]", "[heap]", "/memfd:c", "/tmp/jit-5.dump", "[jit]", "/lib/c",
                                     "[vsyscall]", "/jit-8388609.dump", "/SYSV0", "/b\xff\n\x1b[2J", "/dev/shm/d", "/lib/d" };
static const char *const names[] = { "", "a", "swapper", "name of fifteen", "\xff\xfe\n\x1b", "perf", "exe", "a name that is longer than fifteen" };

static struct ring ring[CPUS];
static uint64_t ticks_of[CPUS_MAX];
static uint8_t rests[CPUS][DEEP_ROOM];
static struct piece pieces[CPUS][DEEP_ROOM / DEEP_PAGE];
static _Alignas(8) uint8_t stack[PAGES_OF_STACK * RECORD_PAGE];
static uint64_t regs[4];
static struct event events[EVENTS];
static struct deep_cpu deep_cpus[CPUS];
static struct deep_head head;

/* The samples that the session reported. */
static struct {
	uint64_t time, samples, waits, ns;
	struct session *s;
	struct {
		uint64_t to;               /* when its last wait ended */
	} task[MODEL_PIDS + 2][MODEL_PIDS + 2];
} got;

/* Numbers that no process has. */
static int32_t
id(unsigned n)
{
	return n == MODEL_PIDS ? 0 : n > MODEL_PIDS ? -1 : (int32_t)n | 1 << 23;
}

static unsigned
slot(int32_t pid)
{
	return pid < 0 ? MODEL_PIDS + 1 : pid == 0 ? MODEL_PIDS : (unsigned)pid % MODEL_PIDS;
}

static void
on_waited(void *ctx, const struct wait *w)
{
	uint64_t *to = &got.task[slot(w->task->pid)][slot(w->task->tid)].to;

	model_assert(ctx == &got && w->from <= w->to && w->to <= got.time);
	if (w->kind == WAIT_NOT)
		return;
	model_assert(w->kind == WAIT_BEFORE || w->from >= *to);
	*to = w->to;
	got.waits++;
	got.ns += w->to - w->from;
}

static void
on_sampled(void *ctx, const struct sample *out)
{
	struct process *p = out->task->process;

	model_assert(ctx == &got && out->time >= SINCE && out->time <= got.time);
	model_assert(out->count || out->wakes || events[out->event].waits);
	model_assert(p->pid == out->task->pid && p->starting != BEFORE_EXEC && out->event < got.s->opener.capture.nevent);
	model_assert(find_task(got.s->processes, out->task->pid, out->task->tid));
	model_assert(strnlen(out->task->comm, sizeof out->task->comm) < sizeof out->task->comm);
	model_assert(out->ran <= out->time && (!out->rest.n || out->rest.piece->size));
	if (!out->wakes)
		got.samples += out->count;
	if (out->wakes)
		model_assert(out->wakes->wait.woken <= got.time && !out->wakes->dead);
	if (out->regs || out->nuchain || (!out->kernel && !out->task->dead))
		model_same(&p->maps);
	space_find(&p->maps.space, out->ip);
	model_found(&p->maps);
}

static void
begin_session(struct session *s, struct cursor *c, struct modules *modules)
{
	uint8_t mode = cur_u8(c), more = cur_u8(c);
	struct capture *k = &s->opener.capture;

	memcpy(events, all_events[mode & 1], sizeof events);
	memset(deep_cpus, 0, sizeof deep_cpus);
	memset(ticks_of, 0, sizeof ticks_of);
	for (unsigned i = 0; i < CPUS; i++) {
		deep_cpus[i] = (struct deep_cpu){ .fd = -1, .bytes = rests[i], .piece = pieces[i] };
		ring[i].cpu = (int)i;
	}
	*s = (struct session){ .modules = modules, .since = SINCE, .until = UINT64_MAX, .new_id = UINT64_MAX,
	                        .pressure.want.one_of = 1 };
	k->event = events;
	k->nevent = mode & 1 ? 2u + (mode >> 1 & 1) : 1u + (mode >> 1 & 1);
	k->idle = mode & 4;
	k->count = 1 + (more & 3) * 1000000;
	k->delay = more & 4 ? 500000 : 0;
	s->opener.reach = (mode >> 3) % 5;
	s->opener.freq = more & 8 ? 999 : 10000;
	s->opener.shape = (struct record_shape){ .period = mode & 64, .stack = true, .regs = 4, .raw = mode & 1 && mode & 2 };
	s->opener.nsample = CPUS;
	s->opener.rings = (struct rings){ .ring = ring, .n = more & 16 ? CPUS : 2 * CPUS };
	s->opener.deep = (struct deep){ .program = more & 32 ? 1 : 0, .cpu = deep_cpus, .ncpu = CPUS };
	s->tracer.pid = mode & 128 && mode & 1 ? 1 : 0;
	s->slower = more >> 6;
	s->slowed = s->slower ? SINCE + 50000000 : 0;
	if (more & 64)
		s->new_id = 6, s->new_since = SINCE + 30000000;
	s->waits = (struct waits){ .on = mode & 1, .wall = mode & 1 && mode & 64, .since = SINCE, .waited = on_waited, .ctx = &got };
	if (s->opener.reach == REACH_SYSTEM && k->idle)
		s->ticked = ticks_of;
	if (s->opener.reach == REACH_THREADS && more & 128)
		weigh_init(&s->weights, 1000000000 / s->opener.freq, mode & 2);
	s->sample = on_sampled;
	s->ctx = &got;
	s->processes = processes_new(modules);
	model_assert(s->processes);
	for (unsigned i = 0; i < WATCHES; i++)
		model_assert(watches_know(i < WATCHES - OLD ? &s->watches : &s->old,
		                          &(struct watch){ .fd = -1, .tid = i % 3 ? -1 : id(i), .event = i % k->nevent, .id = i }));
	if (more & 16)
		processes_partial(s->processes);
	for (unsigned known = cur_u8(c), i = 0; i < 8; i++)
		if (known >> i & 1)
			processes_task(s->processes, id(i), id(i));
	if (s->opener.reach == REACH_TREE)
		processes_only_known(s->processes, cur_u8(c) & 1);
	else
		cur_u8(c);
}

static void
take_sample(struct record *r, struct cursor *c, bool raw)
{
	static uint8_t fields[28];
	uint8_t how = cur_u8(c);

	r->type = PERF_RECORD_SAMPLE;
	r->misc = how & 1 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	r->cpu = how >> 1 & 3;   /* the last two have no ring */
	r->id = cur_u8(c) % (WATCHES + 3);
	r->sample.ip = (uint64_t)cur_u8(c) << 8;
	r->sample.period = (uint64_t)cur_u8(c) << (how >> 3 & 31);
	if (how & 16) {
		r->sample.abi = how & 32 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
		r->sample.regs = regs;
		r->sample.stack = stack;
		r->sample.stack_size = how & 64 ? 0 : RECORD_PAGE;
		regs[0] = (uint64_t)(how >> 6) * RECORD_PAGE;
	}
	memset(fields, 0, sizeof fields);
	fields[2] = how & 24;
	if (raw) {
		int32_t tid = id(cur_u8(c) % MODEL_PIDS);

		memcpy(fields + 24, &tid, sizeof tid);
	}
	r->sample.raw = cur_of(fields, raw ? sizeof fields : how % sizeof fields, false);
}

static void
take_map(struct record *r, struct cursor *c)
{
	uint8_t file = cur_u8(c), place = cur_u8(c), off = cur_u8(c);

	r->type = PERF_RECORD_MMAP2;
	r->map.path = paths[file & 15];
	r->map.ino = file & 15;
	r->map.lo = (uint64_t)(place & 15) * MODEL_PAGE;
	r->map.size = (uint64_t)(place >> 4) * MODEL_PAGE;
	r->map.off = (uint64_t)(off & 31) * MODEL_PAGE;
	r->map.exec = !(file & 128) || off & 128;
}

/* The next record; false if the bytes stand for another action, which this does. */
static bool
take(struct session *s, struct record *r, struct cursor *c)
{
	uint8_t op = cur_u8(c), who = cur_u8(c);
	struct task *t;

	got.time += (uint64_t)(op >> 4) * (op >> 4) * 20000;
	*r = (struct record){ .time = got.time, .pid = id(who & 15), .tid = id(who >> 4) };
	switch (op & 15) {
	case 0:
	case 1:
		take_sample(r, c, op & 1);
		return true;
	case 2:
		take_map(r, c);
		return true;
	case 3:
		r->type = PERF_RECORD_COMM;
		r->comm.name = names[op >> 5];
		r->comm.exec = op & 16;
		return true;
	case 4:
	case 5:
		r->type = PERF_RECORD_FORK;
		who = cur_u8(c);
		r->task.ppid = id(who & 15);
		r->task.ptid = op & 1 ? r->task.ppid : id(who >> 4);
		r->tid = op & 1 ? r->pid : r->tid;
		return true;
	case 6:
		r->type = PERF_RECORD_EXIT;
		return true;
	case 7:
		r->type = op & 16 ? PERF_RECORD_LOST : PERF_RECORD_LOST_SAMPLES;
		r->lost = who;
		r->pid = r->tid = 0;
		return true;
	case 8:
	case 9:
		r->type = op & 1 ? PERF_RECORD_SWITCH : PERF_RECORD_SWITCH_CPU_WIDE;
		r->turn.out = who & 1;
		r->turn.runnable = who & 2;
		r->pid = r->tid = id(who >> 4);
		return true;
	case 10:
		r->type = PERF_RECORD_READ;
		r->id = cur_u8(c) % (WATCHES + 3);
		r->running = (uint64_t)cur_u8(c) << (op >> 3 & 30);
		return true;
	case 11:
		r->type = RECORD_PART;
		r->cpu = who >> 7;
		head.number = who >> 4 & 3;
		for (unsigned i = 0; i < DEEP_PART_PAGES; i++)
			head.page[i] = (uint64_t)(who & 15) * (1 + (who >> 6 & 1) * i) * RECORD_PAGE;
		r->part.head = (const uint8_t *)&head;
		r->part.size = (uint64_t)(cur_u8(c) % PAGES_OF_STACK) * RECORD_PAGE;
		r->part.bytes = stack;
		return true;
	case 12:
		r->type = who & 1 ? PERF_RECORD_THROTTLE : PERF_RECORD_KSYMBOL;
		if (who & 1)
			return true;
		r->ksymbol.code = (struct symbol){ .lo = who, .hi = who + 16u, .name = names[who >> 5] };
		r->ksymbol.bpf = who & 2;
		r->ksymbol.gone = who & 4;
		return true;
	case 13:   /* strangers, and threads that have given back their number */
		take_sample(r, c, false);
		r->pid = id(MODEL_PIDS + (who & 1));
		r->tid = who & 2 ? r->pid : id(who >> 4);
		return true;
	case 14:   /* a long time */
		got.time += UINT64_C(1) << (who & 31);
		if (who & 128 && s->ticked)
			session_slept(s, got.time);
		processes_tidy(s->processes, got.time, who & 64);
		return false;
	default:
		if ((t = processes_known(s->processes, r->pid, r->tid))) {
			if (op & 16)
				process_before_exec(t->process);
			else if (op & 32)
				t->counted.own = t->tid;
			else
				wait_before(&s->waits, t, got.time, op & 64);
		}
		return false;
	}
}

/* Each process counts its threads correctly. All numbers lie in these buckets. */
static void
check_tables(const struct processes *ps)
{
	uint32_t tasks[MODEL_PIDS + 2] = { 0 }, alive[MODEL_PIDS + 2] = { 0 }, dead = 0;

	for (unsigned n = 0; n < MODEL_PIDS + 2; n++)
		for (const struct task *t = n == MODEL_PIDS ? NULL : ps->task[bucket(id(n))]; t; t = t->next) {
			model_assert(t->process->pid == t->pid);
			tasks[slot(t->pid)]++;
			alive[slot(t->pid)] += !t->dead;
			dead += t->dead;
		}
	for (unsigned n = 0; n < MODEL_PIDS + 2; n++)
		for (const struct process *p = n == MODEL_PIDS ? NULL : ps->process[bucket(id(n))]; p; p = p->next) {
			model_assert(p->tasks == tasks[slot(p->pid)] && p->threads == alive[slot(p->pid)]);
			model_sound(&p->maps);
		}
	for (const struct task *t = ps->dead; t; t = t->next_dead, dead--)
		model_assert(t->dead && dead && (t->next_dead || t == ps->last_dead));
	model_assert(!dead);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct session s;
	struct cursor c = cur_of(data, size, false);
	struct modules modules;
	struct record r;

	if (size < 4)
		return 0;
	proc_root = "tests/fuzz/proc";
	memset(&got, 0, sizeof got);
	model_begin();
	model_assert(modules_init(&modules));
	got.time = SINCE - 200000;
	got.s = &s;
	begin_session(&s, &c, &modules);
	while (cur_left(&c)) {
		if (!take(&s, &r, &c))
			continue;
		if (r.time < SINCE && (r.type == PERF_RECORD_SAMPLE || r.type == PERF_RECORD_SWITCH || r.type == PERF_RECORD_SWITCH_CPU_WIDE))
			r.time = got.time = SINCE;   /* events were off until then */
		session_record(&s, &r);
	}
	got.time = got.time > SINCE ? got.time : SINCE;
	if (s.ticked)
		session_slept(&s, got.time);
	wait_over(&s.waits, s.processes, got.time);
	check_tables(s.processes);
	model_assert(s.counts.samples == got.samples && s.waits.counts.waits == got.waits && s.waits.counts.ns == got.ns);
	model_assert(s.waits.counts.unknown_ns < 1ull << 60 && s.waits.counts.before_ns < 1ull << 60 && s.waits.counts.unfinished_ns < 1ull << 60);
	weigh_left(&s.weights);
	watches_forget(&s.watches);
	watches_forget(&s.old);
	processes_free(s.processes);
	modules_free(&modules);
	model_assert(!mem_used());
	return 0;
}
