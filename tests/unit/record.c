#include "test.h"
#include "sample/events/record.c"

#include <stdlib.h>

static _Alignas(8) uint8_t bytes[65536];
static size_t len;
static struct record r;

static void u16(uint16_t v) { memcpy(bytes + len, &v, 2); len += 2; }
static void u32(uint32_t v) { memcpy(bytes + len, &v, 4); len += 4; }
static void u64(uint64_t v) { memcpy(bytes + len, &v, 8); len += 8; }

static void
str(const char *s)
{
	size_t n = strlen(s) + 1, whole = (n + 7) & ~(size_t)7;

	memset(bytes + len, 0, whole);
	memcpy(bytes + len, s, n);
	len += whole;
}

static void
begin(uint32_t type, uint16_t misc)
{
	len = 0;
	u32(type);
	u16(misc);
	u16(0);
}

static const char *
parse(const struct record_shape *shape, size_t n)
{
	/* At the very end of its memory, so that a read too far is seen. */
	uint8_t *copy = malloc(n ? n : 1), *at;
	const char *why;

	at = copy;
	memcpy(at, bytes, n);
	why = record_parse(&r, shape, cur_of(at, n, false));
	if (!why && (r.type == PERF_RECORD_SAMPLE || r.type == RECORD_PART)) {   /* keep what it points to */
		memmove(bytes, at, n);
		why = record_parse(&r, shape, cur_of(bytes, n, false));
	}
	free(copy);
	return why;
}

/* Ends a record that is not a sample; every shorter one is refused or at least harmless. */
static const char *
end(void)
{
	static const struct record_shape none;
	uint16_t size;

	u32(11), u32(12), u64(1000), u32(3), u32(0), u64(99);
	size = (uint16_t)len;
	memcpy(bytes + 6, &size, 2);
	for (size_t n = 0; n < len; n++)
		parse(&none, n);
	return record_parse(&r, &none, cur_of(bytes, len, false));
}

/* The record again, with N bytes more of what was there before, as the kernel writes a KSYMBOL. */
static void
longer(size_t n)
{
	static const struct record_shape none;
	uint16_t size = (uint16_t)(len + n);

	memcpy(bytes + 6, &size, 2);
	memset(bytes + len, 0xee, n);
	CHECK(!record_parse(&r, &none, cur_of(bytes, len + n, false)));
}

/* A part of a stack: a sample of another event. */
static void
part(void)
{
	static const uint64_t events[] = { 0, 0, 0, 99 };
	static const struct record_shape shape = { .period = true, .part = events, .nparts = 4 };

	begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	u64(99), u64(0x401000), u32(11), u32(12), u64(1000), u32(3), u32(0);
	u32(RECORD_HEAD + 2 * RECORD_PAGE + 4), u64(0x7000);
	memset(bytes + len, 0, RECORD_HEAD - 8);
	len += RECORD_HEAD - 8;
	memset(bytes + len, 5, 2 * RECORD_PAGE);
	len += 2 * RECORD_PAGE;
	u32(0);
	for (size_t n = 0; n < len; n++)
		CHECK(parse(&shape, n));
	CHECK(!parse(&shape, len));
	CHECK_U64(r.type, RECORD_PART);
	CHECK_U64((uint64_t)r.tid, 12);
	CHECK(r.part.head[1] == 0x70);
	CHECK_U64(r.part.size, 2 * RECORD_PAGE);
	CHECK_U64(r.part.bytes[0], 5);

	begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);   /* the same of a CPU that has no such event */
	u64(99), u64(0x401000), u32(11), u32(12), u64(1000), u32(4), u32(0), u64(1001001);
	CHECK(!parse(&shape, len));
	CHECK_U64(r.type, PERF_RECORD_SAMPLE);
	CHECK_U64(r.sample.period, 1001001);

	begin(RECORD_PART, 0);   /* none comes as what it becomes */
	CHECK(end());
}

static void
sample(void)
{
	static const struct record_shape full = { .period = true, .chain = true, .stack = true, .regs = 3 },
	                                 bare = { .period = true }, less = { 0 };
	size_t whole;

	begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	u64(99), u64(0x401000), u32(11), u32(12), u64(1000), u32(3), u32(0), u64(1001001);
	CHECK(!parse(&bare, len));
	CHECK_U64(r.sample.period, 1001001);
	CHECK(!parse(&less, len));
	CHECK_U64(r.sample.period, 0);
	u64(2), u64((uint64_t)PERF_CONTEXT_KERNEL), u64(0xffffffff81000000);
	u64(PERF_SAMPLE_REGS_ABI_64), u64(7), u64(8), u64(9);
	u64(16), u64(0x1111), u64(0x2222), u64(8);
	whole = len;
	CHECK(!parse(&full, whole));
	CHECK_U64(r.id, 99);
	CHECK_U64(r.sample.ip, 0x401000);
	CHECK_U64(r.pid, 11);
	CHECK_U64(r.tid, 12);
	CHECK_U64(r.time, 1000);
	CHECK_U64(r.cpu, 3);
	CHECK_U64(r.sample.period, 1001001);
	CHECK_U64(r.sample.nchain, 2);
	CHECK_U64(r.sample.chain[1], 0xffffffff81000000);
	CHECK_U64(r.sample.regs[2], 9);
	CHECK_U64(r.sample.stack_size, 8);
	CHECK_U64(r.sample.stack[0], 0x11);
	for (size_t n = 0; n < whole; n++)
		CHECK(parse(&full, n) != NULL);
	CHECK_U64(record_time_offset(PERF_RECORD_SAMPLE, (uint32_t)whole), 32);
}

