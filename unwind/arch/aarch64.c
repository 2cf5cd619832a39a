/* aarch64: DWARF register numbers (DWARF for the Arm 64-bit Architecture, section 4.1), the kernel's sample registers
 * (asm/perf_regs.h), rt_sigreturn's frame (asm/sigcontext.h), and as much of A64 (Arm ARM, chapter C4) as it takes to
 * follow sp, x29 and x30. */
#include "arch.h"

enum { FP = 29, LR, SP, PC, VG = 46, ZR = SP };   /* 31 is sp or zero: the instruction decides */

static const uint8_t dwarf[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
	FP, LR, SP, PC, VECTOR
};

/* mov x8, #139; svc #0 */
static const struct trampoline trampolines[] = {
	{ { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 }, 8, 9, 0 },
};

/* A siginfo lies at sp, then the ucontext; its registers begin at 312. */
#define SIGREG(n) { n, 312 + 8 * (n) }
static const struct sigreg sigregs[] = {
	SIGREG(0), SIGREG(1), SIGREG(2), SIGREG(3), SIGREG(4), SIGREG(5), SIGREG(6), SIGREG(7), SIGREG(8),
	SIGREG(9), SIGREG(10), SIGREG(11), SIGREG(12), SIGREG(13), SIGREG(14), SIGREG(15), SIGREG(16),
	SIGREG(17), SIGREG(18), SIGREG(19), SIGREG(20), SIGREG(21), SIGREG(22), SIGREG(23), SIGREG(24),
	SIGREG(25), SIGREG(26), SIGREG(27), SIGREG(28), SIGREG(FP), SIGREG(LR), SIGREG(SP), SIGREG(PC),
};

#if defined __aarch64__
#include <asm/perf_regs.h>
_Static_assert((int)PERF_REG_ARM64_X29 == FP && (int)PERF_REG_ARM64_LR == LR && (int)PERF_REG_ARM64_SP == SP &&
               (int)PERF_REG_ARM64_PC == PC, "perf's registers");

/* What the removal of a signature leaves of an address: prof tries all bits except the one that marks kernel addresses.
 * (hint 7 is xpaclri; without signatures it does nothing.) */
static uint64_t
find_mask(void)
{
	register uint64_t x30 __asm__("x30") = ~(UINT64_C(1) << 55);

	__asm__("hint 7" : "+r"(x30));
	return x30;
}
#endif

/* ---- instructions ---- */

static uint32_t
word_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* N bits from LO on, as a signed number. */
static int32_t
field(uint32_t w, unsigned lo, unsigned n)
{
	return (int32_t)(w << (32 - lo - n)) >> (32 - n);
}

static void
writes(struct insn *i, unsigned reg)
{
	i->reg = (uint8_t)reg;
	if (reg == FP || reg == LR)
		i->op = reg == FP ? INSN_FP_LOST : INSN_RA_LOST;
}

static void
jump(struct insn *i, enum insn_op op, int32_t words)
{
	i->op = (uint8_t)op;
	i->target = words * 4;
}

/* Branches, exceptions, system registers. */
static void
read_branch(uint32_t w, struct insn *i)
{
	static const uint8_t by_register[16] = {
		INSN_JUMP_AWAY, INSN_CALL, INSN_RETURN, INSN_STOP, INSN_STOP, INSN_STOP, INSN_STOP, INSN_STOP,
		INSN_JUMP_AWAY, INSN_CALL, INSN_STOP, INSN_STOP, INSN_STOP, INSN_STOP, INSN_STOP, INSN_STOP,
	};
	unsigned n = w >> 5 & 31;

	if ((w & 0x7c000000) == 0x14000000)
		jump(i, w >> 31 ? INSN_CALL : INSN_JUMP, field(w, 0, 26));
	else if ((w & 0x7e000000) == 0x36000000)   /* tbz */
		jump(i, INSN_BRANCH, field(w, 5, 14));
	else if ((w & 0x7e000000) == 0x34000000 || (w & 0xff000000) == 0x54000000)   /* cbz, b.cond */
		jump(i, INSN_BRANCH, field(w, 5, 19));
	else if ((w & 0xffc0001f) == 0x5500001f)   /* retaasppc */
		i->op = INSN_RETURN;
	else if ((w & 0xfe000000) == 0xd6000000) {
		i->op = by_register[w >> 21 & 15];
		if (i->op == INSN_RETURN && n != LR && n != ZR)
			i->op = INSN_JUMP_AWAY;
		if (i->op == INSN_JUMP_AWAY && n == 17)   /* a PLT entry */
			i->op = INSN_RETURN;
	} else if ((w & 0xffe0001f) == 0xd4000001)
		i->op = INSN_SYSCALL;
	else if ((w & 0xff80001f) == 0xd4000000 && (w & 0x600000))   /* brk, hlt */
		i->op = INSN_STOP;
	else if ((w & 0xfff00000) == 0xd5300000)   /* mrs */
		writes(i, w & 31);
}

