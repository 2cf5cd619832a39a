/* See record.h.  <linux/perf_event.h>: enum perf_event_type has each record's layout, PERF_RECORD_SAMPLE the order of a
 * sample's parts, sample_id_all the trailer of all others. */
#include "record.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

enum {
	HEADER = 8,
	/* After the header of a sample: identifier, ip, pid and tid, time. */
	SAMPLE_TIME = HEADER + 24, SAMPLE_MIN = SAMPLE_TIME + 8,
	/* The trailer of the others: pid and tid, time, cpu, identifier. */
	TRAILER = RECORD_TRAILER, TRAILER_TIME = 24,
	/* Before the name in a KSYMBOL: address, length, type and flags. */
	KSYMBOL_NAME = HEADER + 16,
};

uint64_t
record_sample_type(const struct record_shape *s)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	if (s->period)
		type |= PERF_SAMPLE_PERIOD;
	if (s->chain)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (s->raw)
		type |= PERF_SAMPLE_RAW;
	if (s->stack)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	if (s->kernel_regs)
		type |= PERF_SAMPLE_REGS_INTR;
	return type;
}

static bool
has_zero_byte(uint64_t v)
{
	return (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);
}

uint64_t
record_size(uint32_t type, uint64_t size, uint64_t trailer, uint64_t (*word)(const void *of, uint64_t off), const void *of)
{
	uint64_t end = KSYMBOL_NAME;
	bool whole = false;

	if (type != PERF_RECORD_KSYMBOL)
		return size;
	for (; !whole && end + 8 + trailer <= size; end += 8)
		whole = has_zero_byte(word(of, end));
	return whole ? end + trailer : size;
}

uint64_t
record_word(const void *of, uint64_t off)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)of + off, sizeof v);
	return v;
}

uint64_t
record_time_offset(uint32_t type, uint64_t size)
{
	if (type == PERF_RECORD_SAMPLE)
		return size >= SAMPLE_MIN ? SAMPLE_TIME : 0;
	return size >= HEADER + TRAILER ? size - TRAILER_TIME : 0;
}

/* N words that stay where they are; NULL (and BAD set) where there are fewer. */
static const uint64_t *
words(struct cursor *c, uint64_t n)
{
	return n > cur_left(c) / 8 ? (cur_take(c, UINT64_MAX), NULL) : (const uint64_t *)(const void *)cur_take(c, n * 8);
}

static void
parse_stack(struct record *r, struct cursor *c)
{
	uint64_t size = cur_u64(c), used;
	const uint8_t *bytes;

	if (!size)
		return;
	bytes = cur_take(c, size);
	used = cur_u64(c);
	if (c->bad)
		return;
	if (used > size)   /* the kernel says this of its own copy; but it bounds reads */
		used = size;
	r->sample.stack = bytes;
	r->sample.stack_size = used;
}

/* The kernel rounds up the program's bytes, with their length, to a multiple of 8; a part ends with a page. */
static void
parse_part(struct record *r, struct cursor *c)
{
	struct cursor raw = cur_sub(c, cur_u32(c));

	r->type = RECORD_PART;
	r->part.head = cur_take(&raw, RECORD_HEAD);
	r->part.size = cur_left(&raw) / RECORD_PAGE * RECORD_PAGE;
	r->part.bytes = cur_take(&raw, r->part.size);
	if (raw.bad)
		c->bad = raw.bad;
}

static void
parse_sample(struct record *r, const struct record_shape *shape, struct cursor *c)
{
	r->id = cur_u64(c);
	r->sample.ip = cur_u64(c);
	r->pid = (int32_t)cur_u32(c);
	r->tid = (int32_t)cur_u32(c);
	r->time = cur_u64(c);
	r->cpu = cur_u32(c);
	cur_u32(c);
	if (r->cpu < shape->nparts && shape->part[r->cpu] == r->id) {
		parse_part(r, c);
		return;
	}
	if (shape->period)
		r->sample.period = cur_u64(c);
	if (shape->chain) {
		r->sample.nchain = cur_u64(c);
		r->sample.chain = words(c, r->sample.nchain);
	}
	if (shape->raw)
		r->sample.raw = cur_sub(c, cur_u32(c));
	if (shape->stack) {
		r->sample.abi = cur_u64(c);
		if (r->sample.abi != PERF_SAMPLE_REGS_ABI_NONE)
			r->sample.regs = words(c, shape->regs);
		parse_stack(r, c);
	}
	if (shape->kernel_regs && cur_u64(c) != PERF_SAMPLE_REGS_ABI_NONE)
		r->sample.kernel_regs = words(c, shape->kernel_regs);
}

static void
parse_trailer(struct record *r, struct cursor c)
{
	r->pid = (int32_t)cur_u32(&c);
	r->tid = (int32_t)cur_u32(&c);
	r->time = cur_u64(&c);
	r->cpu = cur_u32(&c);
	cur_u32(&c);
	r->id = cur_u64(&c);
}

