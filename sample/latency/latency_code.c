/* See latency_code.h.  bpf(2), bpf-helpers(7).  Calls that have begun lie on a stack for each thread, so that recursion nests.
 * A function never returns if longjmp or an exception leaves it: if sp is known, the programs use it to find calls whose frames
 * are gone, and drop these. */
#include "latency_code.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/bpf.h"

/* POP: calls that a program drops at one time. */
enum { CODE_MAX = 480, OUTS_MAX = 24, POP = 6, ASK_COOKIE = 174 /* bpf_get_attach_cookie */, READ_USER = 112, READ_KERNEL };
/* Places on the program's stack. */
enum { KEY = -4, NOW = -16, SITE = -24, BY = -32, GROUP = -56 };

struct code {
	struct bpf_insn at[CODE_MAX];
	uint32_t n, out[OUTS_MAX], nout;
	const struct latency_shape *shape;
};

static void
put(struct code *c, const struct bpf_insn *insn, uint32_t n)
{
	memcpy(c->at + c->n, insn, n * sizeof *insn);
	c->n += n;
}

#define PUT(c, ...) put(c, (const struct bpf_insn[]){ __VA_ARGS__ }, sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))

/* A jump to the end, where the program leaves. */
static void
leave_if(struct code *c, uint8_t op, uint8_t reg, int32_t value)
{
	c->out[c->nout++] = c->n;
	PUT(c, { .code = (uint8_t)(BPF_JMP | op | BPF_K), .dst_reg = reg & 15u, .imm = value });
}

static void
leave(struct code *c)
{
	leave_if(c, BPF_JA, 0, 0);
}

/* At a perf event the value 0 would take the event from everybody who samples it, prof record too; at bpf_link_places' probes 1
 * would remove the probe. */
static void
finish(struct code *c)
{
	for (uint32_t i = 0; i < c->nout; i++)
		c->at[c->out[i]].off = (int16_t)(c->n - c->out[i] - 1);
	PUT(c, BPF_SET(0, !c->shape->places), BPF_LEAVE);
}

/* Makes the jump at FROM go to what comes next. */
static void
land(struct code *c, uint32_t from)
{
	c->at[from].off = (int16_t)(c->n - from - 1);
}

static void
add_atomically(struct code *c, uint8_t to, int16_t at, uint8_t reg)
{
	PUT(c, { .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = to & 15u, .src_reg = reg & 15u, .off = at, .imm = BPF_ADD });
}

/* Adds register 2 (or one) to a count of losses. */
static void
count(struct code *c, enum latency_lost what)
{
	PUT(c, BPF_SET(2, 1), BPF_VALUE(1, MAP_TOLD, 0));
	add_atomically(c, 1, (int16_t)(what * 8), 2);
}

/* Loads SIZE bytes of the program's input, r6. */
static void
load_bytes(struct code *c, uint8_t reg, int16_t at, uint8_t size)
{
	struct bpf_insn load = BPF_LOAD(reg & 15u, 6, at);

	load.code = (uint8_t)(BPF_LDX | BPF_MEM | (size == 8 ? BPF_DW : size == 4 ? BPF_W : size == 2 ? BPF_H : BPF_B));
	put(c, &load, 1);
}

/* Loads a word of it. */
static void
load_word(struct code *c, uint8_t reg, int16_t at)
{
	load_bytes(c, reg, at, c->shape->word);
}

/* r0: the value in MAP of the key at AT on the stack, or 0. */
static void
look_up(struct code *c, int map, int16_t at)
{
	PUT(c, BPF_MAP(1, map), BPF_COPY(2, 10), BPF_DO(BPF_ADD, 2, at), BPF_ASK(BPF_FUNC_map_lookup_elem));
}

/* As needed, makes a new value for the key at AT, from the bytes at FROM in MAP_TOLD's value; r0: the value, or 0. */
static void
look_up_or_make(struct code *c, int map, int16_t at, size_t from)
{
	uint32_t there;

	look_up(c, map, at);
	there = c->n;
	PUT(c, BPF_IF(BPF_JNE, 0, 0, 0));
	PUT(c, BPF_MAP(1, map), BPF_COPY(2, 10), BPF_DO(BPF_ADD, 2, at), BPF_VALUE(3, MAP_TOLD, (int32_t)from), BPF_SET(4, BPF_NOEXIST),
	    BPF_ASK(BPF_FUNC_map_update_elem));
	look_up(c, map, at);
	land(c, there);
}

