/* See deep_stack.h.  bpf(2), bpf-helpers(7).  A program at a perf event runs in the interrupt, ahead of what the kernel writes of
 * the sample; the user's registers lie at the top of the task's kernel stack (struct pt_regs). */
#include "deep_stack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "perf.h"

/* TOP_NONE: the top is not known, so the program reads nothing more.  BEYOND: the bytes of main that a walk may want beyond
 * the last frame.  PATIENCE: if the program once read too little in a place, it may read too much there so many times. */
enum { TOP_NONE = 1, BEYOND = 1 << 10, PATIENCE = 64, MIX = 0x61c88647 };

/* A part as it is written. */
struct part {
	uint64_t from;
	uint8_t bytes[DEEP_PART];
};

static uint32_t
region(uint64_t sp)
{
	return (uint32_t)((sp >> DEEP_REGION) * MIX >> DEEP_REGION) & ((1u << DEEP_REGIONS) - 1);
}

static int
load(int told, int buffers, int events)
{
	enum { KEY = -4, SAMPLE = -16, LEFT = -24 };   /* on its stack */
	enum { TOLD, BUFFERS, EVENTS, LOADS_SP = 4 };
	static const struct bpf_insn table[] = {
		BPF_COPY(6, 1),
		BPF_ASK(BPF_FUNC_get_current_task_btf),
		BPF_COPY(1, 0),
		BPF_ASK(BPF_FUNC_task_pt_regs),
		BPF_LOAD(7, 0, 0),   /* perf_sp_at */
		/* r8: the region's top */
		BPF_COPY(2, 7),
		BPF_DO(BPF_RSH, 2, DEEP_REGION),
		BPF_DO(BPF_MUL, 2, MIX),
		BPF_DO(BPF_RSH, 2, DEEP_REGION),
		BPF_DO(BPF_AND, 2, (1 << DEEP_REGIONS) - 1),
		BPF_DO(BPF_LSH, 2, 3),
		BPF_VALUE(1, TOLD, offsetof(struct deep_told, top)),
		BPF_DO_REG(BPF_ADD, 1, 2),
		BPF_LOAD(8, 1, 0),
		BPF_IF(BPF_JNE, 8, 0, 1),
		BPF_SET(8, -1),
		/* r7: where the kernel's copy ends; r8 is not further from it than is allowed */
		BPF_VALUE(1, TOLD, 0),
		BPF_LOAD(2, 1, offsetof(struct deep_told, copied)),
		BPF_DO_REG(BPF_ADD, 7, 2),
		BPF_LOAD(2, 1, offsetof(struct deep_told, most)),
		BPF_DO_REG(BPF_ADD, 2, 7),
		BPF_IF_REG(BPF_JLE, 8, 2, 1),
		BPF_COPY(8, 2),
		BPF_IF_REG(BPF_JGE, 7, 8, 40),
		BPF_DO(BPF_AND, 7, -DEEP_PAGE),   /* from that page on */
		/* r9: this CPU's buffer */
		BPF_ASK(BPF_FUNC_get_smp_processor_id),
		BPF_STORE_W(10, KEY, 0),
		BPF_MAP(1, BUFFERS),
		BPF_COPY(2, 10),
		BPF_DO(BPF_ADD, 2, KEY),
		BPF_ASK(BPF_FUNC_map_lookup_elem),
		BPF_IF(BPF_JEQ, 0, 0, 31),
		BPF_COPY(9, 0),
		BPF_STORE(10, SAMPLE, 6),
		BPF_SET(1, DEEP_PARTS),
		BPF_STORE(10, LEFT, 1),
		/* a part; r6: its bytes so far */
		BPF_STORE(9, offsetof(struct part, from), 7),
		BPF_SET(6, offsetof(struct part, bytes)),
		/* a page of it */
		BPF_COPY(1, 9),
		BPF_DO_REG(BPF_ADD, 1, 6),
		BPF_SET(2, DEEP_PAGE),
		BPF_COPY(3, 7),
		BPF_ASK(BPF_FUNC_probe_read_user),
		BPF_IF(BPF_JNE, 0, 0, 5),
		BPF_DO(BPF_ADD, 6, DEEP_PAGE),
		BPF_DO(BPF_ADD, 7, DEEP_PAGE),
		BPF_IF_REG(BPF_JGE, 7, 8, 2),
		BPF_IF(BPF_JNE, 6, sizeof(struct part), -10),
		BPF_IF(BPF_JA, 0, 0, 2),
		/* the last: all is read, or there is no memory; told at once, for the verifier to look no further */
		BPF_SET(1, 1),
		BPF_STORE(10, LEFT, 1),
		BPF_IF(BPF_JEQ, 6, offsetof(struct part, bytes), 11),
		BPF_LOAD(1, 10, SAMPLE),
		BPF_MAP(2, EVENTS),
		{ .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = 3, .imm = -1 },   /* BPF_F_CURRENT_CPU */
		BPF_COPY(4, 9),
		BPF_COPY(5, 6),
		BPF_ASK(BPF_FUNC_perf_event_output),
		BPF_LOAD(1, 10, LEFT),
		BPF_DO(BPF_SUB, 1, 1),
		BPF_STORE(10, LEFT, 1),
		BPF_IF(BPF_JNE, 1, 0, -27),
		/* and the kernel's own part of the sample */
		BPF_SET(0, 1),
		BPF_LEAVE,
	};

	struct bpf_insn code[sizeof table / sizeof *table];

	memcpy(code, table, sizeof code);
	code[LOADS_SP].off = perf_sp_at;
	return bpf_program(BPF_PROG_TYPE_PERF_EVENT, code, sizeof code / sizeof *code, (const int[]){ told, buffers, events }, 0, "prof_deep");
}