static void
read_add(uint32_t w, struct insn *i)
{
	unsigned rd = w & 31, rn = w >> 5 & 31;
	int32_t imm = (int32_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);

	i->off = w >> 30 & 1 ? -imm : imm;
	if (rd == SP)
		i->op = rn == SP ? INSN_SP_ADD : rn == FP ? INSN_SP_FROM_FP : INSN_SP_LOST;
	else if (rd == FP && rn == SP)
		i->op = INSN_FP_FROM_SP;
	else
		writes(i, rd);
}

/* movn, movz, movk */
static void
read_wide(uint32_t w, struct insn *i)
{
	unsigned rd = w & 31, shift = w >> 21 & 3, opc = w >> 29 & 3;
	uint64_t imm = (uint64_t)(w >> 5 & 0xffff) << 16 * shift;

	writes(i, rd);
	if (rd == FP && opc == 2 && !imm)
		i->op = INSN_FP_ZERO;
	else if (rd == LR && opc == 2 && !imm)
		i->op = INSN_RA_ZERO;
	else if (i->op == INSN_PLAIN && shift < 2 && imm < INT32_MAX) {
		i->op = opc == 3 ? INSN_CONST_ADD : INSN_CONST;
		i->off = opc == 0 ? (int32_t)~imm : (int32_t)imm;
		if (opc == 3 && shift == 0)
			i->op = INSN_PLAIN;
	}
}

/* Instructions with an immediate. */
static void
read_immediate(uint32_t w, struct insn *i)
{
	unsigned rd = w & 31;

	if ((w & 0xbf800000) == 0x91000000)
		read_add(w, i);
	else if ((w & 0x1f800000) == 0x12800000)
		read_wide(w, i);
	else if (rd == SP && ((w & 0xbf800000) == 0x91800000 || ((w & 0x1f800000) == 0x12000000 && (w >> 29 & 3) != 3)))
		i->op = INSN_SP_LOST;   /* addg; and, orr, eor */
	else if (rd != ZR)
		writes(i, rd);
}

/* Instructions with registers only. */
static void
read_registers(uint32_t w, struct insn *i)
{
	unsigned rd = w & 31, rn = w >> 5 & 31;

	if ((w & 0xbfe00000) == 0x8b200000 && rd == SP) {   /* add, sub */
		i->op = rn == SP && (w >> 10 & 63) == 24 ? INSN_SP_ADD_REG : INSN_SP_LOST;
		i->reg = w >> 16 & 31;
		i->off = w >> 30 & 1 ? -1 : 1;
	} else if ((w & 0xffe0fc00) == 0x9ac01000 && rd == SP)   /* irg */
		i->op = INSN_SP_LOST;
	else if ((w & 0xffffffe0) == 0xaa1f03e0 && (rd == FP || rd == LR))   /* mov from zero */
		i->op = rd == FP ? INSN_FP_ZERO : INSN_RA_ZERO;
	else if ((w & 0x1fe00000) != 0x1a400000 && (w & 0xffff8000) != 0xdac10000 && rd != ZR)   /* ccmp; signing */
		writes(i, rd);
}

/* The instruction moves T and T2 (ZR: none) to or from AT(BASE), then CHANGEs the base; or the other way round. */
static void
move(struct insn *i, bool load, bool general, unsigned base, unsigned t, unsigned t2, int32_t at, int32_t change)
{
	bool fp = general && (t == FP || t2 == FP), lr = general && (t == LR || t2 == LR);
	int32_t fp_at = t == FP ? at : at + 8, lr_at = t == LR ? at : at + 8;

	i->local = base == FP && at < 0;
	if (base != SP) {
		if (load && general)
			writes(i, lr ? LR : fp ? FP : t);
		if (change && (base == FP || base == LR))
			writes(i, base);
		return;
	}
	i->off = change;
	i->op = change ? INSN_SP_ADD : INSN_PLAIN;
	if (!load && !fp && !lr)
		return;
	if (fp || lr) {
		i->op = load ? INSN_RESTORE : INSN_SAVE;
		i->fp_at = fp ? (int16_t)(load ? fp_at : fp_at - change) : NO_SLOT;
		i->ra_at = lr ? (int16_t)(load ? lr_at : lr_at - change) : NO_SLOT;
	} else if (!change && general)
		i->reg = (uint8_t)t;
}

static void
read_pair(uint32_t w, struct insn *i)
{
	unsigned opc = w >> 30, vector = w >> 26 & 1, kind = w >> 23 & 3, load = w >> 22 & 1;
	unsigned scale = vector ? 2 + opc : opc == 2 ? 3 : opc == 1 && !load ? 4 : 2;
	int32_t imm = field(w, 15, 7) * (1 << scale), change = kind & 1 ? imm : 0;

	move(i, load, !vector && opc == 2, w >> 5 & 31, w & 31, w >> 10 & 31, kind == 1 ? 0 : imm, change);
	if (!vector && load && opc != 2 && (w >> 5 & 31) != SP)
		writes(i, w & 31);
}