/* r7: the thread's pids; leaves if it is not one of those. */
static void
check_whom(struct code *c)
{
	PUT(c, BPF_ASK(BPF_FUNC_get_current_pid_tgid), BPF_COPY(7, 0));
	if (c->shape->whom == WHOM_CGROUP) {
		PUT(c, BPF_MAP(1, MAP_WHOM), BPF_SET(2, 0), BPF_ASK(BPF_FUNC_current_task_under_cgroup));
		leave_if(c, BPF_JNE, 0, 1);
	} else if (c->shape->whom != WHOM_ALL) {
		if (c->shape->whom == WHOM_PROCESSES)
			PUT(c, BPF_DO(BPF_RSH, 0, 32));
		PUT(c, BPF_STORE_W(10, KEY, 0));
		look_up(c, MAP_WHOM, KEY);
		leave_if(c, BPF_JEQ, 0, 0);
	}
}

/* Puts the site onto the stack. */
static void
find_site(struct code *c)
{
	if (!c->shape->syscalls) {
		PUT(c, BPF_COPY(1, 6), BPF_ASK(ASK_COOKIE), BPF_STORE(10, SITE, 0));
		return;
	}
	PUT(c, BPF_LOAD(1, 6, 8), BPF_STORE(10, SITE, 1));
	leave_if(c, BPF_JGE, 1, LATENCY_SYSCALLS);
	PUT(c, BPF_VALUE(2, MAP_TOLD, offsetof(struct latency_told, wanted)), BPF_DO_REG(BPF_ADD, 2, 1),
	    { .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 1, .src_reg = 2 });
	leave_if(c, BPF_JEQ, 1, 0);
}

/* r2: call number r1 of r9. */
static void
call_at(struct code *c)
{
	PUT(c, BPF_COPY(2, 1), BPF_DO(BPF_AND, 2, LATENCY_DEPTH - 1), BPF_DO(BPF_MUL, 2, sizeof(struct latency_call)), BPF_DO_REG(BPF_ADD, 2, 9));
}
enum { IN_CALLS = offsetof(struct latency_calls, call) };

/* Reads N bytes at address r8 onto the stack; r0 is 0 if there are any. */
static void
read_memory(struct code *c, int32_t n)
{
	const int32_t readers[] = { READ_USER, READ_KERNEL };

	PUT(c, BPF_PUT(10, BY, 0));
	for (unsigned i = 0; i < 1u + c->shape->kernel; i++) {
		if (i)
			PUT(c, BPF_IF(BPF_JEQ, 0, 0, 5));
		PUT(c, BPF_COPY(1, 10), BPF_DO(BPF_ADD, 1, BY), BPF_SET(2, n), BPF_COPY(3, 8), BPF_ASK(readers[i]));
	}
}

/* r1: the number that calls are told apart by.  Uses r8. */
static void
load_value(struct code *c)
{
	const struct latency_value *v = &c->shape->value;
	uint32_t failed[PROBE_ARG_DEPTH], end;
	int32_t spare = 64 - 8 * v->size;

	load_bytes(c, 1, v->at, c->shape->tracepoint && !c->shape->syscalls ? v->size : c->shape->word);
	for (unsigned i = 0; i < v->depth; i++) {
		PUT(c, BPF_COPY(8, 1), BPF_DO(BPF_ADD, 8, v->off[i]));
		read_memory(c, i + 1 < v->depth ? c->shape->word : v->size);
		failed[i] = c->n;
		PUT(c, BPF_IF(BPF_JNE, 0, 0, 0), BPF_LOAD(1, 10, BY));
	}
	if (spare)
		PUT(c, BPF_DO(BPF_LSH, 1, spare), BPF_DO((v->is_signed ? BPF_ARSH : BPF_RSH), 1, spare));
	if (!v->depth)
		return;
	end = c->n;
	PUT(c, BPF_IF(BPF_JA, 0, 0, 0));
	for (unsigned i = 0; i < v->depth; i++)
		land(c, failed[i]);
	PUT(c, { .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .imm = (int32_t)(LATENCY_UNKNOWN & 0xffffffff) }, { .imm = INT32_MIN });
	land(c, end);
}

