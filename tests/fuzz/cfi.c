/* Turns a frame description's instructions into rows at a few addresses; the quick way must give the same. It also evaluates all
 * expressions in them. The input: length of the CIE's instructions, alignments, encoding; these instructions; length of the FDE's
 * instructions; these; then the stack. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi/cfi.h"
#include "unwind/cfi/expr.h"

static const uint64_t stack_lo = 0x7ffd00001000;

/* The bytes, at the end of an allocation of just their size. */
static struct cursor
part(struct cursor *c, uint64_t n)
{
	const uint8_t *p;
	uint8_t *copy;

	n = n < cur_left(c) ? n : cur_left(c);
	p = cur_take(c, n);
	copy = malloc(n + !n);
	if (!copy)
		abort();
	if (n)
		memcpy(copy, p, n);
	return cur_of(copy, n, false);
}

static void
evaluate(const uint8_t *expr, int64_t len, const struct memory *m, const uint64_t *cfa)
{
	struct regs regs = { .known = 0xffff00ff };
	uint64_t v;

	for (unsigned i = 0; i < REGS; i++)
		regs.r[i] = stack_lo + 8 * i;
	expr_eval(cur_of(expr, (size_t)len, false), &arch_x86_64, &regs, m, cfa, &v);
}

static bool
same_place(const struct row *a, const struct row *b, unsigned reg)
{
	struct place x = row_place(a, reg), y = row_place(b, reg);

	return x.how == y.how && x.off == y.off;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cur_of(data, size, false), stack;
	struct fde f = { .lo = 0x1000, .hi = 0x1100, .address_size = 8, .ra = 16, .insns_vaddr = 0x5000 };
	struct memory memory = { .lo = stack_lo, .word = 8 };
	uint64_t n = cur_u8(&c), cfa = stack_lo + 16;
	struct row row, brief;

	f.code_align = cur_u8(&c);
	f.data_align = (int8_t)cur_u8(&c);
	f.pointer_encoding = cur_u8(&c);
	f.cie_insns = part(&c, n);
	n = cur_u16(&c);
	f.insns = part(&c, n);
	stack = part(&c, 64);
	memory.bytes = stack.pos;
	memory.room = cur_left(&stack) >= 8 ? cur_left(&stack) - 7 : 0;
	for (uint64_t at = f.lo; at < f.hi; at += 51) {
		const char *why = cfi_row(&arch_x86_64, &f, at, &row);

		if (cfi_brief(&arch_x86_64, &f, at, &brief) &&
		    (why || row.cfa_expr || row.cfa_reg != brief.cfa_reg || row.cfa_off != brief.cfa_off || !same_place(&row, &brief, 6) ||
		     !same_place(&row, &brief, 7) || !same_place(&row, &brief, 16)))
			abort();
		if (why)
			continue;
		if (row.cfa_expr)
			evaluate(row.cfa_expr, row.cfa_off, &memory, NULL);
		for (unsigned r = 0; r < REGS; r++) {
			struct place p = row_place(&row, r);

			if (p.how == HOW_EXPR || p.how == HOW_VALUE_EXPR)
				evaluate(p.expr, p.off, &memory, &cfa);
		}
	}
	free((void *)(uintptr_t)f.cie_insns.pos);
	free((void *)(uintptr_t)f.insns.pos);
	free((void *)(uintptr_t)stack.pos);
	return 0;
}
