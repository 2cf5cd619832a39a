#include "unwind/cfi/expr.c"
#include "test.h"

static const uint64_t words[4] = { 0x1111, 0x7ffe1008, 0x8877665544332211, 0x4444 };
static const struct memory memory = { (const uint8_t *)words, 0x7ffe1000, sizeof words - 7, 8 };
static const struct regs regs = { .r = { [6] = 0x7ffe1010, [7] = 0x7ffe1000, [16] = 0x40100b }, .known = 1 << 6 | 1 << 7 | 1 << 16 };

static enum step
eval(const void *bytes, size_t n, uint64_t *v)
{
	return expr_eval(cur_of(bytes, n, false), &arch_x86_64, &regs, &memory, NULL, v);
}

#define GIVES(want, ...) \
	do { \
		static const uint8_t e_[] = { __VA_ARGS__ }; \
		uint64_t v_ = 0; \
		CHECK(eval(e_, sizeof e_, &v_) == STEP_OK); \
		CHECK_U64(v_, want); \
	} while (0)
#define FAILS(how, ...) \
	do { \
		static const uint8_t e_[] = { __VA_ARGS__ }; \
		uint64_t v_ = 0; \
		CHECK(eval(e_, sizeof e_, &v_) == (how)); \
	} while (0)

static void
constants(void)
{
	GIVES(5, 0x35);
	GIVES(0xfe, 0x08, 0xfe);
	GIVES((uint64_t)-2, 0x09, 0xfe);
	GIVES(0xfffe, 0x0a, 0xfe, 0xff);
	GIVES((uint64_t)-2, 0x0b, 0xfe, 0xff);
	GIVES(0x80000000, 0x0c, 0, 0, 0, 0x80);
	GIVES(0xffffffff80000000, 0x0d, 0, 0, 0, 0x80);
	GIVES(0x0807060504030201, 0x0e, 1, 2, 3, 4, 5, 6, 7, 8);
	GIVES(0x0807060504030281, 0x0f, 0x81, 2, 3, 4, 5, 6, 7, 8);
	GIVES(300, 0x10, 0xac, 0x02);
	GIVES((uint64_t)-2, 0x11, 0x7e);
	GIVES(0x0807060504030201, 0x03, 1, 2, 3, 4, 5, 6, 7, 8);
}

static void
arithmetic(void)
{
	GIVES((uint64_t)-1, 0x33, 0x34, 0x1c);          /* 3 - 4 */
	GIVES((uint64_t)-3, 0x09, 0xf7, 0x33, 0x1b);    /* -9 / 3 */
	GIVES(1, 0x37, 0x33, 0x1d);                     /* 7 mod 3 */
	GIVES(12, 0x33, 0x34, 0x1e);
	GIVES(2, 0x36, 0x33, 0x1a);                     /* 6 & 3 */
	GIVES(7, 0x36, 0x33, 0x21);
	GIVES(5, 0x36, 0x33, 0x27);
	GIVES(24, 0x33, 0x33, 0x24);                    /* 3 << 3 */
	GIVES(0, 0x33, 0x08, 200, 0x24);
	GIVES(0x1fffffffffffffff, 0x09, 0xff, 0x33, 0x25);
	GIVES((uint64_t)-1, 0x09, 0xff, 0x33, 0x26);    /* -1 >> 3 stays negative */
	GIVES(9, 0x09, 0xf7, 0x19);                     /* abs -9 */
	GIVES((uint64_t)-3, 0x33, 0x1f);
	GIVES(~(uint64_t)3, 0x33, 0x20);
	GIVES(13, 0x33, 0x23, 10);
	GIVES(1, 0x09, 0xff, 0x30, 0x2d);               /* -1 < 0 */
	GIVES(0, 0x09, 0xff, 0x30, 0x2b);               /* -1 > 0 */
	FAILS(STEP_BAD, 0x33, 0x30, 0x1b);              /* by zero */
	FAILS(STEP_BAD, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b);   /* INT64_MIN / -1 */
}

static void
the_stack_of_values(void)
{
	GIVES(4, 0x32, 0x12, 0x22);                     /* dup, plus */
	GIVES(1, 0x31, 0x32, 0x13);                     /* drop */
	GIVES(1, 0x31, 0x32, 0x14);                     /* over */
	GIVES(1, 0x31, 0x32, 0x33, 0x15, 2);            /* pick */
	GIVES(1, 0x32, 0x33, 0x16, 0x1c);               /* swap: 3 - 2 */
	GIVES(2, 0x31, 0x32, 0x33, 0x17);               /* rot: 3 goes below, 2 comes up */
	GIVES(3, 0x31, 0x32, 0x33, 0x17, 0x13, 0x13, 0x96);
	FAILS(STEP_BAD, 0x13);
	FAILS(STEP_BAD, 0x31, 0x15, 1);
	FAILS(STEP_BAD, 0x96);                          /* nothing left */
}