/* An event that writes into RING what the program gives. */
static bool
open_event(struct deep *d, const struct ring *ring)
{
	static const struct record_shape raw = { .raw = true };
	struct deep_cpu *c = &d->cpu[ring->cpu];
	struct perf_event_attr a = { 0 };
	int fd;

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_BPF_OUTPUT;
	a.sample_type = record_sample_type(&raw);
	a.sample_period = 1;
	a.read_format = PERF_FORMAT_LOST;
	a.sample_id_all = a.watermark = a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	if ((fd = perf_open(&a, -1, ring->cpu, -1, 0)) < 0 && errno == EINVAL) {   /* before Linux 6.0 what is lost is not told */
		a.read_format = 0;
		fd = perf_open(&a, -1, ring->cpu, -1, 0);
	}
	if (fd < 0)
		return false;
	c->fd = fd;
	return perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned)ring->fd) &&
	       perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)&d->id[ring->cpu]) && bpf_map_set(d->events, (uint32_t)ring->cpu, &fd);
}

static bool
make_room(struct deep *d, const struct ring *ring, uint32_t n)
{
	uint8_t *p;

	for (uint32_t i = 0; i < n; i++)
		d->ncpu = (uint32_t)ring[i].cpu + 1 > d->ncpu ? (uint32_t)ring[i].cpu + 1 : d->ncpu;
	d->room = d->ncpu * (sizeof *d->cpu + sizeof *d->id + DEEP_MOST);
	p = mmap(NULL, d->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	d->cpu = (void *)p;
	d->id = (void *)(d->cpu + d->ncpu);
	for (uint32_t i = 0; i < d->ncpu; i++)
		d->cpu[i] = (struct deep_cpu){ .fd = -1, .bytes = (uint8_t *)(d->id + d->ncpu) + (size_t)i * DEEP_MOST };
	return true;
}

static bool
make_program(struct deep *d)
{
	int told = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof *d->told, 1, BPF_F_MMAPABLE), buffers;
	void *p;

	if (told < 0)
		return false;
	p = mmap(NULL, sizeof *d->told, PROT_READ | PROT_WRITE, MAP_SHARED, told, 0);
	buffers = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(struct part), d->ncpu, 0);
	d->events = bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, d->ncpu, 0);
	if (p != MAP_FAILED)
		d->told = p;
	if (d->told && buffers >= 0 && d->events >= 0)
		d->program = load(told, buffers, d->events);
	close(told);
	if (buffers >= 0)
		close(buffers);
	return d->program > 0;
}

