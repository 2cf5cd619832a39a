/* As much of x86's instruction set (Intel SDM volume 2, appendix A) as it takes to follow the stack pointer: the length of
 * each instruction, and what it does to rsp and rbp; in 64-bit and in 32-bit code. */
#include "arch.h"

#include <string.h>

enum { MODRM = X86_MODRM, IMM8 = X86_IMM8, IMMZ = X86_IMMZ, INVALID = X86_INVALID };

/* Sixteen a row. */
const char x86_operands[] =
	"1111248811112488" "1111248811112488" "1111248811112488" "1111248811112488"
	"0000000000000000" "0000000000000000" "8801000045230000" "2222222222222222"
	"3583111111111111" "0000000000800000" "0000000024000000" "2222222244444444"
	"3300883500000200" "1111888011111111" "2222222244820000" "0800001100000011";

struct code {
	const uint8_t *p, *end;
};

static unsigned
next(struct code *c)
{
	return c->p < c->end ? *c->p++ : 0;
}

int32_t
x86_number(const uint8_t *p, unsigned size)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return size == 1 ? (int8_t)v : (int32_t)v;
}

/* Bytes of SIB and displacement behind a ModRM byte at P. */
static unsigned
operand_len(const uint8_t *p, const uint8_t *end)
{
	unsigned mod = *p >> 6, rm = *p & 7, sib = mod < 3 && rm == 4;

	if (mod == 3)
		return 0;
	if (mod == 0 && (rm == 5 || (sib && p + 1 < end && (p[1] & 7) == 5)))
		return sib + 4;
	return sib + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

struct x86 {
	unsigned map, op;        /* 0: one byte; 1: 0f, 2: 0f 38, 3: 0f 3a */
	unsigned rex, flags;
	bool wide, rep, vex;     /* wide: behind 66 */
	bool narrow;             /* 32-bit code */
	bool full;               /* an operand that is a register has the address's size */
	const uint8_t *modrm, *imm;
	unsigned mod, reg, rm;   /* with REX's bits */
	unsigned imm_len;
};

static unsigned
two_byte_flags(unsigned map, unsigned op)
{
	static const uint8_t bare[] = {   /* no ModRM */
		0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x37, 0x77, 0xa0, 0xa1, 0xa2,
		0xa8, 0xa9, 0xaa, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf
	};

	if (map == 2)
		return MODRM;
	if (map == 3)
		return MODRM | IMM8;
	if (op >= 0x80 && op <= 0x8f)
		return IMMZ;
	if (memchr(bare, (int)op, sizeof bare))
		return 0;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6))
		return MODRM | IMM8;
	return op == 0x04 || op == 0x0a || op == 0x0c || op == 0x0f || (op >= 0x24 && op <= 0x27) || op == 0x36
	       ? INVALID : MODRM;
}

/* The prefixes of AVX: C5 with one more byte, C4 with two, 62 with three; AMD's XOP: 8F with two. */
static void
read_vex(struct code *c, struct x86 *x)
{
	unsigned p0 = next(c), first = x->op;

	x->vex = true;
	x->map = first == 0xc5 ? 1 : p0 & (first == 0x62 ? 7 : 31);
	x->rex = 0;
	if (first != 0xc5)
		next(c);
	if (first == 0x62)
		next(c);
	x->op = next(c);
	x->flags = x->map == 1 && x->op == 0x77 ? 0 : MODRM;
	if (x->map == 3 || x->map == 8 || (x->map == 1 && two_byte_flags(1, x->op) & IMM8))
		x->flags |= IMM8;
	if (x->map == 10)
		x->flags |= IMMZ;
}

/* Opcodes that mean something else, or nothing, in 64-bit code. */
static unsigned
narrow_flags(unsigned op)
{
	return op == 0x82 ? MODRM | IMM8 : op == 0x62 || op == 0xc4 || op == 0xc5 ? MODRM : op == 0xd4 || op == 0xd5 ? IMM8 : 0;
}

/* Whether B, with the next bytes, is a prefix of AVX: in 32-bit code B is an instruction of its own if it reads memory. */
static bool
is_vex(const struct code *c, const struct x86 *x, unsigned b)
{
	unsigned behind = c->p < c->end ? *c->p : 0;

	if (b == 0x8f)
		return (behind & 31) >= 8;
	return (b == 0xc4 || b == 0xc5 || b == 0x62) && (!x->narrow || behind >= 0xc0);
}

