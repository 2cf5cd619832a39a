/* riscv64: DWARF register numbers (RISC-V ELF psABI, chapter 8), the kernel's sample registers (asm/perf_regs.h),
 * rt_sigreturn's frame (asm/sigcontext.h), and as much of RV64GC (the unprivileged ISA's opcode tables) as it takes to
 * follow sp, s0 and ra. */
#include "arch.h"

enum { ZERO, RA, SP, T0 = 5, T1, FP = 8, A0 = 10, A7 = 17, T3 = 28, PC = 32 };   /* PC: DWARF has no number for it */

static const uint8_t dwarf[] = {
	PC, RA, SP, 3, 4, T0, T1, 7, FP, 9, A0, 11, 12, 13, 14, 15, 16, A7, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, T3,
	29, 30, 31
};

/* li a7, 139; ecall */
static const struct trampoline trampolines[] = {
	{ { 0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00 }, 8, 9, 0 },
};

/* A siginfo lies at sp, then the ucontext; its registers begin at 304: pc in zero's place. */
#define SIGREG(n) { n, 304 + 8 * (n) }
static const struct sigreg sigregs[] = {
	{ PC, 304 }, SIGREG(RA), SIGREG(SP), SIGREG(3), SIGREG(4), SIGREG(T0), SIGREG(T1), SIGREG(7), SIGREG(FP), SIGREG(9),
	SIGREG(A0), SIGREG(11), SIGREG(12), SIGREG(13), SIGREG(14), SIGREG(15), SIGREG(16), SIGREG(A7), SIGREG(18), SIGREG(19),
	SIGREG(20), SIGREG(21), SIGREG(22), SIGREG(23), SIGREG(24), SIGREG(25), SIGREG(26), SIGREG(27), SIGREG(T3), SIGREG(29),
	SIGREG(30), SIGREG(31),
};

#if defined __riscv && __riscv_xlen == 64
#include <asm/perf_regs.h>
_Static_assert((int)PERF_REG_RISCV_PC == 0 && (int)PERF_REG_RISCV_RA == RA && (int)PERF_REG_RISCV_SP == SP &&
               (int)PERF_REG_RISCV_S0 == FP && (int)PERF_REG_RISCV_A7 == A7 && (int)PERF_REG_RISCV_T6 == 31, "perf's registers");
#endif

/* ---- instructions ---- */

/* N bits from LO on. */
static uint32_t
bits(uint32_t w, unsigned lo, unsigned n)
{
	return w >> lo & ((1u << n) - 1);
}

/* The number whose highest bit is N - 1. */
static int32_t
sign(uint32_t v, unsigned n)
{
	return (int32_t)(v << (32 - n)) >> (32 - n);
}

static void
writes(struct insn *i, uint32_t reg)
{
	i->reg = reg ? (uint8_t)reg : NO_REG;
	if (reg == FP || reg == RA || reg == SP)
		i->op = reg == FP ? INSN_FP_LOST : reg == RA ? INSN_RA_LOST : INSN_SP_LOST;
}

/* RD = RS + imm */
static void
add(struct insn *i, uint32_t rd, uint32_t rs, int32_t imm)
{
	writes(i, rd);
	i->off = imm;
	if (rd == SP && (rs == SP || rs == FP))
		i->op = rs == SP ? INSN_SP_ADD : INSN_SP_FROM_FP;
	else if (rd == FP && (rs == SP || (rs == ZERO && !imm)))
		i->op = rs == SP ? INSN_FP_FROM_SP : INSN_FP_ZERO;
	else if (rd == RA && rs == ZERO && !imm)
		i->op = INSN_RA_ZERO;
	else if (i->op == INSN_PLAIN && rd && (rs == ZERO || rs == rd))
		i->op = rs ? INSN_CONST_ADD : INSN_CONST;
}

/* RD = RS + RT, or - RT */
static void
add_register(struct insn *i, uint32_t rd, uint32_t rs, uint32_t rt, int sign_of_rt)
{
	writes(i, rd);
	if (rd != SP || (sign_of_rt < 0 && rs != SP && rs != FP))
		return;
	if (rs != SP && rs != FP) {
		uint32_t t = rs;

		rs = rt;
		rt = t;
	}
	if (rs == SP || rs == FP) {
		i->op = rs == SP ? INSN_SP_ADD_REG : INSN_SP_FROM_FP_REG;
		i->reg = (uint8_t)rt;
		i->off = sign_of_rt;
	}
}

static void
load(struct insn *i, uint32_t rd, uint32_t base, int32_t at)
{
	writes(i, rd);
	i->local = base == FP && at < 0;
	if (base != SP || (rd != FP && rd != RA))
		return;
	i->op = INSN_RESTORE;
	*(rd == FP ? &i->fp_at : &i->ra_at) = (int16_t)at;
}