/* Drops calls whose sp (plus POPPED) is below r8: r1 of them remain. */
static void
drop_left(struct code *c, int32_t popped)
{
	uint32_t done[2 * POP], n = 0;

	for (unsigned i = 0; i < POP; i++) {
		done[n++] = c->n;
		PUT(c, BPF_IF(BPF_JEQ, 1, 0, 0), BPF_COPY(3, 1), BPF_DO(BPF_SUB, 1, 1));
		call_at(c);
		PUT(c, BPF_COPY(1, 3), BPF_LOAD(4, 2, IN_CALLS + (int16_t)offsetof(struct latency_call, sp)), BPF_DO(BPF_ADD, 4, popped));
		done[n++] = c->n;
		PUT(c, BPF_IF_REG(BPF_JGE, 4, 8, 0), BPF_DO(BPF_SUB, 1, 1), BPF_STORE(9, 0, 1), BPF_COPY(5, 1));
		count(c, LOST_LEFT);
		PUT(c, BPF_COPY(1, 5));
	}
	for (uint32_t i = 0; i < n; i++)
		land(c, done[i]);
}

static int
load(struct code *c, const int *map, const char *name)
{
	uint32_t type = c->shape->tracepoint ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;

	return bpf_program_for(type, c->shape->places ? BPF_FOR_PLACES : 0, c->at, c->n, map, name);
}

int
latency_code_begin(const struct latency_shape *s, const int *map)
{
	struct code c = { .shape = s };
	uint32_t fits;

	PUT(&c, BPF_COPY(6, 1));
	check_whom(&c);
	if (s->syscalls)
		find_site(&c);
	PUT(&c, BPF_COPY(1, 7), BPF_STORE_W(10, KEY, 1));
	if (s->by == PER_THREAD)
		PUT(&c, BPF_DO(BPF_LSH, 1, 32), BPF_DO(BPF_RSH, 1, 32));
	else if (s->by == PER_PROCESS)
		PUT(&c, BPF_DO(BPF_RSH, 1, 32));
	else if (s->by == PER_ARGUMENT)
		load_value(&c);
	else
		PUT(&c, BPF_SET(1, 0));
	PUT(&c, BPF_STORE(10, BY, 1));
	if (s->sp_at)
		load_word(&c, 8, s->sp_at);
	else
		PUT(&c, BPF_SET(8, 0));
	look_up_or_make(&c, MAP_CALLS, KEY, offsetof(struct latency_told, no_calls));
	PUT(&c, BPF_IF(BPF_JNE, 0, 0, 0));
	fits = c.n - 1;
	count(&c, LOST_ROOM);
	leave(&c);
	land(&c, fits);
	PUT(&c, BPF_COPY(9, 0));
	if (s->sp_at) {
		PUT(&c, BPF_LOAD(1, 9, 0));
		drop_left(&c, 0);
	} else if (s->syscalls) {   /* system calls do not nest; one that does not return is over */
		PUT(&c, BPF_SET(1, 0));
	} else {
		PUT(&c, BPF_LOAD(1, 9, 0));
	}
	PUT(&c, BPF_IF(BPF_JLT, 1, LATENCY_DEPTH, 0));
	fits = c.n - 1;
	count(&c, LOST_DEEP);
	leave(&c);
	land(&c, fits);
	call_at(&c);
	PUT(&c, BPF_DO(BPF_ADD, 1, 1), BPF_STORE(9, 0, 1), BPF_STORE(2, IN_CALLS + (int16_t)offsetof(struct latency_call, sp), 8), BPF_LOAD(1, 10, BY),
	    BPF_STORE(2, IN_CALLS + (int16_t)offsetof(struct latency_call, by), 1), BPF_COPY(8, 2), BPF_ASK(BPF_FUNC_ktime_get_ns),
	    BPF_STORE(8, IN_CALLS + (int16_t)offsetof(struct latency_call, time), 0));
	finish(&c);
	return load(&c, map, "prof_begin");
}

