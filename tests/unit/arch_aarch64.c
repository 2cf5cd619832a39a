#include "unwind/arch/aarch64.c"
#include "recorded.h"

#define NONE NO_SLOT

static const struct {
	uint32_t w;
	uint8_t op;
	int32_t off, target;
	int16_t fp_at, ra_at;
} insns[] = {
	{ 0xa9be7bfd, INSN_SAVE, -32, 0, 0, 8 },             /* stp x29, x30, [sp, #-32]! */
	{ 0xa9017bfd, INSN_SAVE, 0, 0, 16, 24 },             /* stp x29, x30, [sp, #16] */
	{ 0xa9bf7bf3, INSN_SAVE, -16, 0, NONE, 8 },          /* stp x19, x30, [sp, #-16]! */
	{ 0xa9bf4ffe, INSN_SAVE, -16, 0, NONE, 0 },          /* stp x30, x19, [sp, #-16]! */
	{ 0xf81f0ffe, INSN_SAVE, -16, 0, NONE, 0 },          /* str x30, [sp, #-16]! */
	{ 0xf90007fe, INSN_SAVE, 0, 0, NONE, 8 },            /* str x30, [sp, #8] */
	{ 0xa8c27bfd, INSN_RESTORE, 32, 0, 0, 8 },           /* ldp x29, x30, [sp], #32 */
	{ 0xa9417bfd, INSN_RESTORE, 0, 0, 16, 24 },          /* ldp x29, x30, [sp, #16] */
	{ 0xf84107fe, INSN_RESTORE, 16, 0, NONE, 0 },        /* ldr x30, [sp], #16 */
	{ 0xf94007fe, INSN_RESTORE, 0, 0, NONE, 8 },         /* ldr x30, [sp, #8] */
	{ 0xf9400bfd, INSN_RESTORE, 0, 0, 16, NONE },        /* ldr x29, [sp, #16] */
	{ 0xa9bf53f3, INSN_SP_ADD, -16, 0, NONE, NONE },     /* stp x19, x20, [sp, #-16]! */
	{ 0xa8c153f3, INSN_SP_ADD, 16, 0, NONE, NONE },      /* ldp x19, x20, [sp], #16 */
	{ 0x6dbf23e9, INSN_SP_ADD, -16, 0, NONE, NONE },     /* stp d9, d8, [sp, #-16]! */
	{ 0xadbf07e0, INSN_SP_ADD, -32, 0, NONE, NONE },     /* stp q0, q1, [sp, #-32]! */
	{ 0xfc1f0fe8, INSN_SP_ADD, -16, 0, NONE, NONE },     /* str d8, [sp, #-16]! */
	{ 0xd10083ff, INSN_SP_ADD, -32, 0, NONE, NONE },     /* sub sp, sp, #32 */
	{ 0x910083ff, INSN_SP_ADD, 32, 0, NONE, NONE },
	{ 0xd14007ff, INSN_SP_ADD, -4096, 0, NONE, NONE },   /* sub sp, sp, #1, lsl #12 */
	{ 0xcb2c63ff, INSN_SP_ADD_REG, -1, 0, NONE, NONE },  /* sub sp, sp, x12 */
	{ 0x8b2c63ff, INSN_SP_ADD_REG, 1, 0, NONE, NONE },
	{ 0xd281a80c, INSN_CONST, 0xd40, 0, NONE, NONE },    /* mov x12, #0xd40 */
	{ 0xf2a0006c, INSN_CONST_ADD, 0x30000, 0, NONE, NONE },   /* movk x12, #3, lsl #16 */
	{ 0xd2800bc8, INSN_CONST, 94, 0, NONE, NONE },       /* mov x8, #94 */
	{ 0x910003fd, INSN_FP_FROM_SP, 0, 0, NONE, NONE },   /* mov x29, sp */
	{ 0x910043fd, INSN_FP_FROM_SP, 16, 0, NONE, NONE },
	{ 0x910003bf, INSN_SP_FROM_FP, 0, 0, NONE, NONE },   /* mov sp, x29 */
	{ 0xd10103bf, INSN_SP_FROM_FP, -64, 0, NONE, NONE }, /* sub sp, x29, #64 */
	{ 0x9100001f, INSN_SP_LOST, 0, 0, NONE, NONE },      /* mov sp, x0 */
	{ 0x927cec1f, INSN_SP_LOST, 0, 0, NONE, NONE },      /* and sp, x0, #-16 */
	{ 0x042f57ff, INSN_SP_LOST, 0, 0, NONE, NONE },      /* addvl sp, sp, #-1 */
	{ 0xd280001d, INSN_FP_ZERO, 0, 0, NONE, NONE },      /* mov x29, #0 */
	{ 0xaa1f03fe, INSN_RA_ZERO, 0, 0, NONE, NONE },      /* mov x30, xzr */
	{ 0xaa0903fe, INSN_RA_LOST, 0, 0, NONE, NONE },      /* mov x30, x9 */
	{ 0xaa0003fd, INSN_FP_LOST, 0, 0, NONE, NONE },      /* mov x29, x0 */
	{ 0xa9457c1d, INSN_FP_LOST, 0, 0, NONE, NONE },      /* ldp x29, xzr, [x0, #80] */
	{ 0xa945781d, INSN_RA_LOST, 0, 0, NONE, NONE },      /* ldp x29, x30, [x0, #80]: both */
	{ 0xd503233f, INSN_PLAIN, 0, 0, NONE, NONE },        /* paciasp */
	{ 0xd50323bf, INSN_PLAIN, 0, 0, NONE, NONE },        /* autiasp */
	{ 0xdac10bfe, INSN_PLAIN, 0, 0, NONE, NONE },        /* pacda x30, sp: signs what is there */
	{ 0xd503245f, INSN_PLAIN, 0, 0, NONE, NONE },        /* bti c */
	{ 0xeb0c63ff, INSN_PLAIN, 0, 0, NONE, NONE },        /* cmp */
	{ 0xf94007e0, INSN_PLAIN, 0, 0, NONE, NONE },        /* ldr x0, [sp, #8] */
	{ 0xd65f03c0, INSN_RETURN, 0, 0, NONE, NONE },
	{ 0xd65f0bff, INSN_RETURN, 0, 0, NONE, NONE },       /* retaa */
	{ 0xd65f0120, INSN_JUMP_AWAY, 0, 0, NONE, NONE },    /* ret x9 */
	{ 0xd61f0220, INSN_RETURN, 0, 0, NONE, NONE },       /* br x17 */
	{ 0xd61f0000, INSN_JUMP_AWAY, 0, 0, NONE, NONE },    /* br x0 */
	{ 0xd63f0020, INSN_CALL, 0, 0, NONE, NONE },
	{ 0xd73f0822, INSN_CALL, 0, 0, NONE, NONE },         /* blraa x1, x2 */
	{ 0x97ffffff, INSN_CALL, 0, -4, NONE, NONE },
	{ 0x14000010, INSN_JUMP, 0, 64, NONE, NONE },
	{ 0x54ffff81, INSN_BRANCH, 0, -16, NONE, NONE },     /* b.ne */
	{ 0xb4000040, INSN_BRANCH, 0, 8, NONE, NONE },       /* cbz x0 */
	{ 0x37f80060, INSN_BRANCH, 0, 12, NONE, NONE },      /* tbnz */
	{ 0xd4000001, INSN_SYSCALL, 0, 0, NONE, NONE },
	{ 0xd4207d00, INSN_STOP, 0, 0, NONE, NONE },         /* brk */
	{ 0x00000000, INSN_STOP, 0, 0, NONE, NONE },         /* udf */
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
		CHECK_U64(got.len, 4);
		if (insns[i].off)
			CHECK_U64(got.off, insns[i].off);
		CHECK_U64(got.target, insns[i].target);
		CHECK_U64(got.fp_at, insns[i].fp_at);
		CHECK_U64(got.ra_at, insns[i].ra_at);
		decode(bytes, 3, &got);
		CHECK_U64(got.op, INSN_BAD);
	}
}

