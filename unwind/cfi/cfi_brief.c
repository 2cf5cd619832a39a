/* Runs the call frame instructions that nearly all programs have, and only for the CFA, fp and the return address: a plain rule
 * needs no more.  It leaves the rest to cfi.c, which knows all instructions. */
#include "cfi.h"

enum {
	ADVANCE = 1, OFFSET = 2, RESTORE = 3,   /* in the upper two bits, an operand below them */

	NOP = 0x00, ADVANCE1 = 0x02, ADVANCE2, ADVANCE4, REMEMBER = 0x0a, RESTORE_STATE, DEF_CFA, DEF_CFA_REGISTER, DEF_CFA_OFFSET,
	GNU_ARGS_SIZE = 0x2e,
};

enum { REMEMBERED_MAX = 4, OPERAND_BITS = 21, NOWHERE = INT32_MIN };

struct brief {
	int32_t cfa_off;
	int32_t fp, ra;        /* from the CFA, or NOWHERE: unchanged */
	unsigned cfa_reg;
};

struct program {
	const struct arch *arch;
	const struct fde *fde;
	const uint8_t *p, *end;
	const struct brief *initial;
};

/* Reads a number of a few bytes. */
static bool
long_number(struct program *m, uint32_t *v)
{
	unsigned shift = 0, b;

	*v = 0;
	do {
		if (m->p == m->end || shift == OPERAND_BITS)
			return false;
		b = *m->p++;
		*v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	return true;
}

static inline bool
number(struct program *m, uint32_t *v)
{
	if (m->p == m->end || *m->p & 0x80)
		return long_number(m, v);
	*v = *m->p++;
	return true;
}

static bool
place(const struct program *m, struct brief *b, unsigned reg, const struct brief *initial, int32_t at)
{
	if (reg == m->arch->fp)
		b->fp = initial ? initial->fp : at;
	else if (reg == m->fde->ra)
		b->ra = initial ? initial->ra : at;
	return reg != m->arch->sp;
}

/* How far the location moves; false for another instruction. */
static bool
advance(struct program *m, unsigned op, uint64_t *by)
{
	unsigned size = op == ADVANCE1 ? 1 : op == ADVANCE2 ? 2 : op == ADVANCE4 ? 4 : 0;
	struct cursor c = cur_of(m->p, (size_t)(m->end - m->p), m->fde->insns.big);

	if (!size || cur_left(&c) < size)
		return false;
	*by = cur_uint(&c, size);
	m->p += size;
	return true;
}

/* Runs up to STOP, see cfi.c; false at an unusual instruction. */
static bool
run(const struct program *what, const struct cursor *insns, uint64_t stop, struct brief *b)
{
	struct program m = *what;
	const int32_t data_align = (int32_t)m.fde->data_align;
	const uint64_t code_align = m.fde->code_align;
	struct brief saved[REMEMBERED_MAX];
	unsigned remembered = 0;
	uint64_t loc = m.fde->lo, by;
	uint32_t v = 0, reg;

	m.p = insns->pos;
	m.end = insns->end;
	while (m.p < m.end) {
		unsigned op = *m.p++, low = op & 0x3f;

		if (op >> 6 == ADVANCE) {
			loc += low * code_align;
			if (loc > stop)
				break;
		} else if (op == DEF_CFA_OFFSET) {
			if (!number(&m, &v))
				return false;
			b->cfa_off = (int32_t)v;
		} else if (op >> 6 == OFFSET) {
			if (!number(&m, &v) || !place(&m, b, low, NULL, (int32_t)v * data_align))
				return false;
		} else if (op == NOP) {
			continue;
		} else if (op == REMEMBER && m.initial && remembered < REMEMBERED_MAX) {
			saved[remembered++] = *b;
		} else if (op == RESTORE_STATE && remembered) {
			*b = saved[--remembered];
		} else if (op >> 6 == RESTORE && m.initial) {
			if (!place(&m, b, low, m.initial, 0))
				return false;
		} else if (op == DEF_CFA || op == DEF_CFA_REGISTER) {
			if (!number(&m, &reg) || reg >= REGS || (op == DEF_CFA && !number(&m, &v)))
				return false;
			b->cfa_reg = reg;
			if (op == DEF_CFA)
				b->cfa_off = (int32_t)v;
		} else if (op == GNU_ARGS_SIZE) {
			if (!number(&m, &v))
				return false;
		} else {
			if (!advance(&m, op, &by))
				return false;
			loc += by * code_align;
			if (loc > stop)
				break;
		}
	}
	return true;
}

static void
set_place(struct row *row, unsigned reg, int32_t at)
{
	if (at == NOWHERE)
		return;
	row->set |= (uint64_t)1 << reg;
	row->reg[reg] = (struct place){ .how = HOW_OFFSET, .off = at };
}

bool
cfi_brief(const struct arch *arch, const struct fde *fde, uint64_t vaddr, struct row *row)
{
	struct program m = { .arch = arch, .fde = fde };
	struct brief initial = { .cfa_reg = arch->sp, .fp = NOWHERE, .ra = NOWHERE }, b;

	if (fde->ra >= REGS || fde->data_align != (int8_t)fde->data_align || !run(&m, &fde->cie_insns, UINT64_MAX, &initial))
		return false;
	b = initial;
	m.initial = &initial;
	if (!run(&m, &fde->insns, vaddr, &b))
		return false;
	row->set = 0;
	row->cfa_off = b.cfa_off;
	row->cfa_expr = NULL;
	row->ra = fde->ra;
	row->cfa_reg = (uint8_t)b.cfa_reg;
	row->big = fde->insns.big;
	row->signal = fde->signal;
	row->truth = ROW_TRUE;
	row->ra_signed = false;
	set_place(row, arch->fp, b.fp);
	set_place(row, fde->ra, b.ra);
	return true;
}