/* Leaves in a thread that is new: it returns from the call by which another thread made it. */
static void
leave_if_new(struct code *c)
{
	static const int calls[] = {
#ifdef SYS_fork
		SYS_fork, SYS_vfork,
#endif
		SYS_clone, 435 /* clone3 */
	};
	uint32_t old = c->n + 1;

	if (!c->shape->syscalls)
		return;
	load_word(c, 1, 16);
	PUT(c, BPF_IF(BPF_JNE, 1, 0, 0), BPF_LOAD(1, 10, SITE));
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		leave_if(c, BPF_JEQ, 1, calls[i]);
	land(c, old);
}

/* r8: the bucket of the duration r7. */
static void
find_bucket(struct code *c)
{
	PUT(c, BPF_COPY(8, 7), BPF_SET(2, 0));
	for (int k = 32; k; k /= 2)
		PUT(c, BPF_COPY(3, 8), BPF_DO(BPF_RSH, 3, 5 + k), BPF_IF(BPF_JEQ, 3, 0, 2), BPF_DO(BPF_RSH, 8, k), BPF_DO(BPF_ADD, 2, k));
	PUT(c, BPF_DO(BPF_MUL, 2, HISTOGRAM_PART), BPF_DO_REG(BPF_ADD, 8, 2), BPF_IF(BPF_JLT, 8, HISTOGRAM_BUCKETS, 1), BPF_SET(8, HISTOGRAM_BUCKETS - 1));
}

/* Gives a sample of a slow call: r7 is its length, r8 its bucket times 8. */
static void
give_slow(struct code *c)
{
	static const struct bpf_insn this_cpu = { .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = 3, .imm = -1 };   /* BPF_F_CURRENT_CPU */

	PUT(c, BPF_VALUE(1, MAP_TOLD, offsetof(struct latency_told, least)), BPF_LOAD(2, 1, 0));
	c->out[c->nout++] = c->n;
	PUT(c, BPF_IF_REG(BPF_JLT, 8, 2, 0), BPF_LOAD(3, 1, 8), BPF_DO(BPF_ADD, 3, 1), BPF_STORE(1, 8, 3),
	    BPF_IF(BPF_JLT, 3, (int32_t)c->shape->slowest, 3), BPF_DO(BPF_ADD, 2, 8), BPF_STORE(1, 0, 2), BPF_PUT(1, 8, 0));
	PUT(c, BPF_STORE(10, NOW, 7), BPF_COPY(1, 6), BPF_MAP(2, MAP_OUTPUT));
	put(c, &this_cpu, 1);
	PUT(c, BPF_COPY(4, 10), BPF_DO(BPF_ADD, 4, SITE), BPF_SET(5, NOW - SITE + 8), BPF_ASK(BPF_FUNC_perf_event_output));
}