static void
kernel_thread(void)
{
	static const struct record_shape full = { .period = true, .chain = true, .stack = true, .regs = 3 };

	begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	u64(99), u64(0x401000), u32(11), u32(12), u64(1000), u32(3), u32(0), u64(1);
	u64(0), u64(PERF_SAMPLE_REGS_ABI_NONE), u64(0);
	CHECK(!parse(&full, len));
	CHECK(!r.sample.regs && !r.sample.stack && !r.sample.stack_size);
}

static void
lying_lengths(void)
{
	static const struct record_shape chain = { .period = true, .chain = true }, stack = { .period = true, .stack = true, .regs = 1 };
	static const uint64_t big[] = { 2, 1 << 20, (uint64_t)1 << 60, UINT64_MAX / 8 + 1, (uint64_t)1 << 63, UINT64_MAX };

	for (unsigned i = 0; i < sizeof big / sizeof *big; i++) {
		begin(PERF_RECORD_SAMPLE, 0);
		u64(99), u64(1), u32(11), u32(12), u64(1000), u32(3), u32(0), u64(1);
		u64(big[i]), u64(5);
		CHECK(parse(&chain, len) != NULL);
		len -= 16;
		u64(1), u64(5), u64(big[i] * 8), u64(5);
		if (big[i] * 8 > 8)
			CHECK(parse(&stack, len) != NULL);
	}
	begin(PERF_RECORD_SAMPLE, 0);   /* more used than copied */
	u64(99), u64(1), u32(11), u32(12), u64(1000), u32(3), u32(0), u64(1);
	u64(1), u64(5), u64(8), u64(5), u64(4096);
	CHECK(!parse(&stack, len));
	CHECK_U64(r.sample.stack_size, 8);
}

static void
kernel_symbols(void)
{
	begin(PERF_RECORD_KSYMBOL, 0);
	u64(0xffffffffc0001000), u32(0x80), u16(PERF_RECORD_KSYMBOL_TYPE_BPF), u16(0), str("bpf_prog_1_f");
	CHECK(!end());
	CHECK_U64(r.ksymbol.code.lo, 0xffffffffc0001000);
	CHECK_U64(r.ksymbol.code.hi, 0xffffffffc0001080);
	CHECK_STR(r.ksymbol.code.name, "bpf_prog_1_f");
	CHECK(r.ksymbol.bpf && !r.ksymbol.gone);
	longer(64);   /* two events have taken it before */
	CHECK_STR(r.ksymbol.code.name, "bpf_prog_1_f");
	CHECK_U64(r.time, 1000);
	begin(PERF_RECORD_KSYMBOL, 0);
	u64(16), u32(16), u16(PERF_RECORD_KSYMBOL_TYPE_OOL), u16(PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER), str("ftrace_trampoline");
	CHECK(!end());
	CHECK(!r.ksymbol.bpf && r.ksymbol.gone);
	begin(PERF_RECORD_KSYMBOL, 0);
	u64(UINT64_MAX), u32(16), u16(1), u16(0), str("over the end");
	CHECK(end() != NULL);
}

