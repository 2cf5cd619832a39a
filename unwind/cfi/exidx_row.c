/* From ARM's unwinding instructions to a row (Exception Handling ABI for the Arm Architecture, section 10.3). They walk a virtual
 * sp from the callee's frame to the caller's, popping registers on the way: that is a CFA by a register, and registers at offsets
 * from it. The row is true while the function has its frame, but not while it makes or removes it. */
#include "sym/elf/exidx.h"
#include "cfi.h"

#include <string.h>

enum { R0 = 0, R4 = 4, SP = 13, LR = 14, PC = 15 };

struct machine {
	struct exidx x;
	struct row *row;
	int32_t at[PC + 1];        /* where registers come from; relative to the base, like VSP */
	int32_t vsp;
	bool popped, loaded;       /* POPPED: a register; LOADED: sp itself */
	const char *bad;
};

static void
move(struct machine *m, uint32_t bytes)
{
	if (m->loaded)
		m->bad = "unwind instructions after the one that loads the stack pointer";
	m->vsp = (int32_t)((uint32_t)m->vsp + bytes);
}

/* Pops registers from FIRST on, one for each bit of MASK. */
static void
pop(struct machine *m, unsigned first, uint32_t mask)
{
	for (unsigned reg = first; mask && reg <= PC; reg++, mask >>= 1)
		if (mask & 1) {
			m->at[reg] = m->vsp;
			m->row->set |= (uint64_t)1 << reg;
			move(m, 4);
		}
	m->popped = true;
	m->loaded = m->row->set >> SP & 1;
}

static void
base(struct machine *m, unsigned reg)
{
	if (reg == SP || reg == PC)
		m->bad = "frame description with a reserved instruction";
	else if (m->popped || m->vsp)
		m->bad = "unwind instructions that set the frame twice";
	m->row->cfa_reg = (uint8_t)reg;
}

/* vsp += 0x204 + (uleb128 << 2) */
static void
move_far(struct machine *m)
{
	uint32_t v = 0;
	unsigned shift = 0, op;

	do {
		op = exidx_next(&m->x);
		v |= shift < 30 ? (op & 0x7f) << shift : 0;
		shift += 7;
	} while (op & 0x80 && shift < 35);
	if (op & 0x80 || v > 1 << 26)
		m->bad = "frame description with a frame too large";
	move(m, 0x204 + (v << 2));
}

/* Instructions that begin with 1011. */
static void
pop_others(struct machine *m, unsigned op)
{
	unsigned arg;

	if (op >= 0xb8) {          /* FSTMFDX d8 and up */
		move(m, ((op & 7) + 1) * 8 + 4);
		return;
	}
	if (op == 0xb2) {
		move_far(m);
		return;
	}
	if (op == 0xb4) {          /* the return address's authentication code */
		move(m, 4);
		return;
	}
	if (op == 0xb5)            /* the code was made with vsp */
		return;
	arg = exidx_next(&m->x);
	if (op == 0xb1 && arg && arg < 16)
		pop(m, R0, arg);
	else if (op == 0xb3)       /* FSTMFDX from any */
		move(m, ((arg & 15) + 1) * 8 + 4);
	else
		m->bad = "frame description with a reserved instruction";
}

/* Instructions that begin with 11: registers of coprocessors. */
static void
pop_vector(struct machine *m, unsigned op)
{
	unsigned arg = op >= 0xc6 && op <= 0xc9 ? exidx_next(&m->x) : 0;

	if (op == 0xc7 && arg && arg < 16)                 /* wCGR0 to wCGR3 */
		move(m, (uint32_t)__builtin_popcount(arg) * 4);
	else if (op == 0xc6 || op == 0xc8 || op == 0xc9)   /* wR or d from any */
		move(m, ((arg & 15) + 1) * 8);
	else if (op < 0xc6 || (op >= 0xd0 && op < 0xd8))   /* wR10 or d8 and up */
		move(m, ((op & 7) + 1) * 8);
	else
		m->bad = "frame description with a reserved instruction";
}

static void
step(struct machine *m, unsigned op)
{
	uint32_t mask;

	switch (op >> 4) {
	case 0: case 1: case 2: case 3:
		move(m, ((op & 63) << 2) + 4);
		break;
	case 4: case 5: case 6: case 7:
		move(m, -(((op & 63) << 2) + 4));
		break;
	case 8:
		mask = (op & 15) << 8 | exidx_next(&m->x);
		if (mask)
			pop(m, R4, mask);
		else
			m->bad = "frame description that forbids unwinding";
		break;
	case 9:
		base(m, op & 15);
		break;
	case 10:
		pop(m, R4, (2u << (op & 7)) - 1);
		if (op & 8)
			pop(m, LR, 1);
		break;
	case 11:
		pop_others(m, op);
		break;
	case 12: case 13:
		pop_vector(m, op);
		break;
	default:
		m->bad = "frame description with a reserved instruction";
	}
}

/* Whether RA is the place to which a thread's first function returns, where the thread ends.  This is assembly (glibc's
 * clone) without a table entry, and no symbol reaches so far.  mov r7, #1; svc 0 */
static bool
ends_thread(const struct elf *elf, uint64_t ra)
{
	static const char *const ends[] = { "\x4f\xf0\1\7\0\xdf", "\1\x27\0\xdf", "\1\x70\xa0\xe3\0\0\0\xef" };
	static const uint8_t length[] = { 6, 4, 8 };

	for (unsigned i = 0; ra % 2 == 0 && i < sizeof length; i++) {
		struct cursor c = elf_from(elf, ra);
		const uint8_t *p = cur_take(&c, length[i]);

		if (p && !memcmp(p, ends[i], length[i]))
			return true;
	}
	return false;
}

const char *
exidx_row(const struct elf *elf, uint64_t vaddr, struct row *row, bool *found)
{
	struct machine m = { .row = row };
	unsigned op;

	if (!exidx_find(elf, vaddr, &m.x) || m.x.cant) {
		*found = ends_thread(elf, vaddr + 1);
		*row = (struct row){ .ra = LR, .set = (uint64_t)1 << LR, .reg[LR].how = HOW_UNDEFINED };
		return NULL;
	}
	*found = true;
	row->set = 0;
	row->cfa_expr = NULL;
	row->cfa_reg = SP;
	row->big = row->signal = row->debug = row->ra_signed = false;
	row->truth = ROW_LATE;
	row->ra = LR;
	while (!m.bad && (op = exidx_next(&m.x)) != 0xb0)
		step(&m, op);
	row->cfa_off = m.vsp;
	for (unsigned reg = 0; reg <= PC; reg++)
		row->reg[reg] = (struct place){ .how = HOW_OFFSET, .off = (int32_t)((uint32_t)m.at[reg] - (uint32_t)m.vsp) };
	if (row->set >> PC & 1) {
		row->ra = PC;
		row->signal = m.loaded;   /* a signal's frame: the interrupted code had all its registers */
	}
	return m.bad;
}