static void
read_opcode(struct code *c, struct x86 *x)
{
	unsigned b;

	for (;;) {
		b = next(c);
		if (b == 0x66)
			x->wide = true;
		else if (b == 0xf2 || b == 0xf3)
			x->rep = true;
		else if (!memchr("\x2e\x36\x3e\x26\x64\x65\x67\xf0", (int)b, 8))
			break;
		if (c->p >= c->end) {
			x->flags = INVALID;
			return;
		}
	}
	if ((b & 0xf0) == 0x40 && !x->narrow) {
		x->rex = b;
		b = next(c);
	}
	x->op = b;
	x->full = x->narrow ? !x->wide : (x->rex & 8) != 0;
	if (is_vex(c, x, b)) {
		read_vex(c, x);
		return;
	}
	if (b != 0x0f) {
		x->flags = (unsigned)x86_operands[b] - '0';
		if (x->narrow && (x->flags & INVALID || b == 0x62))
			x->flags = narrow_flags(b);
		return;
	}
	x->map = 1;
	x->op = next(c);
	if (x->op == 0x38 || x->op == 0x3a) {
		x->map = x->op == 0x38 ? 2 : 3;
		x->op = next(c);
	}
	x->flags = two_byte_flags(x->map, x->op);
}

static unsigned
immediate_len(const struct x86 *x)
{
	unsigned op = x->op;
	unsigned z = x->wide ? 2 : 4;

	if (x->map == 0 && !x->vex) {
		if ((op == 0xf6 || op == 0xf7) && x->reg % 8 < 2)
			return op == 0xf6 ? 1 : z;
		if (op >= 0xa0 && op <= 0xa3)
			return x->narrow ? 4 : 8;
		if (op == 0x9a || op == 0xea)
			return 6;
		if (op >= 0xb8 && op <= 0xbf && x->rex & 8)
			return 8;
		if (op == 0xe8 || op == 0xe9)
			return 4;
		if (op == 0xc2 || op == 0xca)
			return 2;
		if (op == 0xc8)
			return 3;
	}
	if (x->map == 1 && op >= 0x80 && op <= 0x8f && !x->vex)
		return 4;
	return x->flags & IMM8 ? 1 : x->flags & IMMZ ? z : 0;
}

/* Takes the instruction apart.  Returns its length, or 0 if it is not an instruction. */
static unsigned
read_insn(const uint8_t *bytes, uint64_t n, bool narrow, struct x86 *x)
{
	struct code c;

	if (!n)   /* there may be no address either */
		return 0;
	c = (struct code){ bytes, bytes + (n < 15 ? n : 15) };
	x->narrow = narrow;
	read_opcode(&c, x);
	if (x->flags & INVALID)
		return 0;
	if (x->flags & MODRM) {
		if (c.p >= c.end)
			return 0;
		x->modrm = c.p;
		x->mod = *c.p >> 6;
		x->reg = (*c.p >> 3 & 7) | (x->rex & 4) << 1;
		x->rm = (*c.p & 7) | (x->rex & 1) << 3;
		if (operand_len(c.p, c.end) >= (uint64_t)(c.end - c.p))
			return 0;
		c.p += 1 + operand_len(c.p, c.end);
	}
	x->imm = c.p;
	x->imm_len = immediate_len(x);
	if (x->imm_len > (uint64_t)(c.end - c.p) || c.p == bytes)
		return 0;
	return (unsigned)(c.p - bytes) + x->imm_len;
}

/* The numbers of the instruction set; DWARF has others. */
enum { SP = 4, FP = 5 };