static void
calls_and_beginnings(void)
{
	static const struct { uint32_t w[4]; bool call, begins, ends; } of[] = {
		{ { 0x94000001 }, true, false, false },
		{ { 0xd63f0300 }, true, false, false },
		{ { 0xd73f0822 }, true, false, false },
		{ { 0x14000001 }, false, false, false },
		{ { 0xd65f03c0 }, false, false, false },
		{ { 0xa9be7bfd }, false, true, false },
		{ { 0xf81f0ffe }, false, true, false },
		{ { 0xa9bf7bf0 }, false, true, false },               /* a PLT's first entry */
		{ { 0xd10103ff, 0xa9027bfd }, false, true, false },   /* sub sp, sp, #64; stp x29, x30, [sp, #32] */
		{ { 0xd10103ff, 0x54000040, 0xa9027bfd }, false, false, false },
		{ { 0xaa0003e0, 0x94000010 }, false, false, true },
	};
	uint8_t bytes[16];

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		for (unsigned k = 0; k < 4; k++)
			put(bytes + 4 * k, of[i].w[k] ? of[i].w[k] : 0xd503201f);
		CHECK(after_call(bytes + 4, 4) == of[i].call);
		CHECK(prologue(bytes, 16) == of[i].begins);
		CHECK(ends_here(bytes, 16) == of[i].ends);
	}
	CHECK(!after_call(bytes, 0) && !prologue(bytes, 0) && !ends_here(bytes, 4));
}