int
latency_code_end(const struct latency_shape *s, const int *map)
{
	struct code c = { .shape = s };
	uint32_t known, some, fits;

	PUT(&c, BPF_COPY(6, 1), BPF_ASK(BPF_FUNC_ktime_get_ns), BPF_STORE(10, NOW, 0));
	find_site(&c);
	PUT(&c, BPF_ASK(BPF_FUNC_get_current_pid_tgid), BPF_STORE_W(10, KEY, 0));
	look_up(&c, MAP_CALLS, KEY);
	PUT(&c, BPF_COPY(9, 0));
	known = c.n;
	PUT(&c, BPF_IF(BPF_JNE, 0, 0, 0));
	check_whom(&c);
	leave_if_new(&c);
	count(&c, LOST_BEGUN);
	leave(&c);
	land(&c, known);
	PUT(&c, BPF_LOAD(1, 9, 0));
	if (s->sp_at) {
		load_word(&c, 8, s->sp_at);
		drop_left(&c, s->popped);
	}
	some = c.n;
	PUT(&c, BPF_IF(BPF_JNE, 1, 0, 0));
	count(&c, LOST_BEGUN);
	leave(&c);
	land(&c, some);
	PUT(&c, BPF_DO(BPF_SUB, 1, 1));
	call_at(&c);
	if (s->sp_at) {   /* the top call may be a caller's: then the beginning of this call is not known */
		PUT(&c, BPF_LOAD(3, 2, IN_CALLS + (int16_t)offsetof(struct latency_call, sp)), BPF_DO(BPF_ADD, 3, s->popped));
		fits = c.n;
		PUT(&c, BPF_IF_REG(BPF_JLE, 3, 8, 0));
		count(&c, LOST_BEGUN);
		leave(&c);
		land(&c, fits);
	}
	PUT(&c, BPF_STORE(9, 0, 1), BPF_LOAD(7, 10, NOW), BPF_LOAD(3, 2, IN_CALLS + (int16_t)offsetof(struct latency_call, time)),
	    BPF_DO_REG(BPF_SUB, 7, 3), BPF_LOAD(1, 2, IN_CALLS + (int16_t)offsetof(struct latency_call, by)));
	leave_if(&c, BPF_JSLT, 7, 0);
	if (s->by == PER_VALUE)
		load_value(&c);
	PUT(&c, BPF_STORE(10, GROUP, 1), BPF_LOAD(1, 10, SITE), BPF_STORE_W(10, GROUP + 8, 1), BPF_ASK(BPF_FUNC_get_smp_processor_id),
	    BPF_STORE_W(10, GROUP + 12, 0));
	find_bucket(&c);
	look_up_or_make(&c, MAP_GROUPS, GROUP, offsetof(struct latency_told, no_durations));
	fits = c.n;
	PUT(&c, BPF_IF(BPF_JNE, 0, 0, 0));
	count(&c, LOST_GROUP);
	leave(&c);
	land(&c, fits);
	PUT(&c, BPF_SET(1, 1));
	add_atomically(&c, 0, offsetof(struct histogram, count), 1);
	add_atomically(&c, 0, offsetof(struct histogram, total), 7);
	PUT(&c, BPF_LOAD(2, 0, offsetof(struct histogram, most)), BPF_IF_REG(BPF_JGE, 2, 7, 1), BPF_STORE(0, offsetof(struct histogram, most), 7),
	    BPF_DO(BPF_LSH, 8, 3), BPF_DO_REG(BPF_ADD, 0, 8));
	add_atomically(&c, 0, offsetof(struct histogram, bucket), 1);
	if (s->slowest)
		give_slow(&c);
	finish(&c);
	return load(&c, map, "prof_end");
}

int
latency_code_fork(const int *map, int16_t child_at)
{
	struct latency_shape s = { .tracepoint = true, .word = 8 };
	struct code c = { .shape = &s };
	uint32_t other;
	struct bpf_insn child = { .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 7, .src_reg = 6, .off = child_at };

	PUT(&c, BPF_COPY(6, 1));
	put(&c, &child, 1);
	PUT(&c, BPF_ASK(BPF_FUNC_get_current_pid_tgid), BPF_DO(BPF_RSH, 0, 32), BPF_STORE_W(10, KEY, 0));
	look_up(&c, MAP_WHOM, KEY);
	PUT(&c, BPF_STORE_W(10, KEY, 7), BPF_MAP(1, MAP_WHOM), BPF_COPY(2, 10), BPF_DO(BPF_ADD, 2, KEY));
	other = c.n;
	PUT(&c, BPF_IF(BPF_JEQ, 0, 0, 0), BPF_COPY(3, 2), BPF_SET(4, 0), BPF_ASK(BPF_FUNC_map_update_elem));
	leave(&c);
	land(&c, other);
	PUT(&c, BPF_ASK(BPF_FUNC_map_delete_elem));   /* another thread had this pid before */
	finish(&c);
	return load(&c, map, "prof_fork");
}

struct event
latency_slow_event(void)
{
	return (struct event){ .name = "slowest calls", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .user = true, .kernel = true,
	                       .period = 1, .slow = true, .no_kernel_chain = true };
}
