/* Decodes most of x86-64's instructions quickly: those that concern neither sp nor fp, and calls, jumps and returns.  It
 * says the same of them as x86_insn.c, which decodes all others (Intel SDM volume 2, appendix A). */
#include "arch.h"

#include <stddef.h>

enum { LONGEST = 15, PREFIXES = 4, SP = 4, FP = 5 };
enum { TWO = 256, WIDE = 8, REX_R = 4, REX_B = 1 };
/* What a plain instruction has: MODRM with a register's number REG, and its operand OPERAND; neither may be sp or fp.  If the
 * register's place holds more of the opcode, or the registers are of another kind, these bits are not set. */
enum { MODRM = X86_MODRM, IMM8 = X86_IMM8, IMMZ = X86_IMMZ, REG = 8, OPERAND = 16, NOT_PLAIN = 32 };

/* Opcodes, sixteen a row.  Plain ones: the bits above, from @ on.  p: a prefix; x: REX; t: 0f, another byte follows; b: a
 * branch; j: a jump; c: a call; r: a return; u: a push; o: a pop; f: f6 and f7; i: with the register in the opcode; x86_insn.c
 * decodes the others. */
static const char kinds[] =
	"YYYYBD..YYYYBD.t" "YYYYBD..YYYYBD.." "YYYYBDp.YYYYBDp." "YYYYBDp.YYYYBDp."
	"xxxxxxxxxxxxxxxx" "uuuuuuuuoooooooo" "...Yppp..].[...." "bbbbbbbbbbbbbbbb"
	"SU.SYYYYYYYYYYY." "@.......@@......" "....@@@@BD@@@@@@" "BBBBBBBBiiiiiiii"
	"SS.r..SU........" "QQQQ....QQQQQQQQ" "........cj.j...." "p.pp.@ff@@..@@Q."
	/* behind 0f */
	".............A.." "AAAAAAAAAAAAAAAA" "........AAAA..AA" "................"
	"YYYYYYYYYYYYYYYY" ".AAAAAAAAAAAAAAA" "AAAAAAAAAAAAAAAA" "....AAA........A"
	"bbbbbbbbbbbbbbbb" "AAAAAAAAAAAAAAAA" "...Y..........AY" "......YY......YY"
	"................" "AAAAAAA.AAAAAAAA" "AAAAAAAAAAAAAAAA" ".AAAAAAAAAAAAAA.";

/* Bytes of SIB and displacement, by mod and rm. */
static const uint8_t operand_len[32] = { 0, 0, 0, 0, 1, 4, 0, 0, 1, 1, 1, 1, 2, 1, 1, 1, 4, 4, 4, 4, 5, 4, 4, 4 };

/* Registers 4 and 5, sp and fp, without REX's bit for 8 more. */
static inline bool
is_frames(unsigned reg, unsigned more)
{
	return (reg & 6) == 4 && !more;
}

struct opcode {
	const uint8_t *end;
	unsigned op;              /* of one byte, else 0 */
	unsigned rex, z;          /* z: bytes of an immediate of full size */
	char kind;
};

static inline bool
read_opcode(const uint8_t *p, struct opcode *o)
{
	const uint8_t *begin = p;

	o->rex = 0;
	o->z = 4;
	o->kind = kinds[o->op = *p++];
	if (o->kind != 'x') {
		for (; o->kind == 'p'; o->kind = kinds[o->op = *p++]) {
			if (o->op == 0x66)
				o->z = 2;
			if (p - begin > PREFIXES)
				return false;
		}
	}
	if (o->kind == 'x') {
		o->rex = o->op;
		o->kind = kinds[o->op = *p++];
	}
	if (o->kind == 't') {
		o->kind = kinds[TWO + *p++];
		o->op = 0;
	}
	o->end = p;
	return true;
}

/* The end of the plain instruction that begins with O; NULL if it concerns sp or fp. */
static inline const uint8_t *
plain_end(const struct opcode *o)
{
	const uint8_t *p = o->end;
	unsigned kind = (unsigned)o->kind, modrm = *p, form = (modrm >> 3 & 0x18) | (modrm & 7);

	if (kind & MODRM) {
		if ((kind & REG && is_frames(modrm >> 3, o->rex & REX_R)) ||
		    (kind & OPERAND && modrm >= 0xc0 && is_frames(modrm, o->rex & REX_B)))
			return NULL;
		p += 1 + operand_len[form] + (form == 4 && (p[1] & 7) == FP ? 4 : 0);
	}
	return p + (kind & IMM8 ? 1 : kind & IMMZ ? o->z : 0);
}

static void
go_to(struct insn *i, enum insn_op op, const uint8_t *bytes, const uint8_t *at, unsigned size)
{
	int64_t target;

	i->op = (uint8_t)op;
	i->len = (uint8_t)(at + size - bytes);
	target = (int64_t)x86_number(at, size) + i->len;
	i->target = (int32_t)target;
	if (target != i->target)
		i->op = INSN_BAD;
}

static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