static void
flow(void)
{
	GIVES(3, 0x31, 0x28, 1, 0, 0x35, 0x33);         /* bra over lit5 */
	GIVES(5, 0x30, 0x28, 2, 0, 0x33, 0x13, 0x35);   /* not taken */
	GIVES(3, 0x2f, 1, 0, 0x35, 0x33);
	FAILS(STEP_BAD, 0x2f, 0xfd, 0xff);              /* for ever */
	FAILS(STEP_BAD, 0x2f, 0xf0, 0xff);              /* to before the beginning */
	FAILS(STEP_BAD, 0x2f, 9, 0);
	FAILS(STEP_BAD, 0x33, 0x08);                    /* ends within an operand */
	FAILS(STEP_BAD, 0x50);                          /* a register is a place, not a value */
	FAILS(STEP_BAD, 0x33, 0x9f, 0xff);
}

static void
too_many_values(void)
{
	static uint8_t many[40];
	uint64_t v;

	memset(many, 0x31, sizeof many);
	CHECK(eval(many, 32, &v) == STEP_OK);
	CHECK(eval(many, 33, &v) == STEP_BAD);
}

static void
registers_and_memory(void)
{
	uint64_t v;
	static const uint8_t beyond[] = { 0x77, 25, 0x06 }, initial[] = { 0x23, 8 };
	const uint64_t cfa = 100;

	GIVES(0x7ffe1008, 0x77, 8);
	GIVES(0x7ffe1008, 0x92, 7, 8);
	GIVES(0x7ffe1008, 0x76, 0x78, 0x06);            /* *(rbp - 8): a realigned stack's CFA */
	GIVES(0x2211, 0x77, 16, 0x94, 2);
	FAILS(STEP_UNKNOWN, 0x73, 0);
	FAILS(STEP_UNKNOWN, 0x92, 50, 0);
	FAILS(STEP_BAD, 0x77, 0, 0x94, 9);
	CHECK(eval(beyond, sizeof beyond, &v) == STEP_OUTSIDE);
	CHECK_U64(v, 0x7ffe1019);
	CHECK(expr_eval(cur_of(initial, 2, false), &arch_x86_64, &regs, &memory, &cfa, &v) == STEP_OK);
	CHECK_U64(v, 108);
}

/* sp + 64 + 144 times the length of vectors, where that is known: of aarch64 alone. */
static void
the_length_of_vectors(void)
{
	static const uint8_t cfa[] = { 0x8f, 0, 0x92, 46, 0, 0x08, 144, 0x1e, 0x23, 64, 0x22 };
	struct regs r = { .r = { [31] = 0x1000, [VECTOR] = 8 }, .known = UINT64_C(1) << 31 | UINT64_C(1) << VECTOR };
	uint64_t v;

	CHECK(expr_eval(cur_of(cfa, sizeof cfa, false), &arch_aarch64, &r, &memory, NULL, &v) == STEP_OK);
	CHECK_U64(v, 0x1000 + 64 + 8 * 144);
	CHECK(expr_eval(cur_of(cfa, sizeof cfa, false), &arch_riscv64, &r, &memory, NULL, &v) == STEP_UNKNOWN);
	r.known = UINT64_C(1) << 31;
	CHECK(expr_eval(cur_of(cfa, sizeof cfa, false), &arch_aarch64, &r, &memory, NULL, &v) == STEP_UNKNOWN);
}

static void
the_plt(void)
{
	/* rsp + 8 + ((rip & 15) >= 11 ? 8 : 0) */
	static const uint8_t plt[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	struct regs r = regs;
	uint64_t v;

	for (unsigned i = 0; i < 16; i++) {
		r.r[16] = 0x401020 + i;
		CHECK(expr_eval(cur_of(plt, sizeof plt, false), &arch_x86_64, &r, &memory, NULL, &v) == STEP_OK);
		CHECK_U64(v, 0x7ffe1008 + (i >= 11 ? 8 : 0));
	}
}

int
main(void)
{
	RUN("expr", constants);
	RUN("expr", arithmetic);
	RUN("expr", the_stack_of_values);
	RUN("expr", flow);
	RUN("expr", too_many_values);
	RUN("expr", registers_and_memory);
	RUN("expr", the_length_of_vectors);
	RUN("expr", the_plt);
	return TEST_STATUS;
}
