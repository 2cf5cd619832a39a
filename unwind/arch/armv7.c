/* 32-bit ARM: DWARF register numbers (DWARF for the Arm Architecture, section 4.1), the kernel's sample registers, its signal
 * frames, and what tells the two instruction sets, calls and beginnings apart.  Its instructions: arm_insn.c. */
#include "arch.h"

enum { R0, R7 = 7, R11 = 11, R12, SP, LR, PC, R0_AT = 32 };

static const uint8_t dwarf[] = { R0, 1, 2, 3, 4, 5, 6, R7, 8, 9, 10, R11, R12, SP, LR, PC };

/* mov r7, #119 (sigreturn) or #173 (rt_sigreturn); svc 0, or the old ABI's svc: in A32, T32, or T32's long form (glibc,
 * musl).  A ucontext lies at sp; that of rt_sigreturn lies behind the siginfo. */
static const struct trampoline trampolines[] = {
	{ { 0x77, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef }, 8, 9, 0 },
	{ { 0x77, 0x70, 0xa0, 0xe3, 0x77, 0x00, 0x90, 0xef }, 8, 9, 0 },
	{ { 0xad, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef }, 8, 9, 128 },
	{ { 0xad, 0x70, 0xa0, 0xe3, 0xad, 0x00, 0x90, 0xef }, 8, 9, 128 },
	{ { 0x77, 0x27, 0x00, 0xdf }, 4, 5, 0 },
	{ { 0xad, 0x27, 0x00, 0xdf }, 4, 5, 128 },
	{ { 0x4f, 0xf0, 0x77, 0x07, 0x00, 0xdf }, 6, 7, 0 },
	{ { 0x4f, 0xf0, 0xad, 0x07, 0x00, 0xdf }, 6, 7, 128 },
	/* ldr lr, [sp, #64]; add sp, #72: r0 is stored at sp + 8 */
	{ { 0xdd, 0xf8, 0x40, 0xe0, 0x12, 0xb0 }, 6, 0, 8 - R0_AT },
	{ { 0x40, 0xe0, 0x9d, 0xe5, 0x48, 0xd0, 0x8d, 0xe2 }, 8, 0, 8 - R0_AT },
};

static const struct sigreg sigregs[] = {
	{ R0, R0_AT }, { 1, 36 }, { 2, 40 }, { 3, 44 }, { 4, 48 }, { 5, 52 }, { 6, 56 }, { 7, 60 }, { 8, 64 }, { 9, 68 }, { 10, 72 },
	{ R11, 76 }, { R12, 80 }, { SP, 84 }, { LR, 88 }, { PC, 92 },
};

#if defined __arm__
#include <asm/perf_regs.h>
_Static_assert(PERF_REG_ARM_FP == 11 && PERF_REG_ARM_SP == 13 && PERF_REG_ARM_LR == 14 && PERF_REG_ARM_PC == 15, "perf's registers");
#endif

static uint32_t
half(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* bl, blx, in either set; or an A32 jump behind mov lr, pc. */
static bool
after_call(const uint8_t *end, uint64_t n)
{
	uint32_t b = n < 2 ? 0 : half(end - 2), a = n < 4 ? 0 : half(end - 4), w = a | b << 16;

	if ((b & 0xff87) == 0x4780 || (n >= 4 && (a & 0xf800) == 0xf000 && (b & 0xc000) == 0xc000))
		return true;
	if (n < 4)
		return false;
	return (w & 0x0f000000) == 0x0b000000 || (w & 0xfe000000) == 0xfa000000 || (w & 0x0ffffff0) == 0x012fff30 ||
	       (n >= 8 && half(end - 8) == 0xe00f && half(end - 6) == 0xe1a0);
}

/* Most words of A32 code have the condition "always".  Few words of T32 code look like that, except long instructions, and
 * these look alike in both sets.  Nearer words count more. */
static bool
is_other(const uint8_t *p, uint64_t n, unsigned at)
{
	unsigned always = 0, all = 0;

	for (unsigned i = 0; i <= 2 * at && i + 4 <= n; i += 4) {
		unsigned weight = p[i + 3] >> 3 == 0x1d ? 0 : at + 8 - (i < at ? at - i : i - at);

		all += weight;
		always += p[i + 3] >> 3 == 0x1c ? weight : 0;
	}
	return always * 16 < all * 5;
}

/* push {…, r3}, of variable arguments */
static bool
arguments(uint32_t a, uint32_t b)
{
	uint32_t list = (a & 0xfff0) == 0xb400 ? a & 15 : b == 0xe92d && !(a & 0xfff0) ? a : 0;

	return list == 8 || list == 12 || list >= 14 || (a == 0x3004 && b == 0xe52d);
}

/* push {…, lr}, or what may come before */
static bool
prologue(const uint8_t *p, uint64_t n)
{
	uint32_t a = n < 4 ? 0 : half(p), b = n < 4 ? 0 : half(p + 2);

	return arguments(a, b) || (a & 0xff00) == 0xb500 || (a == 0xe92d && b & 0x4000) || (b == 0xe92d && a & 0x4000) || (a == 0xf84d && b == 0xed04) ||
	       (a == 0xe004 && b == 0xe52d);
}

const struct arch arch_armv7 = {
	.name = "armv7",
	.machine = 40,
	.word = 4,
	.pc = PC, .sp = SP, .fp = R11, .ra = LR, .other = R7, .call_arg = 0,
	.align = 2,
	.rec_fp = 0, .rec_ra = 4,
	.addr_mask = UINT32_MAX - 1,
	.sample = 0xffff,
	.dwarf = dwarf,
	.trampolines = trampolines,
	.ntrampolines = sizeof trampolines / sizeof *trampolines,
	.sigregs = sigregs,
	.nsigregs = sizeof sigregs / sizeof *sigregs,
	.decode = arm_a32, .decode_other = arm_t32,
	.is_other = is_other,
	.after_call = after_call,
	.result = R0, .call_number = R7, .syscall_len = 2,
	.exit = { 1, 248 }, .clone = 120,
	.prologue = prologue,
	.table_row = exidx_row,
};
