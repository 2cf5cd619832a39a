/* Call frame instructions: DWARF 5 section 6.4.2, the GNU ones of the LSB core, and aarch64's (DWARF for the Arm 64-bit
 * Architecture, section 4.4).  A program is run up to one address and gives that address's row. */
#include "cfi.h"

enum {
	ADVANCE = 1, OFFSET = 2, RESTORE = 3,   /* in the upper two bits, an operand below them */

	NOP = 0x00, SET_LOC, ADVANCE1, ADVANCE2, ADVANCE4, OFFSET_EXTENDED, RESTORE_EXTENDED, UNDEFINED, SAME_VALUE, REGISTER,
	REMEMBER, RESTORE_STATE, DEF_CFA, DEF_CFA_REGISTER, DEF_CFA_OFFSET, DEF_CFA_EXPRESSION, EXPRESSION,
	OFFSET_EXTENDED_SF, DEF_CFA_SF, DEF_CFA_OFFSET_SF, VAL_OFFSET, VAL_OFFSET_SF, VAL_EXPRESSION,
	ADVANCE8 = 0x1d, SET_RA_STATE = 0x2b, NEGATE_RA_STATE_WITH_PC, NEGATE_RA_STATE, GNU_ARGS_SIZE = 0x2e, GNU_NEGATIVE_OFFSET = 0x2f,
};

enum { REMEMBERED_MAX = 8 };

struct machine {
	struct cursor c;
	const struct fde *fde;
	struct row *row;
	const struct row *initial;   /* what the CIE says; NULL while the CIE's program runs */
	uint64_t loc, stop;          /* we want the row before the first one beyond STOP */
	unsigned remembered;
	struct row saved[REMEMBERED_MAX];
};

/* Copies only the registers that the row names, because the rest is not worth the copying. */
static void
copy_row(struct row *to, const struct row *from)
{
	to->set = from->set;
	to->cfa_off = from->cfa_off;
	to->cfa_expr = from->cfa_expr;
	to->cfa_reg = from->cfa_reg;
	to->ra_signed = from->ra_signed;
	for (uint64_t set = from->set; set; set &= set - 1) {
		unsigned r = (unsigned)__builtin_ctzll(set);

		to->reg[r] = from->reg[r];
	}
}

/* Most values are one byte. */
static uint64_t
uleb(struct cursor *c)
{
	return c->pos < c->end && *c->pos < 0x80 ? *c->pos++ : cur_uleb(c);
}

static void
set_place(struct machine *m, uint64_t reg, enum how how, int64_t off)
{
	if (reg >= REGS)   /* a vector register, or what we do not know: of no concern */
		return;
	if (off != (int32_t)off) {
		m->c.bad = "frame description with a register too far away";
		return;
	}
	m->row->reg[reg] = (struct place){ .how = (uint8_t)how, .off = (int32_t)off };
	m->row->set |= (uint64_t)1 << reg;
}

static int64_t
factored(const struct machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->fde->data_align);
}

static void
set_expr(struct machine *m, uint64_t reg, enum how how)
{
	uint64_t len = uleb(&m->c);
	const uint8_t *expr = cur_take(&m->c, len);

	if (!expr || reg >= REGS)
		return;
	set_place(m, reg, how, (int64_t)len);
	m->row->reg[reg].expr = expr;
}

static void
set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	if (reg >= REGS)
		m->c.bad = "frame description with a CFA of an unknown register";
	m->row->cfa_reg = (uint8_t)reg;
	m->row->cfa_off = off;
	m->row->cfa_expr = NULL;
}

/* An offset may follow an expression, too: gcc leaves a frame as long as SVE's vectors in this way, and the expression had the same
 * register. */
static void
set_cfa_off(struct machine *m, int64_t off)
{
	m->row->cfa_off = off;
	m->row->cfa_expr = NULL;
}

static void
restore(struct machine *m, uint64_t reg)
{
	if (reg >= REGS || !m->initial)
		return;
	m->row->set &= ~((uint64_t)1 << reg);
	m->row->set |= m->initial->set & (uint64_t)1 << reg;
	if (m->initial->set >> reg & 1)
		m->row->reg[reg] = m->initial->reg[reg];
}

static void
remember(struct machine *m)
{
	if (m->remembered == REMEMBERED_MAX) {
		m->c.bad = "frame description that saves its state too often";
		return;
	}
	copy_row(&m->saved[m->remembered++], m->row);
}

static void
recall(struct machine *m)
{
	if (!m->remembered) {
		m->c.bad = "frame description that restores a state that it did not save";
		return;
	}
	copy_row(m->row, &m->saved[--m->remembered]);
}

/* DW_CFA_set_loc's operand, in the encodings that make sense for it. */
static uint64_t
read_loc(struct machine *m)
{
	static const uint8_t sizes[16] = { 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8 };
	unsigned encoding = m->fde->pointer_encoding, size = sizes[encoding & 15];
	uint64_t place = m->fde->insns_vaddr + (uint64_t)(m->c.pos - m->fde->insns.pos), v;

	if (!size)
		size = m->fde->address_size;
	v = cur_uint(&m->c, size);
	if (encoding & 8 && size < 8 && v >> (8 * size - 1))
		v |= UINT64_MAX << 8 * size;
	if ((encoding & 0x70) == 0x10)
		v += place;
	else if (encoding & 0x70)
		m->c.bad = "frame description with an unknown kind of address";
	return m->fde->address_size == 4 ? (uint32_t)v : v;
}