/* asm/sigcontext.h, asm/ucontext.h: behind a siginfo of 128 bytes, flags, link, a stack_t and 128 bytes of signals stands a
 * sigcontext, aligned to 16: the fault's address, then the registers. */
static void
signal_frame(void)
{
	CHECK_U64(arch_aarch64.nsigregs, 33);
	for (unsigned i = 0; i < 33; i++)
		CHECK(sigregs[i].reg == i && sigregs[i].sp_off == (128 + 8 + 8 + 24 + 128 + 15) / 16 * 16 + 8 + 8 * i);
	CHECK_U64(__builtin_popcountll(arch_aarch64.sample), sizeof dwarf);
	for (unsigned i = 0; i < sizeof dwarf; i++)
		CHECK_U64(dwarf[i], i);
	CHECK(word_at(trampolines[0].bytes) == 0xd2801168 && word_at(trampolines[0].bytes + 4) == 0xd4000001);
}

/* A program of musl's with signed return addresses: the program's own functions have frame descriptions, musl's have none. */
static void
recorded_stacks(void)
{
	struct recorded t = { .arch = &arch_aarch64, .mask = (UINT64_C(1) << 48) - 1, .mode = MODE_AUTO };
	struct recorded naked;

	CHECK(unpack("tests/data/aarch64/walkthrough.xz", &t.program) && unpack("tests/data/aarch64/walkthrough.stacks.xz", &t.stacks));
	unwind_recorded(&t);
	printf("%u stacks, %u complete, %u wrong; %u cfi, %u fp, %u code\n", t.samples, t.complete, t.wrong, t.by_cfi, t.by_fp, t.by_code);
	CHECK(t.samples > 2000 && t.wrong == 0 && t.cut * 200 < t.samples);
	CHECK(t.by_cfi > 1000 && t.by_fp > 1000 && t.by_code > 100);
	naked = t;
	naked.stripped = true;
	unwind_recorded(&naked);
	printf("stripped: %u complete, %u wrong; %u cfi, %u fp, %u code\n", naked.complete, naked.wrong, naked.by_cfi, naked.by_fp,
	       naked.by_code);
	CHECK(naked.wrong == 0 && naked.cut * 20 < naked.samples && !naked.by_cfi);
	naked.mask = UINT64_MAX;   /* if the signature stays, prof takes the value for no address */
	unwind_recorded(&naked);
	CHECK(naked.complete * 2 < naked.samples);
	sink_close(&t.program);
	sink_close(&t.stacks);
}

