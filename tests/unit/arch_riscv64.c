#include "unwind/arch/riscv64.c"
#include "recorded.h"

#define NONE NO_SLOT

static const struct {
	uint32_t w;
	uint8_t op, len;
	int32_t off, target;
	int16_t fp_at, ra_at;
} insns[] = {
	{ 0xfe010113, INSN_SP_ADD, 4, -32, 0, NONE, NONE },      /* addi sp, sp, -32 */
	{ 0x1101, INSN_SP_ADD, 2, -32, 0, NONE, NONE },
	{ 0x7139, INSN_SP_ADD, 2, -64, 0, NONE, NONE },          /* addi16sp */
	{ 0x6149, INSN_SP_ADD, 2, 144, 0, NONE, NONE },
	{ 0x00113c23, INSN_SAVE, 4, 0, 0, NONE, 24 },            /* sd ra, 24(sp) */
	{ 0xec06, INSN_SAVE, 2, 0, 0, NONE, 24 },
	{ 0xe822, INSN_SAVE, 2, 0, 0, 16, NONE },                /* sd s0, 16(sp) */
	{ 0x2e813823, INSN_SAVE, 4, 0, 0, 752, NONE },
	{ 0xe426, INSN_PLAIN, 2, 0, 0, NONE, NONE },             /* sd s1, 8(sp) */
	{ 0x60e2, INSN_RESTORE, 2, 0, 0, NONE, 24 },             /* ld ra, 24(sp) */
	{ 0x6442, INSN_RESTORE, 2, 0, 0, 16, NONE },             /* ld s0, 16(sp) */
	{ 0x01813083, INSN_RESTORE, 4, 0, 0, NONE, 24 },
	{ 0x1000, INSN_FP_FROM_SP, 2, 32, 0, NONE, NONE },       /* addi s0, sp, 32 */
	{ 0x0600, INSN_FP_FROM_SP, 2, 768, 0, NONE, NONE },
	{ 0x02010413, INSN_FP_FROM_SP, 4, 32, 0, NONE, NONE },
	{ 0xfd040113, INSN_SP_FROM_FP, 4, -48, 0, NONE, NONE },  /* addi sp, s0, -48 */
	{ 0x8122, INSN_SP_FROM_FP, 2, 0, 0, NONE, NONE },        /* mv sp, s0 */
	{ 0x9116, INSN_SP_ADD_REG, 2, 1, 0, NONE, NONE },        /* add sp, sp, t0 */
	{ 0x40510133, INSN_SP_ADD_REG, 4, -1, 0, NONE, NONE },   /* sub sp, sp, t0 */
	{ 0x00540133, INSN_SP_FROM_FP_REG, 4, 1, 0, NONE, NONE },/* add sp, s0, t0 */
	{ 0x02a58133, INSN_SP_LOST, 4, 0, 0, NONE, NONE },       /* mul sp, a1, a0 */
	{ 0x000382b7, INSN_CONST, 4, 0x38000, 0, NONE, NONE },   /* lui t0, 0x38 */
	{ 0x72fd, INSN_CONST, 2, -4096, 0, NONE, NONE },         /* lui t0, -1 */
	{ 0x12c1, INSN_CONST_ADD, 2, -16, 0, NONE, NONE },       /* addi t0, t0, -16 */
	{ 0x05e00893, INSN_CONST, 4, 94, 0, NONE, NONE },        /* li a7, 94 */
	{ 0x4501, INSN_CONST, 2, 0, 0, NONE, NONE },             /* li a0, 0 */
	{ 0x4401, INSN_FP_ZERO, 2, 0, 0, NONE, NONE },           /* li s0, 0 */
	{ 0x4081, INSN_RA_ZERO, 2, 0, 0, NONE, NONE },           /* li ra, 0 */
	{ 0x842a, INSN_FP_LOST, 2, 0, 0, NONE, NONE },           /* mv s0, a0 */
	{ 0x6100, INSN_FP_LOST, 2, 0, 0, NONE, NONE },           /* ld s0, 0(a0) */
	{ 0x06853083, INSN_RA_LOST, 4, 0, 0, NONE, NONE },       /* ld ra, 104(a0) */
	{ 0x8082, INSN_RETURN, 2, 0, 0, NONE, NONE },
	{ 0x00008067, INSN_RETURN, 4, 0, 0, NONE, NONE },
	{ 0x8782, INSN_JUMP_AWAY, 2, 0, 0, NONE, NONE },         /* jr a5 */
	{ 0x000e0367, INSN_RETURN, 4, 0, 0, NONE, NONE },        /* jalr t1, t3: of a PLT entry */
	{ 0x0c8002ef, INSN_SP_LOST, 4, 0, 200, NONE, NONE },     /* jal t0: __riscv_save */
	{ 0x9602, INSN_CALL, 2, 0, 0, NONE, NONE },              /* jalr a2 */
	{ 0x000780e7, INSN_CALL, 4, 0, 0, NONE, NONE },
	{ 0x258000ef, INSN_CALL, 4, 0, 0x258, NONE, NONE },
	{ 0xf36f10ef, INSN_CALL, 4, 0, -0xe8ca, NONE, NONE },
	{ 0xbff1, INSN_JUMP, 2, 0, -36, NONE, NONE },
	{ 0xe7dff06f, INSN_JUMP, 4, 0, -388, NONE, NONE },
	{ 0xc701, INSN_BRANCH, 2, 0, 8, NONE, NONE },            /* beqz a4 */
	{ 0xfff5, INSN_BRANCH, 2, 0, -4, NONE, NONE },           /* bnez a5 */
	{ 0x50070563, INSN_BRANCH, 4, 0, 0x50a, NONE, NONE },
	{ 0xfed796e3, INSN_BRANCH, 4, 0, -20, NONE, NONE },
	{ 0x00000073, INSN_SYSCALL, 4, 0, 0, NONE, NONE },
	{ 0x00100073, INSN_STOP, 4, 0, 0, NONE, NONE },
	{ 0x9002, INSN_STOP, 2, 0, 0, NONE, NONE },
	{ 0x0000, INSN_STOP, 2, 0, 0, NONE, NONE },
	{ 0xbcaa, INSN_PLAIN, 2, 0, 0, NONE, NONE },             /* fsd fa0, 120(sp) */
	{ 0x2546, INSN_PLAIN, 2, 0, 0, NONE, NONE },             /* fld fa0, 80(sp) */
	{ 0x00000013, INSN_PLAIN, 4, 0, 0, NONE, NONE },         /* nop */
	{ 0x0001, INSN_PLAIN, 2, 0, 0, NONE, NONE },
};