/* Whether an operand is relative to fp. */
static void
local(struct insn *i, const uint8_t *modrm, const struct opcode *o)
{
	unsigned mod = *modrm >> 6;

	if ((mod != 1 && mod != 2) || (*modrm & 7) != FP || o->rex & REX_B)
		return;
	i->off = x86_number(modrm + 1, mod == 1 ? 1 : 4);
	i->local = i->off < 0;
	if (o->op == 0x8b && o->rex & WIDE) {
		i->op = INSN_LOAD;
		i->reg = dwarf[(*modrm >> 3 & 7) + (o->rex & REX_R ? 8 : 0)];
	}
}

/* Opcodes with kinds of their own. */
static bool
other_kind(const uint8_t *bytes, struct opcode *o, struct insn *i)
{
	const uint8_t *p = o->end;
	unsigned reg = (o->op & 7) | (o->rex & REX_B) << 3;

	switch (o->kind) {
	case 'b':
		go_to(i, INSN_BRANCH, bytes, p, o->op ? 1 : 4);
		return true;
	case 'j':
		go_to(i, INSN_JUMP, bytes, p, o->op == 0xeb ? 1 : 4);
		return true;
	case 'c':
		go_to(i, INSN_CALL, bytes, p, 4);
		return true;
	case 'r':
		i->op = INSN_RETURN;
		i->len = (uint8_t)(p - bytes);
		return true;
	case 'o':
		if (reg == SP)
			return false;
		/* fall through */
	case 'u':
		i->op = o->kind == 'u' ? INSN_PUSH : INSN_POP;
		i->of_fp = reg == FP;
		i->reg = dwarf[reg];
		i->len = (uint8_t)(p - bytes);
		return true;
	case 'i':
		if (is_frames(o->op, o->rex & REX_B) || o->rex & WIDE)
			return false;
		i->len = (uint8_t)(p + o->z - bytes);
		return true;
	default:
		return false;
	}
}

bool
x86_quick(const uint8_t *bytes, uint64_t n, struct insn *i)
{
	const uint8_t *end;
	struct opcode o;

	if (n < X86_QUICK_MIN || !read_opcode(bytes, &o))
		return false;
	*i = (struct insn){ .reg = NO_REG, .fp_at = NO_SLOT, .ra_at = NO_SLOT };
	if (o.kind == 'f')
		o.kind = (char)(MODRM | OPERAND | ((*o.end & 0x38) > 8 ? 0 : o.op == 0xf6 ? IMM8 : IMMZ));
	if (o.kind & NOT_PLAIN)
		return other_kind(bytes, &o, i);
	if (!(end = plain_end(&o)))
		return false;
	if (o.kind & MODRM)
		local(i, o.end, &o);
	i->len = (uint8_t)(end - bytes);
	return end - bytes <= LONGEST;
}

/* The end of an instruction of the most usual forms, without a branch that depends on the form; NULL for others, which
 * read_opcode and plain_end read. */
static inline const uint8_t *
usual_end(const uint8_t *p)
{
	uint64_t word = p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32;   /* one load */
	unsigned first = *p, rex = (first & 0xf0) == 0x40, two = (uint8_t)(word >>= 8 * rex) == 0x0f;
	unsigned kind = (unsigned char)kinds[TWO * two + (uint8_t)(word >>= 8 * two)];
	unsigned modrm = (uint8_t)(word >> 8), sib = (uint8_t)(word >> 16), form = (modrm >> 3 & 0x18) | (modrm & 7), has = kind & MODRM;
	unsigned reg = kind >> 3 & ((modrm >> 3 & 6) == 4) & ~(first >> 2 & rex);
	unsigned operand = kind >> 4 & (modrm >> 6 == 3) & ((modrm & 6) == 4) & ~(first & rex);

	if (kind & NOT_PLAIN || reg & 1 || operand & 1)
		return NULL;
	p += rex + two + 1 + has + ((operand_len[form] + 4U * ((form == 4) & ((sib & 7) == FP))) & -has);
	return p + (kind >> 1 & 1) + (kind & IMMZ);
}

/* The end of the branch or call that begins with O; NULL for another instruction. */
static inline const uint8_t *
passed_end(const struct opcode *o, const uint8_t *bytes, bool calls, struct branches *b)
{
	unsigned size = o->kind == 'b' && o->op ? 1 : 4;
	const uint8_t *end = o->end + size;

	if (o->kind == 'c')
		return calls ? end : NULL;
	if (o->kind != 'b' || b->n == sizeof b->to / sizeof *b->to)
		return NULL;
	b->to[b->n] = end - bytes + x86_number(o->end, size);
	return end;
}

uint64_t
x86_skip(const uint8_t *bytes, uint64_t n, uint64_t most, bool calls, struct branches *b)
{
	const uint8_t *p = bytes, *end;
	struct opcode o;

	b->n = 0;
	for (; n >= X86_QUICK_MIN + (uint64_t)(p - bytes); p = end) {
		o.kind = 0;
		if (!(end = usual_end(p)) &&
		    (!read_opcode(p, &o) || !(end = o.kind & NOT_PLAIN ? passed_end(&o, bytes, calls, b) : plain_end(&o))))
			break;
		if (end - p > LONGEST || (uint64_t)(end - bytes) > most)
			break;
		b->n += o.kind == 'b';
	}
	return (uint64_t)(p - bytes);
}
