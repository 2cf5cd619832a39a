/* 32-bit ARM's instructions, of both sets, A32 and T32 (Arm Architecture Reference Manual, ARMv7-A, chapters A5 and A6), as far as
 * it takes to follow sp, the return address and the frame pointers: r11 in A32 code, r7 in T32 code.  Arithmetic on these as mere
 * numbers does not count: a function that writes them has stored them before. */
#include "arch.h"

enum { R0, R7 = 7, R11 = 11, R12, SP, LR, PC };

static uint32_t
half(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static int32_t
extend(uint32_t v, unsigned bits)
{
	uint32_t sign = 1u << (bits - 1);

	return (int32_t)(((v & (sign * 2 - 1)) ^ sign) - sign);
}

/* The register REG lies at AT. */
static void
place(struct insn *i, unsigned reg, int32_t at)
{
	if (at != (int16_t)at)
		return;
	if (reg == R11)
		i->fp_at = (int16_t)at;
	else if (reg == R7)
		i->other_at = (int16_t)at;
	else if (reg == LR || reg == PC)
		i->ra_at = (int16_t)at;
}

/* Stores the registers of LIST below sp, or loads them from there. */
static void
multiple(struct insn *i, uint32_t list, bool load)
{
	int32_t size = 4 * __builtin_popcount(list);

	i->op = load ? INSN_RESTORE : INSN_SAVE;
	i->off = load ? size : -size;
	for (unsigned reg = 0, n = 0; reg <= PC; reg++)
		if (list >> reg & 1)
			place(i, reg, (int32_t)n++ * 4);
	if (load && list >> SP & 1)
		i->op = INSN_SP_LOST;
	if (load && list >> PC & 1) {
		i->op = INSN_RETURN;
		i->restores = true;
	}
}

/* Loads REG (if PAIR, the next one too) from sp + OFF, or stores it there; after or before that, sp += MOVE. */
static void
single(struct insn *i, unsigned reg, unsigned pair, bool load, int32_t off, int32_t move)
{
	i->op = load ? INSN_RESTORE : INSN_SAVE;
	i->off = move;
	place(i, reg, off);
	if (pair)
		place(i, pair, off + 4);
	if (load && reg == PC) {
		i->op = INSN_RETURN;
		i->restores = true;
	}
}

/* P, U and W are A32's bits: they say how the instruction makes an address from its base, which is sp. */
static void
indexed(struct insn *i, unsigned reg, unsigned pair, bool load, bool pre, bool write, int32_t off)
{
	if (pre && !write)
		single(i, reg, pair, load, off, 0);
	else if (!pre && load)
		single(i, reg, pair, true, 0, off);
	else if (pre && !load)
		single(i, reg, pair, false, 0, off);
	else
		i->op = INSN_SP_LOST;
}

/* RD = RN + OFF */
static void
sum(struct insn *i, unsigned rd, unsigned rn, int32_t off)
{
	i->off = off;
	i->other = rd == R7 || (rd == SP && rn == R7);
	if (rd == SP) {
		i->op = rn == SP ? INSN_SP_ADD : rn == R11 || rn == R7 ? INSN_SP_FROM_FP : INSN_SP_FROM_REG;
		i->reg = (uint8_t)rn;
	} else if (rd == R11 || rd == R7)
		i->op = rn == SP ? INSN_FP_FROM_SP : rn == rd ? INSN_FP_ADD : INSN_PLAIN;
	else if (rd == LR)
		i->op = INSN_RA_LOST;
	else if (rd == PC)
		i->op = INSN_JUMP_AWAY;
}

static void
move(struct insn *i, unsigned rd, unsigned rm)
{
	if (rd == PC && rm == LR)
		i->op = INSN_RETURN;
	else if (rd != rm)
		sum(i, rd, rm, 0);
}

/* Anything else that writes RD. */
static void
write(struct insn *i, unsigned rd)
{
	if (rd == SP)
		i->op = INSN_SP_LOST;
	else if (rd == PC)
		i->op = INSN_JUMP_AWAY;
	else if (rd == LR)
		i->op = INSN_RA_LOST;
}

static void
branch(struct insn *i, enum insn_op op, int32_t target)
{
	i->op = (uint8_t)op;
	i->target = target;
}

static void
begin(struct insn *i, unsigned len)
{
	*i = (struct insn){ .len = (uint8_t)len, .reg = NO_REG, .fp_at = NO_SLOT, .ra_at = NO_SLOT, .other_at = NO_SLOT,
	                    .op = len ? INSN_PLAIN : INSN_BAD };
}

static void
constant(struct insn *i, unsigned rd, uint32_t v)
{
	i->op = INSN_CONST;
	i->reg = (uint8_t)rd;
	i->off = (int32_t)v;
}

/* ---- A32 ---- */

/* Eight bits, rotated right by twice the four above them. */
static uint32_t
rotated(uint32_t w)
{
	uint32_t v = w & 0xff, r = w >> 7 & 30;

	return r ? v >> r | v << (32 - r) : v;
}

/* Data processing with two operands, or one. */
static void
process(struct insn *i, uint32_t w)
{
	unsigned op = w >> 21 & 15, rd = w >> 12 & 15, rn = w >> 16 & 15;
	bool immediate = w >> 25 & 1, plain = immediate || !(w & 0xff0);

	if (op >= 8 && op <= 11)   /* comparisons */
		return;
	if (op == 13 && immediate && rd == R7)
		constant(i, rd, rotated(w));
	else if (op == 13 && plain && !immediate)
		move(i, rd, w & 15);
	else if ((op == 2 || op == 4) && immediate)
		sum(i, rd, rn, (int32_t)(op == 2 ? -rotated(w) : rotated(w)));
	else if ((op == 2 || op == 4) && plain && rd == SP && rn == SP) {
		i->op = INSN_SP_ADD_REG;
		i->reg = w & 15;
		i->off = op == 2 ? -1 : 1;
	} else
		write(i, rd);
}

/* Loads or stores a word, by an immediate offset. */
static void
load_store(struct insn *i, uint32_t w)
{
	unsigned rd = w >> 12 & 15, rn = w >> 16 & 15;
	int32_t off = (int32_t)(w & 0xfff);
	bool load = w >> 20 & 1, word = !(w >> 22 & 1), immediate = !(w >> 25 & 1);

	if (rn == SP && word && immediate)
		indexed(i, rd, 0, load, w >> 24 & 1, w >> 21 & 1, w >> 23 & 1 ? off : -off);
	else if (load && rd == PC)   /* from a fixed place: a PLT entry, or a call that goes further than a branch can */
		i->op = immediate && (rn == R12 || rn == PC || rn == LR) ? INSN_RETURN : INSN_JUMP_AWAY;
	else if (load)
		write(i, rd);
	if (rn == SP && (w >> 21 & 9) == 1 && !(word && immediate))
		i->op = INSN_SP_LOST;
}

/* Loads and stores of halfwords and pairs of words. */
static void
load_store_extra(struct insn *i, uint32_t w)
{
	unsigned rd = w >> 12 & 15, kind = w >> 4 & 15;
	int32_t off = (int32_t)((w >> 4 & 0xf0) | (w & 15));
	bool pair = !(w >> 20 & 1) && (kind == 13 || kind == 15);

	if ((w >> 16 & 15) == SP && pair && w >> 22 & 1)
		indexed(i, rd, rd + 1, kind == 13, w >> 24 & 1, w >> 21 & 1, w >> 23 & 1 ? off : -off);
}

static void
block(struct insn *i, uint32_t w)
{
	unsigned rn = w >> 16 & 15;
	bool load = w >> 20 & 1, up = w >> 23 & 1, before = w >> 24 & 1, back = w >> 21 & 1;

	if (rn == SP && back && up == load && before != load)
		multiple(i, w & 0xffff, load);
	else if (rn == SP && !back && load && up && !before && !(w >> SP & 1)) {
		multiple(i, w & 0xffff, true);
		i->off = 0;
	} else if (load && w >> PC & 1)
		i->op = INSN_JUMP_AWAY;
	else if ((rn == SP && back) || (load && w >> SP & 1))
		i->op = INSN_SP_LOST;
}

/* An instruction that may not run leaves all as it was. */
static void
condition(struct insn *i)
{
	if (i->op == INSN_JUMP)
		i->op = INSN_BRANCH;
	else if (i->op != INSN_CALL && i->op != INSN_BRANCH && i->op != INSN_SP_LOST)
		i->op = INSN_PLAIN;
}

void
arm_a32(const uint8_t *p, uint64_t n, struct insn *i)
{
	uint32_t w = n < 4 ? 0 : half(p) | half(p + 2) << 16, kind = w >> 25 & 7;

	begin(i, n < 4 ? 0 : 4);
	if (n < 4)
		return;
	if (w >> 28 == 15) {
		if (kind == 5)   /* blx */
			branch(i, INSN_CALL, extend(w, 24) * 4 + 8 + (int32_t)(w >> 23 & 2));
		return;
	}
	if ((w & 0x0ffffff0) == 0x012fff10)
		i->op = (w & 15) == LR ? INSN_RETURN : INSN_JUMP_AWAY;
	else if ((w & 0x0ffffff0) == 0x012fff30)
		i->op = INSN_CALL;
	else if ((w & 0x0ff000f0) == 0x07f000f0)
		i->op = INSN_STOP;
	else if (kind == 0 && (w & 0x90) == 0x90) {
		if (w & 0x60)
			load_store_extra(i, w);
	} else if ((w & 0x0fb00000) == 0x03000000) {   /* movw, movt */
		if ((w & 0x00400000) == 0 && (w >> 12 & 15) == R7)
			constant(i, R7, (w >> 4 & 0xf000) | (w & 0xfff));
	} else if (kind < 2)
		process(i, w);
	else if (kind == 2 || (kind == 3 && !(w & 0x10)))
		load_store(i, w);
	else if (kind == 4)
		block(i, w);
	else if (kind == 5)
		branch(i, w >> 24 & 1 ? INSN_CALL : INSN_JUMP, extend(w, 24) * 4 + 8);
	else if ((w & 0x0fbf0e00) == 0x0d2d0a00 || (w & 0x0fbf0e00) == 0x0cbd0a00) {   /* vpush, vpop */
		i->op = INSN_SP_ADD;
		i->off = (int32_t)(w & 0xff) * (w >> 24 & 1 ? -4 : 4);
	} else if (kind == 7 && w >> 24 & 1)
		i->op = INSN_SYSCALL;
	if (w >> 28 != 14)
		condition(i);
}

/* ---- T32 ---- */

/* The constant that the twelve bits mean. */
static uint32_t
expanded(uint32_t v)
{
	uint32_t b = v & 0xff, r = v >> 7 & 31;

	switch (v >> 8 & 15) {
	case 0: return b;
	case 1: return b | b << 16;
	case 2: return b << 8 | b << 24;
	case 3: return b * 0x01010101;
	}
	b = (v & 0x7f) | 0x80;
	return b >> r | b << (32 - r);
}

/* b, bl, blx, and the codes among them */
static void
t32_branch(struct insn *i, uint32_t a, uint32_t b)
{
	uint32_t s = a >> 10 & 1, j1 = b >> 13 & 1, j2 = b >> 11 & 1, low = (b & 0x7ff) << 1;

	if (!(b & 0x5000)) {   /* a condition, or not one of these */
		if ((a >> 7 & 7) != 7)
			branch(i, INSN_BRANCH, extend(s << 20 | j2 << 19 | j1 << 18 | (a & 63) << 12 | low, 21) + 4);
		else if ((a & 0xfff0) == 0xf7f0 && (b & 0xf000) == 0xa000)
			i->op = INSN_STOP;
		return;
	}
	branch(i, b & 0x4000 ? INSN_CALL : INSN_JUMP,
	       extend(s << 24 | (uint32_t)(j1 == s) << 23 | (uint32_t)(j2 == s) << 22 | (a & 0x3ff) << 12 | low, 25) + 4);
}

/* Data processing with a constant. */
static void
t32_constant(struct insn *i, uint32_t a, uint32_t b)
{
	unsigned rn = a & 15, rd = b >> 8 & 15, op = a >> 5 & 15;
	uint32_t v = (a >> 10 & 1) << 11 | (b >> 12 & 7) << 8 | (b & 0xff);
	bool plain = a >> 9 & 1;

	if (!plain)
		v = expanded(v);
	if (!plain && (op == 8 || op == 13) && rd != PC)
		sum(i, rd, rn, (int32_t)(op == 8 ? v : -v));
	else if (plain && (op == 0 || op == 5) && rn != PC)
		sum(i, rd, rn, (int32_t)(op == 0 ? v : -v));
	else if (op == 2 && rd == R7 && (plain || rn == PC))
		constant(i, rd, plain ? rn << 12 | v : v);
	else if (rd != PC)
		write(i, rd);
}

static void
t32_load_store(struct insn *i, uint32_t a, uint32_t b)
{
	unsigned rn = a & 15, rt = b >> 12;
	bool load = a >> 4 & 1, word = (a >> 5 & 3) == 2;
	int32_t off = a >> 7 & 1 ? (int32_t)(b & 0xfff) : b & 0x200 ? (int32_t)(b & 0xff) : -(int32_t)(b & 0xff);

	if (rn == SP && word && (a >> 7 & 1 || b & 0x800))
		indexed(i, rt, 0, load, a >> 7 & 1 || b & 0x400, !(a >> 7 & 1) && b & 0x100, off);
	else if (load && word && rt == PC)
		i->op = rn == PC || rn == R12 ? INSN_RETURN : INSN_JUMP_AWAY;
	else if (load && word)
		write(i, rt);
}

/* Loads and stores of several registers or pairs, and table branches. */
static void
t32_multiple(struct insn *i, uint32_t a, uint32_t b)
{
	unsigned rn = a & 15;
	bool load = a >> 4 & 1, back = a >> 5 & 1;
	int32_t off = (int32_t)(b & 0xff) * (a >> 7 & 1 ? 4 : -4);

	if ((a & 0xfff0) == 0xe8d0 && (b & 0xffe0) == 0xf000)
		i->op = INSN_JUMP_AWAY;
	else if (!(a >> 6 & 1) && rn == SP && back && (a >> 7 & 3) == (load ? 1u : 2u))
		multiple(i, b, load);
	else if (!(a >> 6 & 1) && load && b >> PC & 1)
		i->op = INSN_JUMP_AWAY;
	else if (a >> 6 & 1 && (a >> 8 & 1 || back) && rn == SP)
		indexed(i, b >> 12, b >> 8 & 15, load, a >> 8 & 1, back, off);
}

static void
t32_long(struct insn *i, uint32_t a, uint32_t b)
{
	if (a >> 9 == 0x74)
		t32_multiple(i, a, b);
	else if (a >> 9 == 0x75) {
		if ((a & 0xffef) == 0xebad && (b & 0xfff0) == 0x0d00) {   /* sub sp, sp, register */
			i->op = INSN_SP_ADD_REG;
			i->reg = b & 15;
			i->off = -1;
		} else if ((a & 0xffef) == 0xea4f && !(b & 0x70f0))   /* mov */
			move(i, b >> 8 & 15, b & 15);
		else if ((b >> 8 & 15) != PC)
			write(i, b >> 8 & 15);
	} else if ((a & 0xffbf) == 0xed2d || (a & 0xffbf) == 0xecbd) {
		if ((b & 0x0e00) == 0x0a00) {
			i->op = INSN_SP_ADD;
			i->off = (int32_t)(b & 0xff) * (a >> 8 & 1 ? -4 : 4);
		}
	} else if (a >> 11 == 0x1e && b & 0x8000)
		t32_branch(i, a, b);
	else if (a >> 11 == 0x1e)
		t32_constant(i, a, b);
	else if (a >> 9 == 0x7c)
		t32_load_store(i, a, b);
}

/* mov, add and bx of any registers */
static void
t32_high(struct insn *i, uint32_t a)
{
	unsigned rd = (a & 7) | (a >> 4 & 8), rm = a >> 3 & 15, op = a >> 8 & 3;

	if (op == 3)
		i->op = a >> 7 & 1 ? INSN_CALL : rm == LR ? INSN_RETURN : INSN_JUMP_AWAY;
	else if (op == 2)
		move(i, rd, rm);
	else if (op == 0 && rd == SP) {
		i->op = INSN_SP_ADD_REG;
		i->reg = (uint8_t)rm;
		i->off = 1;
	} else if (op == 0)
		write(i, rd);
}

/* Instructions that begin with 1011. */
static void
t32_misc(struct insn *i, uint32_t a)
{
	if ((a & 0xff00) == 0xb000) {
		i->op = INSN_SP_ADD;
		i->off = (int32_t)(a & 0x7f) * (a & 0x80 ? -4 : 4);
	} else if ((a & 0xfe00) == 0xb400)
		multiple(i, (a & 0xff) | (a & 0x100) << 6, false);
	else if ((a & 0xfe00) == 0xbc00)
		multiple(i, (a & 0xff) | (a & 0x100) << 7, true);
	else if ((a & 0xf500) == 0xb100)   /* cbz, cbnz */
		branch(i, INSN_BRANCH, (int32_t)((a >> 3 & 0x1f) << 1 | (a >> 9 & 1) << 6) + 4);
	else if ((a & 0xff00) == 0xbe00)
		i->op = INSN_STOP;
}

static void
t32_short(struct insn *i, uint32_t a)
{
	switch (a >> 12) {
	case 2:   /* mov rd, #constant */
		if ((a & 0xff00) == 0x2700)
			constant(i, R7, a & 0xff);
		break;
	case 3:   /* add and sub */
		if ((a & 0xf700) == 0x3700)
			sum(i, R7, R7, (int32_t)(a & 0xff) * (a & 0x800 ? -1 : 1));
		break;
	case 4:
		if ((a & 0xfc00) == 0x4400)
			t32_high(i, a);
		break;
	case 10:
		if ((a & 0xff00) == 0xaf00)
			sum(i, R7, SP, (int32_t)(a & 0xff) * 4);
		break;
	case 11:
		t32_misc(i, a);
		break;
	case 13:
		if ((a >> 8 & 15) == 15)
			i->op = INSN_SYSCALL;
		else if ((a >> 8 & 15) == 14)
			i->op = INSN_STOP;
		else
			branch(i, INSN_BRANCH, extend(a, 8) * 2 + 4);
		break;
	case 14:
		branch(i, INSN_JUMP, extend(a, 11) * 2 + 4);
		break;
	}
}

static void
t32_one(const uint8_t *p, uint64_t n, struct insn *i)
{
	uint32_t a = n < 2 ? 0 : half(p), wide = a >> 11 > 0x1c;

	begin(i, n < 2 + 2 * wide ? 0 : 2 + 2 * wide);
	if (!i->len)
		return;
	if (wide)
		t32_long(i, a, half(p + 2));
	else
		t32_short(i, a);
}

/* An `it` instruction and the up to four that depend on it count as one: they may do nothing. */
void
arm_t32(const uint8_t *p, uint64_t n, struct insn *i)
{
	struct insn part, whole;

	t32_one(p, n, i);
	if (n < 2 || (half(p) & 0xff00) != 0xbf00 || !(p[0] & 15))
		return;
	whole = *i;
	for (int left = 4 - __builtin_ctz(p[0] & 15); left; left--) {
		t32_one(p + whole.len, n - whole.len, &part);
		if (!part.len)
			break;
		part.target += part.target ? whole.len : 0;
		part.len = (uint8_t)(part.len + whole.len);
		condition(&part);
		if (part.op != INSN_PLAIN)
			whole = part;
		whole.len = part.len;
	}
	*i = whole;
}
