/* See perf.h.  perf_event_open(2); attr sizes by the versions of <linux/perf_event.h>. */
#include "perf.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/clock.h"

int
perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	static const uint32_t older[] = { PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER0 };
	unsigned next = 0;

	if (!attr->size)
		attr->size = PERF_ATTR_SIZE_VER5;
	for (;;) {
		/* The kernel writes its own size into the attr when it says E2BIG; keep ours. */
		uint32_t size = attr->size;
		long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			return (int)fd;
		attr->size = size;
		if (errno == EINTR)
			continue;
		if (errno != E2BIG)
			return -1;
		while (next < sizeof older / sizeof *older && older[next] >= size)
			next++;
		if (next == sizeof older / sizeof *older)
			return -1;
		attr->size = older[next];
	}
}

bool
perf_control(int fd, unsigned long what, unsigned long with)
{
	/* In musl the second parameter is an int, which PERF_EVENT_IOC_ID does not fit in. */
	return !syscall(SYS_ioctl, fd, what, with);
}

#if defined __x86_64__
const int16_t perf_sp_at = 19 * 8;
const uint8_t perf_pointer_at = 21;
const struct probe_regs perf_probe_regs = { 19 * 8, { 14 * 8, 13 * 8, 12 * 8, 11 * 8, 9 * 8, 8 * 8 }, 10 * 8, true, true, 8 };
const struct perf_reg_words perf_reg_words = { "ax bx cx dx si di bp sp ip r8 r9 r10 r11 r12 r13 r14 r15", "di si dx cx r8 r9", "ax", "si dx r10", true,
                                               "ax dx cx bx si di bp sp r8 r9 r10 r11 r12 r13 r14 r15", "cx dx si" };
#else
const int16_t perf_sp_at;
const uint8_t perf_pointer_at;
#if defined __aarch64__
const struct probe_regs perf_probe_regs = { 31 * 8, { 0, 8, 16, 24, 32, 40 }, 0, true, true, 0 };
const struct perf_reg_words perf_reg_words = { "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 "
                                               "x26 x27 x28 x29 x30 sp pc", "x0 x1 x2 x3 x4 x5", "x0", "x1 x2 x3", false, NULL, "x1 x2 x3" };
#elif defined __riscv && __riscv_xlen == 64
const struct probe_regs perf_probe_regs = { 2 * 8, { 80, 88, 96, 104, 112, 120 }, 80, true, true, 0 };
const struct perf_reg_words perf_reg_words = { "pc ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6",
                                               "a0 a1 a2 a3 a4 a5", "a0", "a1 a2 a3", false, NULL, NULL };
#elif defined __arm__
/* Linux 6.1 ends the process: it reads from a wild address when it walks from the return of a probed function.  It also adds to
 * numbers in hash maps by an instruction that needs addresses at a multiple of 8, but they lie at a multiple of 4. */
const struct probe_regs perf_probe_regs = { 13 * 4, { 0, 4, 8, 12, -1, -1 }, 0, false, false, 0 };
const struct perf_reg_words perf_reg_words = { "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 fp ip sp lr pc", "r0 r1 r2 r3", "r0", "r1 r2 r3", false, NULL, NULL };
#elif defined __i386__   /* functions may take their arguments off the stack as they return */
const struct probe_regs perf_probe_regs = { 0, { -1, -1, -1, -1, -1, -1 }, 6 * 4, true, true, 0 };
const struct perf_reg_words perf_reg_words = { "ax bx cx dx si di bp sp ip", "", "ax", "cx dx si", true, "ax cx dx bx sp bp si di", NULL };
#else
const struct probe_regs perf_probe_regs = { 0, { -1, -1, -1, -1, -1, -1 }, -1, false, false, 0 };
const struct perf_reg_words perf_reg_words = { "", "", "", "", false, NULL, NULL };
#endif
#endif

int16_t
perf_probe_reg_at(unsigned reg)
{
#if defined __x86_64__
	static const uint8_t at[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 9, 8, 7, 6, 3, 2, 1, 0 };

	return reg < sizeof at ? (int16_t)(8 * at[reg]) : -1;
#elif defined __aarch64__ || (defined __riscv && __riscv_xlen == 64)
	return reg < 33 ? (int16_t)(8 * reg) : -1;
#else
	(void)reg;
	return -1;
#endif
}

/* Spins until the ring's head moves, 2 ms of CPU at most. */
static bool
head_moves(const struct perf_event_mmap_page *page)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 2000000;

	do {
		for (volatile unsigned i = 0; i < 10000; i++)
			;
		if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE))
			return true;
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
	return false;
}

bool
perf_interrupts(const struct perf_event_attr *like)
{
	struct perf_event_attr attr = { 0 };
	size_t bytes = 2 * (size_t)sysconf(_SC_PAGESIZE);
	bool moves = false;
	void *ring;
	int fd;

	attr.type = like->type;
	attr.config = like->config;
	attr.config1 = like->config1;
	attr.config2 = like->config2;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 100000;   /* cycles or nanoseconds: a tenth of a millisecond at most */
	attr.exclude_kernel = attr.exclude_hv = 1;
	if ((fd = perf_open(&attr, 0, -1, -1, 0)) < 0)
		return false;
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring != MAP_FAILED) {
		moves = head_moves(ring);
		munmap(ring, bytes);
	}
	close(fd);
	return moves;
}