bool
deep_open(struct deep *d, const struct ring *ring, uint32_t n)
{
	/* While a program runs that a probe or a tracepoint started, the kernel takes no sample for an event that has one. */
	bool all = perf_sp_at && !bpf_traces() && make_room(d, ring, n) && make_program(d);

	for (uint32_t i = 0; all && i < n; i++)
		all = open_event(d, &ring[i]);
	if (!all) {
		deep_close(d);
		return false;
	}
	d->told->most = DEEP_MOST;
	return true;
}

void
deep_close(struct deep *d)
{
	for (uint32_t i = 0; i < d->ncpu && d->cpu; i++)
		if (d->cpu[i].fd >= 0)
			close(d->cpu[i].fd);
	if (d->program > 0)
		close(d->program);
	if (d->events > 0)
		close(d->events);
	if (d->told)
		munmap(d->told, sizeof *d->told);
	if (d->cpu)
		munmap(d->cpu, d->room);
	memset(d, 0, sizeof *d);
}

void
deep_copied(struct deep *d, uint64_t bytes)
{
	if (d->program)
		d->told->copied = bytes;
}

void
deep_beyond(struct deep *d, uint64_t bytes)
{
	if (d->program)
		d->told->most = bytes;
}

void
deep_part(struct deep *d, const struct record *r)
{
	struct deep_cpu *c = &d->cpu[r->cpu];
	struct rest *rest = &c->rest;

	if (c->tid != r->tid || r->part.from != rest->lo + rest->size || rest->size + r->part.size > DEEP_MOST)
		*rest = (struct rest){ .lo = r->part.from, .bytes = c->bytes };
	c->tid = r->tid;
	if (r->part.size > DEEP_MOST)
		return;
	memcpy(c->bytes + rest->size, r->part.bytes, (size_t)r->part.size);
	rest->size += r->part.size;
}

struct rest
deep_rest(struct deep *d, const struct record *r, uint64_t sp, uint64_t size)
{
	struct deep_cpu *c = r->cpu < d->ncpu ? &d->cpu[r->cpu] : NULL;
	struct rest rest = { 0 };

	if (c && c->tid == r->tid && sp + size - c->rest.lo < c->rest.size)
		rest = c->rest;
	if (c)
		c->rest.size = 0;
	d->mean += rest.size / 16 - d->mean / 256;
	return rest;
}

uint64_t
deep_mean(const struct deep *d)
{
	return d->mean / 16;
}

void
deep_learn(struct deep *d, uint64_t sp, const struct rest *rest, uint64_t used, bool cut)
{
	uint32_t i = region(sp);
	uint64_t *top = &d->told->top[i], end = sp + used;

	if (cut) {
		d->patience[i] = *top ? PATIENCE : d->patience[i];
		*top = 0;
	} else if (*top != TOP_NONE && *top < end) {
		*top = end + BEYOND;
	} else if (rest->size && end < rest->lo && *top > rest->lo + DEEP_PAGE && !d->patience[i]--) {
		*top = TOP_NONE;
		d->patience[i] = 0;
	}
}

uint64_t
deep_lost(const struct deep *d)
{
	uint64_t n = 0, v[2];

	for (uint32_t i = 0; i < d->ncpu; i++)
		if (d->cpu[i].fd >= 0 && read(d->cpu[i].fd, v, sizeof v) == sizeof v)
			n += v[1];
	return n;
}