static void
put(uint8_t *p, uint32_t w)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(w >> 8 * i);
}

static void
instructions(void)
{
	uint8_t bytes[4];
	struct insn got;

	for (unsigned i = 0; i < sizeof insns / sizeof *insns; i++) {
		put(bytes, insns[i].w);
		decode(bytes, 4, &got);
		if (got.op != insns[i].op)
			printf("%08x: %u, not %u\n", insns[i].w, got.op, insns[i].op);
		CHECK_U64(got.op, insns[i].op);
		CHECK_U64(got.len, insns[i].len);
		if (insns[i].off)
			CHECK_U64(got.off, insns[i].off);
		CHECK_U64(got.target, insns[i].target);
		CHECK_U64(got.fp_at, insns[i].fp_at);
		CHECK_U64(got.ra_at, insns[i].ra_at);
		decode(bytes, insns[i].len - 1u, &got);
		CHECK_U64(got.op, INSN_BAD);
	}
	put(bytes, 0x0000001f);   /* longer than four bytes */
	decode(bytes, 4, &got);
	CHECK_U64(got.op, INSN_BAD);
}

static void
calls_and_beginnings(void)
{
	static const struct { uint8_t bytes[12]; bool call, begins; } of[] = {
		{ { 0xef, 0x00, 0x80, 0x25 }, true, false },
		{ { 0xe7, 0x80, 0x07, 0x00 }, true, false },
		{ { 0x01, 0x00, 0x02, 0x96 }, true, false },                                      /* nop; jalr a2 */
		{ { 0x01, 0x00, 0x02, 0x90 }, false, false },                                     /* nop; ebreak */
		{ { 0x67, 0x80, 0x07, 0x00 }, false, false },
		{ { 0x01, 0x11, 0x22, 0xe8, 0x06, 0xec, 0x01, 0x00 }, false, true },              /* addi sp; sd s0; sd ra */
		{ { 0x01, 0x11, 0x01, 0xc7, 0x06, 0xec, 0x01, 0x00 }, false, false },             /* a branch between */
		{ { 0x05, 0x61, 0x22, 0xe8, 0x06, 0xec, 0x01, 0x00 }, false, false },             /* gives room back */
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		CHECK(after_call(of[i].bytes + 4, 4) == of[i].call);
		CHECK(prologue(of[i].bytes, 12) == of[i].begins);
	}
	CHECK(!after_call(of[0].bytes, 0) && !prologue(of[0].bytes, 0));
}

/* asm/sigcontext.h, asm/ucontext.h: behind a siginfo of 128 bytes, flags, link, a stack_t and 128 bytes of signals stands a
 * sigcontext, aligned to 16: pc, then ra and all that follow it. */