static void
store(struct insn *i, uint32_t reg, uint32_t base, int32_t at)
{
	i->local = base == FP && at < 0;
	if (base != SP || (reg != FP && reg != RA))
		return;
	i->op = INSN_SAVE;
	*(reg == FP ? &i->fp_at : &i->ra_at) = (int16_t)at;
}

static void
jump(struct insn *i, enum insn_op op, int32_t target)
{
	i->op = (uint8_t)op;
	i->target = target;
}

/* A jump by a register.  If it links t0, it calls a helper that makes or removes a frame; if t1, it belongs to a PLT entry. */
static void
jump_register(struct insn *i, uint32_t rd, uint32_t rs, int32_t imm)
{
	if (rd == RA)
		i->op = INSN_CALL;
	else if (rd == ZERO)
		i->op = rs == RA && !imm ? INSN_RETURN : INSN_JUMP_AWAY;
	else
		i->op = rd == T1 && rs == T3 ? INSN_RETURN : INSN_SP_LOST;
}

/* Quadrants 0 and 1 of the compressed instructions. */
static void
read_short(uint32_t h, struct insn *i)
{
	uint32_t rd = bits(h, 7, 5), low = bits(h, 2, 3) + 8, high = bits(h, 7, 3) + 8, f3 = h >> 13;
	int32_t imm = sign(bits(h, 12, 1) << 5 | bits(h, 2, 5), 6);

	switch (f3 | (h & 3) << 3) {
	case 0:   /* addi4spn */
		if (h)
			add(i, low, SP, (int32_t)(bits(h, 11, 2) << 4 | bits(h, 7, 4) << 6 | bits(h, 6, 1) << 2 |
			                          bits(h, 5, 1) << 3));
		else
			i->op = INSN_STOP;
		break;
	case 2: case 3:   /* lw, ld */
		writes(i, low);
		break;
	case 4:   /* lbu, lhu, lh */
		if (bits(h, 10, 3) < 2)
			writes(i, low);
		break;
	case 8: case 9:   /* addi, addiw */
		add(i, rd, rd, imm);
		break;
	case 10:   /* li */
		add(i, rd, ZERO, imm);
		break;
	case 11:   /* addi16sp, lui */
		if (rd == SP)
			add(i, SP, SP, sign(bits(h, 12, 1) << 9 | bits(h, 6, 1) << 4 | bits(h, 5, 1) << 6 | bits(h, 3, 2) << 7 |
			                    bits(h, 2, 1) << 5, 10));
		else if (imm)
			add(i, rd, ZERO, imm * 4096);
		break;
	case 12:
		writes(i, high);
		break;
	case 13:   /* j */
		jump(i, INSN_JUMP, sign(bits(h, 12, 1) << 11 | bits(h, 11, 1) << 4 | bits(h, 9, 2) << 8 | bits(h, 8, 1) << 10 |
		                        bits(h, 7, 1) << 6 | bits(h, 6, 1) << 7 | bits(h, 3, 3) << 1 | bits(h, 2, 1) << 5, 12));
		break;
	case 14: case 15:   /* beqz, bnez */
		jump(i, INSN_BRANCH, sign(bits(h, 12, 1) << 8 | bits(h, 10, 2) << 3 | bits(h, 5, 2) << 6 | bits(h, 3, 2) << 1 |
		                          bits(h, 2, 1) << 5, 9));
		break;
	}
}

/* Quadrant 2. */
static void
read_short_sp(uint32_t h, struct insn *i)
{
	uint32_t rd = bits(h, 7, 5), rs = bits(h, 2, 5);

	switch (h >> 13) {
	case 0: case 2:   /* slli, lwsp */
		writes(i, rd);
		break;
	case 3:   /* ldsp */
		load(i, rd, SP, (int32_t)(bits(h, 12, 1) << 5 | bits(h, 5, 2) << 3 | bits(h, 2, 3) << 6));
		break;
	case 4:
		if (rs && bits(h, 12, 1))
			add_register(i, rd, rd, rs, 1);
		else if (rs && rs != SP && rs != FP)   /* mv */
			writes(i, rd);
		else if (rs)
			add(i, rd, rs, 0);
		else if (bits(h, 12, 1))
			i->op = rd ? INSN_CALL : INSN_STOP;
		else
			jump_register(i, ZERO, rd, 0);
		break;
	case 7:   /* sdsp */
		store(i, rs, SP, (int32_t)(bits(h, 10, 3) << 3 | bits(h, 7, 3) << 6));
		break;
	}
}