static void
parse_build_id(struct record *r, struct cursor *c)
{
	uint8_t n = cur_u8(c);
	const uint8_t *id;

	cur_take(c, 3);
	if ((id = cur_take(c, sizeof r->map.build_id)) && n <= sizeof r->map.build_id) {
		memcpy(r->map.build_id, id, n);
		r->map.build_id_len = n;
	}
}

static void
parse_map(struct record *r, struct cursor *c)
{
	r->pid = (int32_t)cur_u32(c);
	r->tid = (int32_t)cur_u32(c);
	r->map.lo = cur_u64(c);
	r->map.size = cur_u64(c);
	r->map.off = cur_u64(c);
	if (r->type == PERF_RECORD_MMAP) {
		r->map.exec = !(r->misc & PERF_RECORD_MISC_MMAP_DATA);
	} else {
		if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			parse_build_id(r, c);
		} else {
			r->map.maj = cur_u32(c);
			r->map.min = cur_u32(c);
			r->map.ino = cur_u64(c);
			r->map.gen = cur_u64(c);
		}
		r->map.exec = cur_u32(c) & PROT_EXEC;
		cur_u32(c);
	}
	r->map.path = cur_str(c);
	if (!c->bad && r->map.size > UINT64_MAX - r->map.lo)
		c->bad = "a mapping lies beyond the address space";
}

static void
parse_ksymbol(struct record *r, struct cursor *c)
{
	struct symbol *s = &r->ksymbol.code;

	s->lo = cur_u64(c);
	s->hi = s->lo + cur_u32(c);
	r->ksymbol.bpf = cur_u16(c) == PERF_RECORD_KSYMBOL_TYPE_BPF;
	r->ksymbol.gone = cur_u16(c) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	s->name = cur_str(c);
	if (!c->bad && s->hi < s->lo)
		c->bad = "a symbol lies beyond the address space";
}

void
record_body(struct record *r, struct cursor *c)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		parse_map(r, c);
		break;
	case PERF_RECORD_COMM:
		r->pid = (int32_t)cur_u32(c);
		r->tid = (int32_t)cur_u32(c);
		r->comm.name = cur_str(c);
		r->comm.exec = r->misc & PERF_RECORD_MISC_COMM_EXEC;
		break;
	case PERF_RECORD_KSYMBOL:
		parse_ksymbol(r, c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		r->pid = (int32_t)cur_u32(c);
		r->task.ppid = (int32_t)cur_u32(c);
		r->tid = (int32_t)cur_u32(c);
		r->task.ptid = (int32_t)cur_u32(c);
		break;
	case PERF_RECORD_READ:   /* as attr_of's read_format has it */
		r->pid = (int32_t)cur_u32(c);
		r->tid = (int32_t)cur_u32(c);
		cur_take(c, 16);
		r->running = cur_u64(c);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->turn.out = r->misc & PERF_RECORD_MISC_SWITCH_OUT;
		r->turn.runnable = r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_LOST:
		cur_u64(c);
		r->lost = cur_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost = cur_u64(c);
		break;
	}
}

const char *
record_parse(struct record *r, const struct record_shape *shape, struct cursor c)
{
	const uint8_t *record = c.pos;
	uint64_t size = cur_left(&c);
	struct cursor body;

	memset(r, 0, sizeof *r);
	r->type = cur_u32(&c);
	r->misc = cur_u16(&c);
	cur_u16(&c);
	if (r->type == PERF_RECORD_SAMPLE) {
		parse_sample(r, shape, &c);
		return c.bad;
	}
	if (r->type >= RECORD_PART || cur_left(&c) < TRAILER)
		return "a record has an unknown type, or no trailer";
	body = cur_sub(&c, record_size(r->type, size, TRAILER, record_word, record) - HEADER - TRAILER);
	parse_trailer(r, c);
	record_body(r, &body);
	return body.bad;
}

struct chains
record_chains(const uint64_t *chain, uint64_t n)
{
	struct chains found = { 0 };
	uint64_t mark = 0;

	for (uint64_t i = 0, from = 0; i <= n; i++) {
		if (i < n && chain[i] < (uint64_t)PERF_CONTEXT_MAX)
			continue;
		if (mark == (uint64_t)PERF_CONTEXT_KERNEL && !found.nkernel) {
			found.kernel = chain + from;
			found.nkernel = (uint32_t)(i - from);
		} else if (mark == (uint64_t)PERF_CONTEXT_USER && !found.nuser) {
			found.user = chain + from;
			found.nuser = (uint32_t)(i - from);
		}
		if (i < n)
			mark = chain[i];
		from = i + 1;
	}
	return found;
}
