/* libunwind on hostile frame descriptions, through prof's accessors.  The input is that of the target cfi: length of the CIE's
 * instructions, alignments, encoding; these instructions; length of the FDE's and they; then the stack. */
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi/second_opinion.h"

static const uint64_t stack_lo = 0x7ff00000, bias = 0x400000;

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

/* None is mapped. */
static struct cursor
no_code(void *ctx, uint64_t addr)
{
	(void)ctx, (void)addr;
	return cur_of(NULL, 0, false);
}

static void
ask(const struct fde *fde, const struct memory *memory, uint64_t at, bool exact)
{
	struct regs regs = { .known = 0x1ffff };
	struct frame f = { .pc = at + bias, .sp = stack_lo, .fp = stack_lo + 16, .fp_known = true, .exact = exact };
	const struct arch *a = arch_host;

	for (unsigned r = 0; r < REGS; r++)
		regs.r[r] = stack_lo + a->word * (r % 8);
	regs.r[a->sp] = f.sp;
	regs.r[a->fp] = f.fp;
	regs.r[a->pc] = f.pc;
	if (second_step(&(struct second_sight){ a, a->addr_mask, memory, no_code, NULL }, fde, bias, &regs, &f))
		return;
	if (regs.r[a->pc] != f.pc || regs.r[a->sp] != f.sp || !(regs.known >> a->sp & 1) || (f.fp_known && regs.r[a->fp] != f.fp))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cur_of(data, size, false), stack;
	struct fde f = { .lo = 0x1000, .hi = 0x1100, .address_size = arch_host->word, .insns_vaddr = 0x5000 };
	struct memory memory = { .lo = stack_lo, .word = arch_host->word };
	uint64_t n = cur_u8(&c);

	f.ra = arch_host->ra == NO_REG ? arch_host->pc : arch_host->ra;
	f.code_align = cur_u8(&c);
	f.data_align = (int8_t)cur_u8(&c);
	f.pointer_encoding = cur_u8(&c);
	f.signal = n & 1;
	f.cie_insns = part(&c, n);
	n = cur_u16(&c);
	f.insns = part(&c, n);
	stack = part(&c, 128);
	memory.bytes = stack.pos;
	memory.room = cur_left(&stack) >= memory.word ? cur_left(&stack) - memory.word + 1 : 0;
	for (uint64_t at = f.lo; at < f.hi; at += 85)
		ask(&f, &memory, at, at == f.lo);
	free((void *)(uintptr_t)f.cie_insns.pos);
	free((void *)(uintptr_t)f.insns.pos);
	free((void *)(uintptr_t)stack.pos);
	return 0;
}
