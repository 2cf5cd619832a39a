/* libunwind's part, on whatever machine this runs: its results, and its answers to harmful descriptions. */
#include <stdlib.h>

#include "unwind/cfi/second_opinion.h"

#include "test.h"

enum { WORDS = 64, SP_AT = 8, CODE = 0x1000, PC = CODE + 0x20 };
#define BIAS 0x400000u
#define STACK 0x7ff00000u

static union {
	uint64_t wide[WORDS];
	uint32_t narrow[2 * WORDS];
} words;
static struct memory memory;
static struct regs regs;
static struct frame frame;

static unsigned
word(void)
{
	return arch_host->word;
}

static void
put(unsigned at, uint64_t v)
{
	if (word() == 8)
		words.wide[at] = v;
	else
		words.narrow[at] = (uint32_t)v;
}

/* None is mapped. */
static struct cursor
no_code(void *ctx, uint64_t addr)
{
	(void)ctx, (void)addr;
	return cur_of(NULL, 0, false);
}

/* The step by these instructions behind a CIE that says: CFA = sp + two words, return address at CFA - one word. */
static enum step
step_by(const void *insns, size_t n)
{
	const struct arch *a = arch_host;
	uint8_t ra = a->ra == NO_REG ? a->pc : a->ra, cie[] = { 0x0c, a->sp, (uint8_t)(2 * word()), 0x80 | ra, 1 };
	uint8_t *copy = malloc(n + 1);   /* of just that size, for ASan to see */
	struct fde fde = {
		.lo = CODE, .hi = CODE + 0x100, .cie_insns = cur_of(cie, sizeof cie, false), .insns = cur_of(copy, n, false),
		.code_align = 1, .data_align = -(int64_t)word(), .address_size = a->word, .ra = ra, .insns_vaddr = 0x8000,
	};
	enum step step;

	memcpy(copy, insns, n);
	memset(&words, 0, sizeof words);
	put(SP_AT + 1, BIAS + 0x1234);
	put(SP_AT + 5, BIAS + 0x5678);
	memory = (struct memory){ (const uint8_t *)&words, STACK, (WORDS - 1) * word(), word() };
	regs.known = 0;
	for (unsigned r = 0; r < REGS; r++) {
		regs.r[r] = STACK + r;
		regs.known |= (uint64_t)1 << r;
	}
	regs.r[a->sp] = STACK + SP_AT * word();
	regs.r[a->pc] = BIAS + PC;
	frame = (struct frame){ .pc = BIAS + PC, .sp = regs.r[a->sp], .fp = regs.r[a->fp], .fp_known = true, .exact = true };
	step = second_step(&(struct second_sight){ a, a->addr_mask, &memory, no_code, NULL }, &fde, BIAS, &regs, &frame);
	free(copy);
	return step;
}
#define STEP_BY(insns) step_by(insns, sizeof insns - 1)

static void
steps(void)
{
	CHECK(STEP_BY("") == STEP_OK);
	CHECK_U64(frame.pc, BIAS + 0x1234);
	CHECK_U64(frame.sp, STACK + (SP_AT + 2) * word());
	CHECK(frame.fp_known && !frame.exact);
	CHECK_U64(frame.fp, STACK + arch_host->fp);
	CHECK_U64(regs.r[arch_host->sp], frame.sp);
	CHECK_U64(regs.r[arch_host->pc], frame.pc);
}

/* CFA further up, only from an address that is not reached yet. */
static void
stops_at_the_address(void)
{
	uint8_t insns[] = { 0x0e, (uint8_t)(6 * word()), 0x02, 0x21, 0x0e, 0x08 };

	CHECK(step_by(insns, sizeof insns) == STEP_OK);
	CHECK_U64(frame.pc, BIAS + 0x5678);
	CHECK_U64(frame.sp, STACK + (SP_AT + 6) * word());
	insns[3] = 0x20;
	CHECK(step_by(insns, sizeof insns) == STEP_BAD || frame.pc != BIAS + 0x5678);
}

/* fp saved at CFA - 2 words, but that is where sp is: what it is then. */
static void
gives_registers_back(void)
{
	uint8_t insns[] = { 0x80 | arch_host->fp, 2 };

	CHECK(step_by(insns, sizeof insns) == STEP_OK);
	CHECK_U64(frame.fp, 0);
	insns[0] = 0x07, insns[1] = arch_host->fp;   /* undefined */
	CHECK(step_by(insns, sizeof insns) == STEP_OK && !frame.fp_known);
}

static void
no_caller(void)
{
	uint8_t insns[] = { 0x07, arch_host->ra == NO_REG ? arch_host->pc : arch_host->ra };

	CHECK(step_by(insns, sizeof insns) == STEP_ROOT);
}

/* An expression deeper than our own rules allow, and one deeper than there is room for. */
static void
remembers(void)
{
	uint8_t insns[80];

	memset(insns, 0x0a, sizeof insns);
	memset(insns + 16, 0x0b, 16);
	CHECK(step_by(insns, 32) == STEP_OK && frame.pc == BIAS + 0x1234);
	memset(insns, 0x0a, 40);
	memset(insns + 40, 0x0b, 40);
	CHECK(step_by(insns, 80) == STEP_BAD);
	memset(insns, 0x0a, 32);   /* never given back: the next question has them all the same */
	CHECK(step_by(insns, 32) == STEP_OK);
	CHECK(step_by(insns, 32) == STEP_OK);
}

static void
harmless(void)
{
	CHECK(STEP_BY("\x0b") == STEP_BAD);                                     /* nothing remembered */
	CHECK(STEP_BY("\x3f") == STEP_BAD || frame.sp);                         /* no such instruction */
	CHECK(STEP_BY("\x0f\x03\x2f\xfd\xff") == STEP_BAD);                     /* CFA: skip -3, for ever */
	CHECK(STEP_BY("\x0f\xff\xff\xff\xff\x7f") == STEP_BAD);                 /* an expression without an end */
	CHECK(STEP_BY("\x0f\x01\x06") == STEP_BAD);                             /* deref of nothing */
	CHECK(STEP_BY("\x0f\x03\x08\x08\x06") == STEP_BAD);                     /* of an address that is not had */
	CHECK(STEP_BY("\x0f\x02\x13\x13") == STEP_BAD);                         /* drop, drop */
	CHECK(STEP_BY("\x0f\x0f\x0e\0\0\0\0\0\0\0\x80\x11\x7f\x1b\x30\x1e") == STEP_BAD ||   /* least / -1 */
	      frame.sp != 1);
	CHECK(STEP_BY("\x0c\xff\xff\xff\xff\x0f\x08") == STEP_BAD);             /* CFA = r4294967295 + 8 */
	CHECK(STEP_BY("\x09\x03\xff\xff\xff\xff\x0f") == STEP_OK);              /* r3 in r4294967295 */
	CHECK(!(regs.known >> 3 & 1));
	CHECK(STEP_BY("\x10\x03\x01\x96\x10\x03\x00") == STEP_BAD || frame.sp); /* r3 by nop, by nothing */
}

int
main(void)
{
	RUN("second", steps);
	RUN("second", stops_at_the_address);
	RUN("second", gives_registers_back);
	RUN("second", no_caller);
	RUN("second", remembers);
	RUN("second", harmless);
	return TEST_STATUS;
}