static void
read_single(uint32_t w, struct insn *i)
{
	unsigned size = w >> 30, vector = w >> 26 & 1, opc = w >> 22 & 3, kind = w >> 10 & 3;
	unsigned base = w >> 5 & 31, t = w & 31;
	bool load = opc != 0, wide = size == 3 && opc < 2 && !vector;
	int32_t imm = field(w, 12, 9);

	if (w >> 24 & 1)
		move(i, load, wide, base, t, ZR, (int32_t)(w >> 10 & 0xfff) << size, 0);
	else if (!(w >> 21 & 1))
		move(i, load, wide, base, t, ZR, kind == 1 ? 0 : imm, kind & 1 ? imm : 0);
	else if ((w & 0xff200400) == 0xf8200400 && w >> 11 & 1 && base == SP)   /* ldraa, with writeback */
		i->op = INSN_SP_LOST;
	else if (!vector && (load || kind == 0))
		writes(i, t);
	if (!vector && load && !wide && i->op == INSN_PLAIN && !(size == 3 && opc == 2))
		writes(i, t);
}

static void
decode(const uint8_t *bytes, uint64_t n, struct insn *i)
{
	uint32_t w = n < 4 ? 0 : word_at(bytes);

	*i = (struct insn){ .op = n < 4 ? INSN_BAD : INSN_PLAIN, .len = n < 4 ? 0 : 4, .reg = NO_REG,
	                    .fp_at = NO_SLOT, .ra_at = NO_SLOT };
	if (n < 4)
		return;
	if (!(w >> 16))   /* udf */
		i->op = INSN_STOP;
	else if ((w & 0x1c000000) == 0x14000000)
		read_branch(w, i);
	else if ((w & 0x1c000000) == 0x10000000)
		read_immediate(w, i);
	else if ((w & 0x0e000000) == 0x0a000000)
		read_registers(w, i);
	else if ((w & 0x3a000000) == 0x28000000)
		read_pair(w, i);
	else if ((w & 0x3a000000) == 0x38000000)
		read_single(w, i);
	else if (((w & 0x3b000000) == 0x18000000 && !(w >> 26 & 1)) || (w & 0x3f000000) == 0x08000000)
		writes(i, w & 31);   /* literals, exclusives */
	else if ((w & 0xff200c1f) == 0xd920041f || (w & 0xff200400) == 0xd9200400) {   /* stg, with writeback */
		if ((w >> 5 & 31) == SP) {
			i->op = INSN_SP_ADD;
			i->off = field(w, 12, 9) * 16;
		}
	} else if ((w & 0xffa0f01f) == 0x0420501f)   /* addvl: adds multiples of SVE's length */
		i->op = INSN_SP_LOST;
}

static bool
after_call(const uint8_t *end, uint64_t n)
{
	uint32_t w = n < 4 ? 0 : word_at(end - 4);

	return (w & 0xfc000000) == 0x94000000 || (w & 0xfee00000) == 0xd6200000;
}

/* Whether the code moves sp down and stores x30 there; or makes room, and stores x30 there soon. */
static bool
prologue(const uint8_t *p, uint64_t n)
{
	uint32_t w = n < 4 ? 0 : word_at(p);
	struct insn i;

	if ((w & 0xffe07fe0) == 0xa9a07be0 || (w & 0xfff00fff) == 0xf8100ffe)
		return true;
	if ((w & 0xffc003ff) != 0xd10003ff)
		return false;
	for (unsigned at = 4; at <= 12; at += 4) {
		decode(p + at, n < at ? 0 : n - at, &i);
		if (i.op == INSN_SAVE && i.ra_at != NO_SLOT)
			return true;
		if (i.op != INSN_SAVE && i.op != INSN_PLAIN && i.op != INSN_FP_LOST && i.op != INSN_FP_FROM_SP)
			return false;
	}
	return false;
}

/* Go's runtime.goexit: mov x0, x0; bl goexit1. */
static bool
ends_here(const uint8_t *p, uint64_t n)
{
	return n >= 8 && word_at(p) == 0xaa0003e0 && (word_at(p + 4) & 0xfc000000) == 0x94000000;
}

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.machine = 183,
	.word = 8,
	.pc = PC, .sp = SP, .fp = FP, .ra = LR, .call_arg = 0,
	.align = 4,
	.rec_fp = 0, .rec_ra = 8, .rec_loose = true,
	.addr_mask = (UINT64_C(1) << 48) - 1,
#if defined __aarch64__
	.find_mask = find_mask,
#endif
	.vector = VG,
	.sample = UINT64_C(1) << VG | ((UINT64_C(1) << 33) - 1),
	.dwarf = dwarf,
	.trampolines = trampolines,
	.ntrampolines = 1,
	.sigregs = sigregs,
	.nsigregs = sizeof sigregs / sizeof *sigregs,
	.decode = decode,
	.after_call = after_call,
	.result = 0, .call_number = 8, .syscall_len = 4,
	.exit = { 93, 94 }, .clone = 220,
	.same_stack = { 0xe1, 0x03, 0x00, 0x91 },   /* mov x1, sp */
	.prologue = prologue,
	.ends_here = ends_here,
};