/* musl's clone: the new thread goes on there, and ends there. */
static void
threads_begin(void)
{
	static const uint32_t clone[] = {
		0x927cec21, 0xa9bf0c20, 0x2a0203e0, 0xd2801b88, 0xd4000001, 0xb4000040, 0xd65f03c0, 0xa8c103e1, 0xd63f0020,
		0xd2800ba8, 0xd4000001
	};
	uint8_t code[sizeof clone];
	struct rule r;

	for (unsigned i = 0; i < sizeof clone / 4; i++)
		put(code + 4 * i, clone[i]);
	CHECK_U64(rule_in(&arch_aarch64, code, sizeof code, 24, &r), RULE_DERIVED);   /* ret */
	CHECK(r.flags & RULE_RA_IN_REG && r.ra_off == LR && !r.cfa_off);
	CHECK_U64(rule_in(&arch_aarch64, code, sizeof code, 32, &r), RULE_ROOT);      /* the value that was on the stack is popped */
	CHECK_U64(rule_in(&arch_aarch64, code, sizeof code, 35, &r), RULE_ROOT);      /* behind the call */
}

/* After the system call both threads have 0, and the new one has the requested stack pointer; but vfork's child is on its parent's
 * stack. */
static void
a_new_thread_or_vfork(void)
{
	static const uint32_t insns[] = {
		0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0xd65f03c0,
		0xa9bf7bfd, 0x94000007, 0xa8c17bfd, 0xd65f03c0, 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f,   /* bl vfork */
		0xd2822220, 0x910003e1, 0xd2801b88, 0xd4000001, 0xb4000040, 0xd503201f, 0xd65f03c0, 0xd503201f,
	};
	uint8_t code[sizeof insns], bytes[16] = { 0 };   /* the caller's caller: none */
	struct stack stack = { .lo = 0x7000, .size = sizeof bytes, .bytes = bytes };
	struct regs regs = { .r = { [1] = 0x7000, [8] = 220, [FP] = 0, [LR] = 0x1028, [SP] = 0x7000 } };

	for (unsigned i = 0; i < sizeof insns / 4; i++)
		put(code + 4 * i, insns[i]);
	CHECK_U64(walk_in(&arch_aarch64, code, sizeof code, 32, 80, &regs, &stack), 2);
	CHECK_U64(walk_in(&arch_aarch64, code, sizeof code, 32, 88, &regs, &stack), 2);
	put(code + 68, 0xd503201f);   /* a stack of its own */
	CHECK_U64(walk_in(&arch_aarch64, code, sizeof code, 32, 80, &regs, &stack), 1);
	CHECK_U64(walk_in(&arch_aarch64, code, sizeof code, 32, 88, &regs, &stack), 1);
	regs.r[0] = 17;               /* the thread that made it */
	CHECK_U64(walk_in(&arch_aarch64, code, sizeof code, 32, 88, &regs, &stack), 2);
}

/* A return address in the caller's frame, as far away as a description can express. */
static void
far_return_addresses(void)
{
	struct fde fde = { .lo = 0 };
	struct row row = { .ra = 30, .set = UINT64_C(1) << 30, .reg[30] = { .how = HOW_OFFSET, .off = INT32_MAX } };

	row_mend(&arch_aarch64, &fde, 4, &row);
	CHECK_U64(row.cfa_off, 0);
	CHECK_U64(row.reg[30].off, INT32_MAX);
	row.reg[30].off = 16;
	row.set |= 1;
	row.reg[0] = (struct place){ .how = HOW_OFFSET, .off = INT32_MIN };
	row_mend(&arch_aarch64, &fde, 4, &row);
	CHECK_U64(row.cfa_off, 24);
	CHECK_U64(row.reg[30].off, -8);
}

int
main(void)
{
	RUN("arch_aarch64", threads_begin);
	RUN("arch_aarch64", a_new_thread_or_vfork);
	RUN("arch_aarch64", instructions);
	RUN("arch_aarch64", calls_and_beginnings);
	RUN("arch_aarch64", signal_frame);
	RUN("arch_aarch64", recorded_stacks);
	RUN("arch_aarch64", far_return_addresses);
	return TEST_STATUS;
}