static const uint8_t dwarf_reg[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

/* DWARF's number of a register: in 32-bit code the same number. */
static uint8_t
number_of(const struct x86 *x, unsigned reg)
{
	return x->narrow ? (uint8_t)reg : dwarf_reg[reg];
}

/* The general register of full width that the instruction writes by its plain form, or -1. */
static int
written(const struct x86 *x)
{
	unsigned op = x->op, group = x->reg & 7;

	if (x->vex || x->map > 1)
		return -1;
	if (x->map == 1) {
		if ((op >= 0x40 && op <= 0x4f) || op == 0xaf || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf ||
		    op == 0xb8 || op == 0xbc || op == 0xbd || op == 0x02 || op == 0x03)
			return (int)x->reg;
		if (op >= 0xc8 && op <= 0xcf)
			return (int)((op & 7) | (x->rex & 1) << 3);
		if (x->mod == 3 && (op == 0xb1 || op == 0xc1 || op == 0xa4 || op == 0xa5 || op == 0xac || op == 0xad ||
		                    (op == 0x7e && !x->rep) || op == 0xab || op == 0xb3 || op == 0xbb || (op == 0xba && group > 4)))
			return (int)x->rm;
		return -1;
	}
	if (op < 0x40 && (op & 7) == 3)
		return op == 0x3b ? -1 : (int)x->reg;
	if (x->narrow && (op & 0xf0) == 0x40)
		return (int)(op & 7);
	if (op == 0x8b || op == 0x63 || op == 0x69 || op == 0x6b || op == 0x8d)
		return (int)x->reg;
	if ((op >= 0x90 && op <= 0x97) || (op >= 0xb8 && op <= 0xbf))
		return (int)((op & 7) | (x->rex & 1) << 3);
	if (op == 0x87 && (x->reg == SP || x->reg == FP))
		return (int)x->reg;
	if (!x->modrm || x->mod != 3)
		return -1;
	if ((op < 0x40 && (op & 7) == 1) || op == 0x89 || op == 0x87 || op == 0xc7 || op == 0xc1 || op == 0xd1 || op == 0xd3)
		return op == 0x39 ? -1 : (int)x->rm;
	if ((op == 0x81 || op == 0x83) && group != 7)
		return (int)x->rm;
	if ((op == 0xf7 && (group == 2 || group == 3)) || (op == 0xff && group < 2))
		return (int)x->rm;
	return -1;
}

/* lea's operand as base register and displacement: false if the operand has more parts. */
static bool
lea_operand(const struct x86 *x, unsigned *base, int32_t *off)
{
	const uint8_t *p = x->modrm + 1;

	if (x->mod == 3 || (x->mod == 0 && (x->rm & 7) == 5))
		return false;
	*base = x->rm;
	if ((x->rm & 7) == 4) {
		if ((*p & 0x38) != 0x20 || x->rex & 2)   /* an index */
			return false;
		*base = (*p & 7) | (x->rex & 1) << 3;
		if (x->mod == 0 && (*p & 7) == 5)
			return false;
		p++;
	}
	*off = x->mod == 0 ? 0 : x86_number(p, x->mod == 1 ? 1 : 4);
	return true;
}

/* How an instruction other than push and pop gives rsp or rbp a new value. */
static void
read_move(const struct x86 *x, unsigned to, struct insn *i)
{
	unsigned op = x->op, base = 0;
	bool move = (op == 0x89 || op == 0x8b) && !x->map && x->mod == 3;
	int32_t off = 0;

	i->op = to == SP ? INSN_SP_LOST : INSN_FP_LOST;
	if (x->map)
		return;
	if (to == FP && op == 0x8b && x->full && lea_operand(x, &base, &off) && base == SP && off == (int16_t)off) {
		i->op = INSN_RESTORE;
		i->fp_at = (int16_t)off;
		return;
	}
	if (to == FP && op == 0x8b && x->full && x->mod && base == FP) {
		i->op = INSN_FP_LOAD;
		i->off = off;
		return;
	}
	if (to == FP && (op == 0x31 || op == 0x33) && x->mod == 3 && x->reg == x->rm)
		i->op = INSN_FP_ZERO;
	if (to == SP && (op == 0x81 || op == 0x83) && (x->reg & 7) == 4)
		i->off = x86_number(x->imm, x->imm_len);
	if (to == SP && (op == 0x81 || op == 0x83) && ((x->reg & 7) == 0 || (x->reg & 7) == 5)) {
		off = x86_number(x->imm, x->imm_len);
		if (off == INT32_MIN)
			return;
		i->op = INSN_SP_ADD;
		i->off = (x->reg & 7) ? -off : off;
		return;
	}
	if (move)
		base = op == 0x89 ? x->reg : x->rm;
	else if (op != 0x8d || !lea_operand(x, &base, &off))
		return;
	i->off = off;
	i->reg = number_of(x, base);
	if (to == SP)
		i->op = base == SP ? INSN_SP_ADD : base == FP ? INSN_SP_FROM_FP : INSN_SP_FROM_REG;
	else if (to == FP && base == SP)
		i->op = INSN_FP_FROM_SP;
}

static void
jump(struct insn *i, enum insn_op op, const struct x86 *x)
{
	int64_t target = (int64_t)x86_number(x->imm, x->imm_len) + i->len;

	i->op = (uint8_t)op;
	i->target = (int32_t)target;
	if (target != i->target)
		i->op = INSN_BAD;
}

/* ff /n */
static void
read_group5(const struct x86 *x, struct insn *i)
{
	switch (x->reg & 7) {
	case 2:
		i->op = INSN_CALL;
		break;
	case 4:   /* through memory at a fixed place: a PLT entry or a tail call; by a register and 32 bits: one of 32-bit code's */
		i->op = (x->mod == 0 && (x->rm & 7) == 5) || (x->narrow && x->mod == 2 && x->rm != 4) ? INSN_RETURN : INSN_JUMP_AWAY;
		i->target = i->op == INSN_RETURN && !x->narrow ? x86_number(x->modrm + 1, 4) + i->len : 0;
		break;
	case 6:
		i->op = INSN_PUSH;
		break;
	case 3:
	case 5:
	case 7:
		i->op = INSN_BAD;
		break;
	}
}

/* An operand on the stack by rbp and a displacement. */
static void
read_local(const struct x86 *x, struct insn *i)
{
	if (!x->modrm || x->mod % 3 == 0 || x->rm != FP)
		return;
	i->off = x86_number(x->modrm + 1, x->mod == 1 ? 1 : 4);
	i->local = i->off < 0;
	if (!x->vex && !x->map && x->op == 0x8b && x->full && x->reg != SP && x->reg != FP) {
		i->op = INSN_LOAD;
		i->reg = number_of(x, x->reg);
	}
}

void
x86_decode(const uint8_t *bytes, uint64_t n, bool narrow, struct insn *i)
{
	struct x86 x = { 0 };
	unsigned len = read_insn(bytes, n, narrow, &x), op = x.op, base = 0;
	int32_t off = 0;
	int reg;

	*i = (struct insn){ .op = len ? INSN_PLAIN : INSN_BAD, .len = (uint8_t)len, .reg = NO_REG, .fp_at = NO_SLOT, .ra_at = NO_SLOT };
	if (len)
		read_local(&x, i);
	if (!len || x.vex)
		return;
	if (narrow ? (!x.map && op == 0xcd && *x.imm == 0x80) || (x.map == 1 && op == 0x34) : x.map == 1 && op == 0x05)
		i->op = INSN_SYSCALL;
	else if (x.map == 1 && (op == 0x0b || op == 0xff || op == 0xb9))   /* ud2 and its like */
		i->op = INSN_STOP;
	else if (x.map == 1 && op >= 0x80 && op <= 0x8f)
		jump(i, INSN_BRANCH, &x);
	else if (!x.map && op >= 0x50 && op <= 0x5f) {
		reg = (int)((op & 7) | (x.rex & 1) << 3);
		i->op = op < 0x58 ? INSN_PUSH : reg == SP ? INSN_SP_LOST : INSN_POP;
		i->of_fp = reg == FP;
		i->reg = number_of(&x, (unsigned)reg);
	} else if (!x.map && (op == 0x68 || op == 0x6a || op == 0x9c))
		i->op = INSN_PUSH;
	else if (!x.map && (op == 0x8f || op == 0x9d)) {
		i->op = INSN_POP;
		if (op == 0x8f && lea_operand(&x, &base, &off) && base == SP && off == (int16_t)off)
			i->ra_at = (int16_t)off;
	}
	else if (!x.map && ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)))
		jump(i, INSN_BRANCH, &x);
	else if (!x.map && (op == 0xe9 || op == 0xeb))
		jump(i, INSN_JUMP, &x);
	else if (!x.map && op == 0xe8) {
		jump(i, INSN_CALL, &x);
		if (narrow && i->target == i->len)   /* how 32-bit code learns where it is */
			i->op = INSN_PUSH;
	} else if (narrow && !x.map && op >= 0x60 && op <= 0x61)
		i->op = INSN_SP_LOST;
	else if (narrow && !x.map && (op == 0x06 || op == 0x0e || op == 0x16 || op == 0x1e))   /* segment registers */
		i->op = INSN_PUSH;
	else if (narrow && !x.map && (op == 0x07 || op == 0x17 || op == 0x1f))
		i->op = INSN_POP;
	else if (!x.map && (op == 0xc3 || op == 0xc2))
		i->op = INSN_RETURN;
	else if (!x.map && op == 0xc9)
		i->op = INSN_LEAVE;
	else if (!x.map && op == 0xc8)
		i->op = INSN_SP_LOST;
	else if (!x.map && (op == 0xf4 || op == 0xcc))
		i->op = INSN_STOP;
	else if (!x.map && op == 0xff && (x.reg & 7) > 1)
		read_group5(&x, i);
	else if ((reg = written(&x)) == SP || reg == FP)
		read_move(&x, (unsigned)reg, i);
	else if (!x.map && op == 0x89 && x.full && x.reg == FP && lea_operand(&x, &base, &off) && base == SP && off == (int16_t)off) {
		i->op = INSN_SAVE;
		i->fp_at = (int16_t)off;
	}
}