static void
read_long(uint32_t w, struct insn *i)
{
	uint32_t rd = bits(w, 7, 5), f3 = bits(w, 12, 3), rs = bits(w, 15, 5), rt = bits(w, 20, 5), f7 = w >> 25;
	int32_t imm = sign(w >> 20, 12), simm = sign(f7 << 5 | rd, 12);

	switch (w & 0x7f) {
	case 0x03:
		if (f3 == 3)
			load(i, rd, rs, imm);
		else
			writes(i, rd);
		break;
	case 0x23:
		if (f3 == 3)
			store(i, rt, rs, simm);
		break;
	case 0x13: case 0x1b:
		if (!f3)
			add(i, rd, rs, imm);
		else
			writes(i, rd);
		break;
	case 0x33:
		if (!f3 && (f7 == 0 || f7 == 0x20))
			add_register(i, rd, rs, rt, f7 ? -1 : 1);
		else
			writes(i, rd);
		break;
	case 0x37:
		writes(i, rd);
		if (i->op == INSN_PLAIN && rd) {
			i->op = INSN_CONST;
			i->off = (int32_t)(w & 0xfffff000);
		}
		break;
	case 0x17: case 0x2f: case 0x3b:   /* auipc, atomics, 32-bit arithmetic */
		writes(i, rd);
		break;
	case 0x53:   /* what moves to a general register */
		if ((f7 >> 2 & 0x14) == 0x14 || f7 >> 3 == 0xc)
			writes(i, rd);
		break;
	case 0x63:
		jump(i, INSN_BRANCH, sign(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 |
		                          bits(w, 8, 4) << 1, 13));
		break;
	case 0x67:
		jump_register(i, rd, rs, imm);
		break;
	case 0x6f:
		jump(i, rd == RA ? INSN_CALL : rd ? INSN_SP_LOST : INSN_JUMP,
		     sign(bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1, 21));
		break;
	case 0x73:
		if (w == 0x73 || w == 0x100073)
			i->op = w == 0x73 ? INSN_SYSCALL : INSN_STOP;
		else if (f3)
			writes(i, rd);
		break;
	}
}

static void
decode(const uint8_t *bytes, uint64_t n, struct insn *i)
{
	uint32_t h = n < 2 ? 0 : (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
	uint8_t len = (h & 3) != 3 ? 2 : (h & 0x1c) != 0x1c ? 4 : 0;   /* longer ones are not defined yet */

	*i = (struct insn){ .op = INSN_BAD, .reg = NO_REG, .fp_at = NO_SLOT, .ra_at = NO_SLOT };
	if (!len || n < len)
		return;
	i->op = INSN_PLAIN;
	i->len = len;
	if (len == 4)
		read_long(h | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24, i);
	else if ((h & 3) == 2)
		read_short_sp(h, i);
	else
		read_short(h, i);
}

/* jal ra, jalr ra, and the latter's short form. */
static bool
after_call(const uint8_t *end, uint64_t n)
{
	uint32_t low = n < 4 ? 0 : (uint32_t)end[-4] | (uint32_t)end[-3] << 8;
	uint32_t last = n < 2 ? 0 : (uint32_t)end[-2] | (uint32_t)end[-1] << 8;

	return (low & 0xfff) == 0x0ef || (low & 0x7fff) == 0x0e7 || ((last & 0xf07f) == 0x9002 && last & 0xf80);
}

/* Whether the code makes room, and stores ra there soon. */
static bool
prologue(const uint8_t *p, uint64_t n)
{
	static const uint64_t quiet = 1 << INSN_PLAIN | 1 << INSN_SAVE | 1 << INSN_CONST | 1 << INSN_CONST_ADD |
	                              1 << INSN_FP_FROM_SP | 1 << INSN_FP_LOST | 1 << INSN_FP_ZERO;
	enum { SAVES = 14 };
	struct insn i;

	decode(p, n, &i);
	if (i.op != INSN_SP_ADD || i.off >= 0)
		return false;
	for (unsigned saves = 0; saves < SAVES; saves++) {
		p += i.len;
		n -= i.len;
		decode(p, n, &i);
		if (i.op == INSN_SAVE && i.ra_at != NO_SLOT)
			return true;
		if (!(UINT64_C(1) << i.op & quiet))
			return false;
	}
	return false;
}

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.machine = 243,
	.word = 8,
	.pc = PC, .sp = SP, .fp = FP, .ra = RA, .call_arg = 10,
	.align = 2,
	.rec_fp = -16, .rec_ra = -8,
	.addr_mask = UINT64_MAX,
	.sample = UINT32_MAX,
	.dwarf = dwarf,
	.trampolines = trampolines,
	.ntrampolines = 1,
	.sigregs = sigregs,
	.nsigregs = sizeof sigregs / sizeof *sigregs,
	.decode = decode,
	.after_call = after_call,
	.result = A0, .call_number = A7, .syscall_len = 4,
	.exit = { 93, 94 }, .clone = 220,
	.same_stack = { 0x8a, 0x85 },   /* mv a1, sp */
	.prologue = prologue,
};