static void
signal_frame(void)
{
	CHECK_U64(arch_riscv64.nsigregs, 32);
	for (unsigned i = 0; i < 32; i++)
		CHECK(sigregs[i].reg == (i ? i : PC) && sigregs[i].sp_off == (128 + 8 + 8 + 24 + 128 + 15) / 16 * 16 + 8 * i);
	CHECK_U64(__builtin_popcountll(arch_riscv64.sample), sizeof dwarf);
	for (unsigned i = 0; i < sizeof dwarf; i++)
		CHECK_U64(dwarf[i], i ? i : PC);
}

/* Of musl's program: its own functions have frame descriptions, musl's none. */
static void
recorded_stacks(void)
{
	struct recorded t = { .arch = &arch_riscv64, .mask = UINT64_MAX, .mode = MODE_AUTO };

	CHECK(unpack("tests/data/riscv64/walkthrough.xz", &t.program) && unpack("tests/data/riscv64/walkthrough.stacks.xz", &t.stacks));
	unwind_recorded(&t);
	printf("%u stacks, %u complete, %u wrong; %u cfi, %u fp, %u code\n", t.samples, t.complete, t.wrong, t.by_cfi, t.by_fp, t.by_code);
	CHECK(t.samples > 2000 && t.wrong == 0 && t.cut * 200 < t.samples);
	CHECK(t.by_cfi > 1000 && t.by_code > 1000);
	t.stripped = true;
	unwind_recorded(&t);
	printf("stripped: %u complete, %u wrong; %u cfi, %u fp, %u code\n", t.complete, t.wrong, t.by_cfi, t.by_fp, t.by_code);
	/* Nothing tells where _start ends, so prof takes three instructions after it for its own. */
	CHECK(t.wrong <= 3 && t.cut * 20 < t.samples && t.by_cfi < 100);
	sink_close(&t.program);
	sink_close(&t.stacks);
}

/* musl's clone: the new thread goes on there, and ends there. */
static void
threads_begin(void)
{
	static const uint8_t clone[] = {
		0xc1, 0x15, 0x88, 0xe1, 0x94, 0xe5, 0x93, 0x08, 0xc0, 0x0d, 0x73, 0x00, 0x00, 0x00, 0x11, 0xc1, 0x82, 0x80, 0x82, 0x65,
		0x22, 0x65, 0x82, 0x95, 0x93, 0x08, 0xd0, 0x05, 0x73, 0x00, 0x00, 0x00
	};
	struct rule r;

	CHECK_U64(rule_in(&arch_riscv64, clone, sizeof clone, 0, &r), RULE_DERIVED);
	CHECK(r.flags & RULE_RA_IN_REG && r.ra_off == RA && !r.cfa_off);
	CHECK_U64(rule_in(&arch_riscv64, clone, sizeof clone, 16, &r), RULE_DERIVED);   /* ret */
	CHECK_U64(rule_in(&arch_riscv64, clone, sizeof clone, 23, &r), RULE_ROOT);      /* behind the call */
}

/* lui t0, -1; addi sp, -48; addi t0, 16; sd s0; sd ra; lui a5, -1; add sp, sp, t0; then the way back */
static void
large_frames(void)
{
	static const uint8_t code[] = {
		0xfd, 0x72, 0x79, 0x71, 0xc1, 0x02, 0x22, 0xf0, 0x06, 0xf4, 0xfd, 0x77, 0x16, 0x91, 0x82, 0x97, 0x85, 0x62, 0xc1, 0x12,
		0x16, 0x91, 0xa2, 0x70, 0x02, 0x74, 0x45, 0x61, 0x82, 0x80
	};
	static const int32_t cfa[] = { 0, 0, 48, 48, 48, 48, 48, 4128, 4128, 4128, 4128, 48, 48, 48, 0 };
	struct rule r;

	for (unsigned i = 0; i < sizeof cfa / sizeof *cfa; i++) {
		CHECK_U64(rule_in(&arch_riscv64, code, sizeof code, 2 * i, &r), RULE_DERIVED);
		CHECK_U64(r.cfa_off, cfa[i]);
		CHECK((i < 5 || i >= 12) == !!(r.flags & RULE_RA_IN_REG));
	}
}

int
main(void)
{
	RUN("arch_riscv64", threads_begin);
	RUN("arch_riscv64", large_frames);
	RUN("arch_riscv64", instructions);
	RUN("arch_riscv64", calls_and_beginnings);
	RUN("arch_riscv64", signal_frame);
	RUN("arch_riscv64", recorded_stacks);
	return TEST_STATUS;
}