/* Whether the instruction writes no general register but that of written(). */
static bool
writes_one(const struct x86 *x)
{
	static const uint8_t plain[] = { 0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33, 0x38, 0x39, 0x3b, 0x63, 0x68, 0x69, 0x6a, 0x6b,
	                                 0x81, 0x83, 0x84, 0x85, 0x89, 0x8b, 0x8d, 0xc7, 0xc1, 0xe9, 0xeb },
	                     two[] = { 0x10, 0x11, 0x1f, 0x28, 0x29, 0x2a, 0x2e, 0x2f, 0x57, 0x58, 0x59, 0x5c, 0x5e, 0x6f, 0x7f, 0xb6, 0xb7, 0xbe, 0xbf,
	                               0xd6, 0xef };   /* moves and sums of vectors, and loads of bytes */
	unsigned op = x->op, group = x->reg & 7;

	if (x->vex || x->map > 1)
		return false;
	if (x->map)
		return (op >= 0x40 && op <= 0x4f) || (op >= 0x80 && op <= 0x8f) || memchr(two, (int)op, sizeof two);
	if (op == 0x80 || op == 0xf6 || op == 0xf7)   /* cmp; test */
		return group == (op == 0x80 ? 7 : 0);
	if (op == 0x88 || op == 0xc6 || op == 0x8f)
		return x->mod != 3;
	return (op >= 0x50 && op <= 0x5f) || (op >= 0x70 && op <= 0x7f) || (op >= 0xb8 && op <= 0xbf) || (op == 0xff && group != 2 && group != 3) ||
	       memchr(plain, (int)op, sizeof plain);
}

