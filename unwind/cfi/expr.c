/* See expr.h.  It refuses what only makes sense for variables: registers as places, pieces, thread storage. */
#include "expr.h"

enum { VALUES = 32, BUDGET = 1000 };

enum {
	ADDR = 0x03, DEREF = 0x06, CONST1U = 0x08, CONST1S, CONST2U, CONST2S, CONST4U, CONST4S, CONST8U, CONST8S, CONSTU,
	CONSTS, DUP, DROP, OVER, PICK, SWAP, ROT, ABS = 0x19, AND, DIV, MINUS, MOD, MUL, NEG, NOT, OR, PLUS, PLUS_UCONST, SHL,
	SHR, SHRA, XOR, BRA, EQ, GE, GT, LE, LT, NE, SKIP, LIT0, BREG0 = 0x70, BREGX = 0x92, DEREF_SIZE = 0x94, NOP = 0x96,
};

struct machine {
	struct cursor c;
	const uint8_t *begin;
	const struct arch *arch;
	const struct regs *regs;
	const struct memory *memory;
	enum step failed;      /* or STEP_OK */
	uint64_t where;        /* at STEP_OUTSIDE */
	unsigned n;
	uint64_t value[VALUES];
};

static void
fail(struct machine *m, enum step how)
{
	if (!m->failed)
		m->failed = how;
}

static void
push(struct machine *m, uint64_t v)
{
	if (m->n == VALUES) {
		fail(m, STEP_BAD);
		return;
	}
	m->value[m->n++] = v;
}

static uint64_t
pop(struct machine *m)
{
	if (!m->n) {
		fail(m, STEP_BAD);
		return 0;
	}
	return m->value[--m->n];
}

/* Pushes the value that has N others above it. */
static void
pick(struct machine *m, unsigned n)
{
	if (n >= m->n)
		fail(m, STEP_BAD);
	else
		push(m, m->value[m->n - 1 - n]);
}

static void
rotate(struct machine *m)
{
	uint64_t a = pop(m), b = pop(m), c = pop(m);

	push(m, a);
	push(m, c);
	push(m, b);
}

static void
based(struct machine *m, uint64_t reg)
{
	uint64_t off = (uint64_t)cur_sleb(&m->c);

	if (reg && reg == m->arch->vector)
		reg = VECTOR;
	if (reg >= REGS || !(m->regs->known >> reg & 1))
		fail(m, STEP_UNKNOWN);
	else
		push(m, m->regs->r[reg] + off);
}

static void
deref(struct machine *m, unsigned size)
{
	uint64_t at = pop(m) & memory_mask(m->memory), v = 0;
	unsigned word = m->memory->word;

	if (m->failed)
		return;
	if (!size || size > word)
		fail(m, STEP_BAD);
	else if (!memory_word(m->memory, at, &v)) {
		m->where = at;
		fail(m, STEP_OUTSIDE);
	} else
		push(m, size < 8 ? v & (((uint64_t)1 << 8 * size) - 1) : v);
}

static void
skip(struct machine *m, bool taken)
{
	int16_t off = (int16_t)cur_u16(&m->c);
	int64_t at = (m->c.pos - m->begin) + off;

	if (!taken || m->c.bad)
		return;
	if (at < 0 || at > m->c.end - m->begin)
		fail(m, STEP_BAD);
	else
		m->c.pos = m->begin + at;
}

static uint64_t
binary(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case AND:   return a & b;
	case OR:    return a | b;
	case XOR:   return a ^ b;
	case PLUS:  return a + b;
	case MINUS: return a - b;
	case MUL:   return a * b;
	case SHL:   return b < 64 ? a << b : 0;
	case SHR:   return b < 64 ? a >> b : 0;
	case SHRA:  return b < 64 ? (sa < 0 ? ~(~a >> b) : a >> b) : sa < 0 ? UINT64_MAX : 0;
	case EQ:    return sa == sb;
	case NE:    return sa != sb;
	case GE:    return sa >= sb;
	case GT:    return sa > sb;
	case LE:    return sa <= sb;
	case LT:    return sa < sb;
	}
	if (!b || (sb == -1 && sa == INT64_MIN)) {
		fail(m, STEP_BAD);
		return 0;
	}
	return op == DIV ? (uint64_t)(sa / sb) : a % b;
}

static void
constant(struct machine *m, unsigned op)
{
	unsigned size = 1u << (op - CONST1U) / 2;
	uint64_t v = cur_uint(&m->c, size);

	if ((op - CONST1U) % 2 && size < 8 && v >> (8 * size - 1))
		v |= UINT64_MAX << 8 * size;
	push(m, v);
}

static void
step(struct machine *m, unsigned op)
{
	uint64_t a, b;

	if (op >= LIT0 && op < LIT0 + 32)
		push(m, op - LIT0);
	else if (op >= BREG0 && op < BREG0 + 32)
		based(m, op - BREG0);
	else if (op >= CONST1U && op <= CONST8S)
		constant(m, op);
	else switch (op) {
	case ADDR:        push(m, cur_uint(&m->c, m->arch->word)); break;
	case CONSTU:      push(m, cur_uleb(&m->c)); break;
	case CONSTS:      push(m, (uint64_t)cur_sleb(&m->c)); break;
	case BREGX:       a = cur_uleb(&m->c); based(m, a); break;
	case DEREF:       deref(m, m->arch->word); break;
	case DEREF_SIZE:  deref(m, cur_u8(&m->c)); break;
	case DUP:         pick(m, 0); break;
	case OVER:        pick(m, 1); break;
	case PICK:        pick(m, cur_u8(&m->c)); break;
	case DROP:        pop(m); break;
	case SWAP:        a = pop(m); b = pop(m); push(m, a); push(m, b); break;
	case ROT:         rotate(m); break;
	case ABS:         a = pop(m); push(m, (int64_t)a < 0 ? -a : a); break;
	case NEG:         push(m, -pop(m)); break;
	case NOT:         push(m, ~pop(m)); break;
	case PLUS_UCONST: a = cur_uleb(&m->c); push(m, pop(m) + a); break;
	case SKIP:        skip(m, true); break;
	case BRA:         skip(m, pop(m) != 0); break;
	case NOP:         break;
	case AND: case DIV: case MINUS: case MOD: case MUL: case OR: case PLUS: case SHL: case SHR: case SHRA: case XOR:
	case EQ: case GE: case GT: case LE: case LT: case NE:
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
		break;
	default:
		fail(m, STEP_BAD);
	}
}

enum step
expr_eval(struct cursor expr, const struct arch *arch, const struct regs *regs, const struct memory *memory,
          const uint64_t *initial, uint64_t *result)
{
	struct machine m;
	unsigned budget = BUDGET;

	m.c = expr;
	m.begin = expr.pos;
	m.arch = arch;
	m.regs = regs;
	m.memory = memory;
	m.failed = STEP_OK;
	m.where = 0;
	m.n = 0;
	if (initial)
		push(&m, *initial);
	while (m.c.pos < m.c.end && !m.failed && budget--)
		step(&m, *m.c.pos++);
	if (m.c.bad || (m.c.pos < m.c.end && !m.failed) || (!m.failed && !m.n))
		fail(&m, STEP_BAD);
	*result = (m.failed ? m.where : m.value[m.n - 1]) & memory_mask(memory);
	return m.failed;
}