static void
advance(struct machine *m, uint64_t delta)
{
	m->loc += delta * m->fde->code_align;
}

static void
extended(struct machine *m, unsigned op)
{
	uint64_t reg;

	switch (op) {
	case NOP:
		return;
	case SET_LOC:
		m->loc = read_loc(m);
		return;
	case ADVANCE1:
		advance(m, cur_u8(&m->c));
		return;
	case ADVANCE2:
		advance(m, cur_u16(&m->c));
		return;
	case ADVANCE4:
		advance(m, cur_u32(&m->c));
		return;
	case ADVANCE8:
		advance(m, cur_u64(&m->c));
		return;
	case REMEMBER:
		remember(m);
		return;
	case RESTORE_STATE:
		recall(m);
		return;
	case NEGATE_RA_STATE_WITH_PC:
	case NEGATE_RA_STATE:   /* elsewhere GNU_window_save, of SPARC alone */
		m->row->ra_signed ^= true;
		return;
	case SET_RA_STATE:
		m->row->ra_signed = uleb(&m->c) != 0;
		cur_sleb(&m->c);
		return;
	case GNU_ARGS_SIZE:
		uleb(&m->c);
		return;
	case DEF_CFA_OFFSET:
		set_cfa_off(m, (int64_t)uleb(&m->c));
		return;
	case DEF_CFA_OFFSET_SF:
		set_cfa_off(m, factored(m, (uint64_t)cur_sleb(&m->c)));
		return;
	case DEF_CFA_EXPRESSION:
		reg = uleb(&m->c);
		m->row->cfa_off = (int64_t)reg;
		m->row->cfa_expr = cur_take(&m->c, reg);
		return;
	}
	reg = uleb(&m->c);
	switch (op) {
	case OFFSET_EXTENDED:
		set_place(m, reg, HOW_OFFSET, factored(m, uleb(&m->c)));
		return;
	case OFFSET_EXTENDED_SF:
		set_place(m, reg, HOW_OFFSET, factored(m, (uint64_t)cur_sleb(&m->c)));
		return;
	case GNU_NEGATIVE_OFFSET:
		set_place(m, reg, HOW_OFFSET, factored(m, -uleb(&m->c)));
		return;
	case VAL_OFFSET:
		set_place(m, reg, HOW_VALUE, factored(m, uleb(&m->c)));
		return;
	case VAL_OFFSET_SF:
		set_place(m, reg, HOW_VALUE, factored(m, (uint64_t)cur_sleb(&m->c)));
		return;
	case RESTORE_EXTENDED:
		restore(m, reg);
		return;
	case UNDEFINED:
		set_place(m, reg, HOW_UNDEFINED, 0);
		return;
	case SAME_VALUE:
		set_place(m, reg, HOW_SAME, 0);
		return;
	case REGISTER:
		set_place(m, reg, HOW_REGISTER, (int64_t)uleb(&m->c));
		return;
	case EXPRESSION:
		set_expr(m, reg, HOW_EXPR);
		return;
	case VAL_EXPRESSION:
		set_expr(m, reg, HOW_VALUE_EXPR);
		return;
	case DEF_CFA:
		set_cfa(m, reg, (int64_t)uleb(&m->c));
		return;
	case DEF_CFA_SF:
		set_cfa(m, reg, factored(m, (uint64_t)cur_sleb(&m->c)));
		return;
	case DEF_CFA_REGISTER:
		set_cfa(m, reg, m->row->cfa_expr ? 0 : m->row->cfa_off);
		return;
	default:
		m->c.bad = "frame description with an unknown instruction";
	}
}

/* Runs instructions until it passes the wanted address; each takes at least its own byte, so the loop ends. */
static const char *
run(struct machine *m, struct cursor insns)
{
	m->c = insns;
	while (m->c.pos < m->c.end) {
		unsigned op = *m->c.pos++, low = op & 0x3f;

		switch (op >> 6) {
		case ADVANCE:
			m->loc += low * m->fde->code_align;
			break;
		case OFFSET:
			set_place(m, low, HOW_OFFSET, factored(m, uleb(&m->c)));
			break;
		case RESTORE:
			restore(m, low);
			break;
		default:
			extended(m, low);
		}
		if (m->c.bad || m->loc > m->stop)
			break;
	}
	return m->c.bad;
}

const char *
cfi_row(const struct arch *arch, const struct fde *fde, uint64_t vaddr, struct row *row)
{
	struct machine m;
	struct row initial;
	const char *why;

	if (fde->ra >= REGS)
		return "frame description with an unknown return address register";
	row->set = 0;
	row->cfa_off = 0;
	row->cfa_expr = NULL;
	row->cfa_reg = arch->sp;
	row->ra = fde->ra;
	row->big = fde->insns.big;
	row->signal = fde->signal;
	row->ra_signed = false;
	row->truth = ROW_TRUE;
	m.fde = fde;
	m.row = row;
	m.initial = NULL;
	m.loc = fde->lo;
	m.stop = UINT64_MAX;
	m.remembered = 0;
	if ((why = run(&m, fde->cie_insns)))
		return why;
	copy_row(&initial, row);
	m.initial = &initial;
	m.loc = fde->lo;
	m.stop = vaddr;
	return run(&m, fde->insns);
}