/* Whether the instruction may name the register with that number plus 1: without REX or another prefix none names r8 to r15. */
static bool
concerns(const uint8_t *bytes, unsigned reg)
{
	static const uint8_t others[] = { 0x0f, 0x62, 0x66, 0x67, 0x8f, 0xc4, 0xc5, 0xcd, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65 };

	if (reg <= 8)
		return reg;
	return (bytes[0] & 0xf0) == 0x40 ? bytes[0] & 5 || (bytes[1] & 0xf0) == 0x40 : memchr(others, *bytes, sizeof others) != NULL;
}

/* mov $ADDRESS,REG; lea OFF(REG),REG; jmp *REG. */
bool
x86_far(const uint8_t *bytes, uint64_t n, const struct insn *i, struct far *f)
{
	struct x86 x = { 0 };
	unsigned base = 0;
	int32_t off = 0;

	if (i->op == INSN_CALL || i->op == INSN_SYSCALL) {
		f->reg = 0;
		return false;
	}
	if ((!concerns(bytes, f->reg) && !((bytes[0] & 0xf8) == 0x48 && bytes[1] >> 3 == 0xb8 >> 3)) ||
	    !read_insn(bytes, n, false, &x))
		return false;
	if (i->op == INSN_JUMP_AWAY)
		return x.mod == 3 && x.rm + 1 == f->reg;
	if (!x.map && x.imm_len == 8 && x.op >= 0xb8 && x.op <= 0xbf) {
		f->reg = (uint8_t)(1 + ((x.op & 7) | (x.rex & 1) << 3));
		memcpy(&f->addr, x.imm, sizeof f->addr);
	} else if (f->reg && written(&x) + 1 == f->reg && !x.map && x.op == 0x8d && x.full && *bytes != 0x67 && lea_operand(&x, &base, &off) &&
	           base + 1 == f->reg) {
		f->addr += (uint64_t)(int64_t)off;
	} else if (!writes_one(&x) || written(&x) + 1 == f->reg || (!x.map && x.op >= 0x58 && x.op <= 0x5f && ((x.op & 7) | (x.rex & 1) << 3) + 1 == f->reg)) {
		f->reg = 0;
	}
	return false;
}

/* call rel32 (e8), or call r/m (ff /2) whose operand ends there too. */
bool
x86_after_call(const uint8_t *end, uint64_t n)
{
	if (n >= 5 && end[-5] == 0xe8)
		return true;
	for (int len = 2; len <= 7 && (uint64_t)len <= n; len++) {
		const uint8_t *p = end - len;

		if (p[0] == 0xff && (p[1] & 0x38) == 0x10 && 2 + (int)operand_len(p + 1, end) == len)
			return true;
	}
	return false;
}

uint64_t
x86_called(const uint8_t *bytes, uint64_t n, uint64_t vaddr, uint64_t lo, uint64_t hi)
{
	uint64_t last = 0, target;

	for (uint64_t i = 0; i + 5 <= n; i++)
		if (bytes[i] == 0xe8 && memcmp(bytes + i + 1, "\0\0\0", 4) != 0 &&
		    (target = vaddr + i + 5 + (uint64_t)x86_number(bytes + i + 1, 4)) - lo <= hi - lo && target > last)
			last = target;
	return last;
}