static void
maps(void)
{
	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	u32(21), u32(22), u64(0x7f0000000000), u64(0x1000), u64(0x2000), u32(8), u32(1), u64(1234), u64(5);
	u32(PROT_READ | PROT_EXEC), u32(2), str("/lib/x.so");
	CHECK(!end());
	CHECK_U64(r.pid, 21);
	CHECK_U64(r.tid, 22);
	CHECK_U64(r.time, 1000);
	CHECK_U64(r.id, 99);
	CHECK_U64(r.map.lo, 0x7f0000000000);
	CHECK_U64(r.map.size, 0x1000);
	CHECK_U64(r.map.off, 0x2000);
	CHECK_U64(r.map.maj, 8);
	CHECK_U64(r.map.ino, 1234);
	CHECK_U64(r.map.build_id_len, 0);
	CHECK(r.map.exec);
	CHECK_STR(r.map.path, "/lib/x.so");

	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	u32(21), u32(22), u64(0x7f0000000000), u64(0x1000), u64(0x2000), u32(20);
	for (uint32_t i = 0; i < 5; i++)
		u32(0x01010101 * (i + 1));
	u32(PROT_READ), u32(2), str("/lib/x.so");
	CHECK(!end());
	CHECK_U64(r.map.build_id_len, 20);
	CHECK_U64(r.map.build_id[0], 1);
	CHECK_U64(r.map.build_id[19], 5);
	CHECK_U64(r.map.ino, 0);
	CHECK(!r.map.exec);

	begin(PERF_RECORD_MMAP2, 0);
	u32(21), u32(22), u64(UINT64_MAX - 4095), u64(0x2000), u64(0), u64(0), u64(0), u64(0), u64(4), str("x");
	CHECK(end() != NULL);
	begin(PERF_RECORD_MMAP2, 0);   /* a path without an end */
	u32(21), u32(22), u64(0), u64(0x2000), u64(0), u64(0), u64(0), u64(0), u64(4), u64(0x4141414141414141);
	CHECK(end() != NULL);
}

static void
tasks(void)
{
	begin(PERF_RECORD_FORK, 0);
	u32(31), u32(32), u32(33), u32(34), u64(999);
	CHECK(!end());
	CHECK_U64(r.pid, 31);
	CHECK_U64(r.task.ppid, 32);
	CHECK_U64(r.tid, 33);
	CHECK_U64(r.task.ptid, 34);
	begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	u32(31), u32(33), str("cc1");
	CHECK(!end());
	CHECK_U64(r.pid, 31);
	CHECK_U64(r.tid, 33);
	CHECK_STR(r.comm.name, "cc1");
	CHECK(r.comm.exec);
	begin(PERF_RECORD_LOST, 0);
	u64(99), u64(4711);
	CHECK(!end());
	CHECK_U64(r.lost, 4711);
	begin(PERF_RECORD_LOST_SAMPLES, 0);
	u64(4711);
	CHECK(!end());
	CHECK_U64(r.lost, 4711);
	begin(4000, 0);
	u64(1), u64(2);
	CHECK(!end());
	CHECK_U64(r.time, 1000);
	CHECK_U64(record_time_offset(4000, (uint32_t)len), len - 24);
	CHECK_U64(record_time_offset(4000, 32), 0);
}

static void
chains(void)
{
	const uint64_t k = (uint64_t)PERF_CONTEXT_KERNEL, u = (uint64_t)PERF_CONTEXT_USER, g = (uint64_t)PERF_CONTEXT_GUEST;
	const uint64_t both[] = { k, 1, 2, u, 3, 4, 5 }, user[] = { u, 3 }, none[] = { k, u }, other[] = { 9, 9, g, 1, u, 3 };
	struct chains c = record_chains(both, 7);

	CHECK(c.nkernel == 2 && c.kernel[0] == 1 && c.nuser == 3 && c.user[2] == 5);
	c = record_chains(user, 2);
	CHECK(c.nkernel == 0 && c.nuser == 1 && c.user[0] == 3);
	c = record_chains(none, 2);
	CHECK(c.nkernel == 0 && c.nuser == 0);
	c = record_chains(other, 6);
	CHECK(c.nkernel == 0 && c.nuser == 1 && c.user[0] == 3);
	c = record_chains(NULL, 0);
	CHECK(c.nkernel == 0 && c.nuser == 0);
}

static void
registers_of_the_kernel_come_last(void)
{
	static const struct record_shape with = { .stack = true, .regs = 1, .kernel_regs = 2 };

	CHECK(record_sample_type(&with) & PERF_SAMPLE_REGS_INTR);
	for (unsigned abi = 0; abi < 2; abi++) {
		begin(PERF_RECORD_SAMPLE, 0);
		u64(99), u64(0x1000), u32(11), u32(12), u64(1000), u32(3), u32(0);
		u64(PERF_SAMPLE_REGS_ABI_64), u64(0x77);
		u64(0);   /* no stack */
		u64(abi ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
		if (abi)
			u64(0x88), u64(0x99);
		CHECK(!parse(&with, len));
		CHECK_U64(r.sample.regs[0], 0x77);
		CHECK((r.sample.kernel_regs != NULL) == abi);
		if (abi)
			CHECK_U64(r.sample.kernel_regs[1], 0x99);
		for (size_t n = 0; n < len; n += 4)
			CHECK(parse(&with, n) != NULL);
	}
}

int
main(void)
{
	RUN("record", sample);
	RUN("record", part);
	RUN("record", kernel_thread);
	RUN("record", lying_lengths);
	RUN("record", kernel_symbols);
	RUN("record", maps);
	RUN("record", tasks);
	RUN("record", chains);
	RUN("record", registers_of_the_kernel_come_last);
	return TEST_STATUS;
}
