#include "unwind/arch/armv7.c"

#include <stddef.h>

#include "elfwrite.h"
#include "samples.h"

enum { NO = NO_SLOT };
#define A32(op_, off_, target_, fp_, ra_, other_, word_) { 0, 4, op_, off_, target_, fp_, ra_, other_, word_ }
#define T16(op_, off_, target_, fp_, ra_, other_, word_) { 1, 2, op_, off_, target_, fp_, ra_, other_, word_ }
#define T32(op_, off_, target_, fp_, ra_, other_, a_, b_) { 1, 4, op_, off_, target_, fp_, ra_, other_, a_ | (uint32_t)b_ << 16 }

static const struct {
	uint8_t thumb, len, op;
	int32_t off, target;
	int16_t fp, ra, other;
	uint32_t bytes;
} insns[] = {
	A32(INSN_SAVE, -16, 0, 8, 12, 4, 0xe92d4890),              /* push {r4, r7, r11, lr} */
	A32(INSN_RETURN, 16, 0, 8, 12, 4, 0xe8bd8890),             /* pop {r4, r7, r11, pc} */
	A32(INSN_PLAIN, 16, 0, 8, 12, 4, 0x18bd8890),              /* popne */
	A32(INSN_RESTORE, 8, 0, NO, 4, NO, 0xe8bd4010),            /* pop {r4, lr} */
	A32(INSN_SAVE, -4, 0, NO, 0, NO, 0xe52de004),              /* push {lr} */
	A32(INSN_RETURN, 4, 0, NO, 0, NO, 0xe49df004),             /* pop {pc} */
	A32(INSN_SAVE, -32, 0, NO, NO, NO, 0xe52d8020),            /* str r8, [sp, #-32]! */
	A32(INSN_SAVE, 0, 0, NO, 20, NO, 0xe58de014),              /* str lr, [sp, #20] */
	A32(INSN_RESTORE, 0, 0, NO, 20, NO, 0xe59de014),           /* ldr lr, [sp, #20] */
	A32(INSN_SAVE, -16, 0, NO, NO, 4, 0xe16d61f0),             /* strd r6, r7, [sp, #-16]! */
	A32(INSN_RESTORE, 0, 0, NO, NO, 12, 0xe1cd60d8),           /* ldrd r6, r7, [sp, #8] */
	A32(INSN_SP_ADD, -24, 0, NO, NO, NO, 0xe24dd018),
	A32(INSN_SP_ADD, 1024, 0, NO, NO, NO, 0xe28ddb01),
	A32(INSN_SP_ADD_REG, -1, 0, NO, NO, NO, 0xe04dd003),       /* sub sp, sp, r3 */
	A32(INSN_SP_LOST, 0, 0, NO, NO, NO, 0xe3cdd007),           /* bic sp, sp, #7 */
	A32(INSN_FP_FROM_SP, 4, 0, NO, NO, NO, 0xe28db004),        /* add r11, sp, #4 */
	A32(INSN_SP_FROM_FP, -4, 0, NO, NO, NO, 0xe24bd004),       /* sub sp, r11, #4 */
	A32(INSN_SP_FROM_FP, 0, 0, NO, NO, NO, 0xe1a0d00b),        /* mov sp, r11 */
	A32(INSN_SP_ADD, -64, 0, NO, NO, NO, 0xed2d8b10),          /* vpush {d8-d15} */
	A32(INSN_SP_ADD, 16, 0, NO, NO, NO, 0xecbd8b04),           /* vpop {d8, d9} */
	A32(INSN_RETURN, 0, 0, NO, NO, NO, 0xe12fff1e),            /* bx lr */
	A32(INSN_PLAIN, 0, 0, NO, NO, NO, 0x012fff1e),             /* bxeq lr */
	A32(INSN_JUMP_AWAY, 0, 0, NO, NO, NO, 0xe12fff13),
	A32(INSN_CALL, 0, 0, NO, NO, NO, 0xe12fff33),              /* blx r3 */
	A32(INSN_CALL, 0, 0x108, NO, NO, NO, 0xeb000040),
	A32(INSN_CALL, 0, 0x10a, NO, NO, NO, 0xfb000040),          /* blx */
	A32(INSN_JUMP, 0, -8, NO, NO, NO, 0xeafffffc),
	A32(INSN_BRANCH, 0, -8, NO, NO, NO, 0x1afffffc),
	A32(INSN_RETURN, 0, 0, NO, NO, NO, 0xe5bcf018),            /* ldr pc, [ip, #24]!: a PLT entry */
	A32(INSN_JUMP_AWAY, 0, 0, NO, NO, NO, 0xe79ff103),         /* ldr pc, [pc, r3, lsl #2] */
	A32(INSN_PLAIN, 0, 0, NO, NO, NO, 0x979ff103),
	A32(INSN_JUMP_AWAY, 0, 0, NO, NO, NO, 0xe08ff103),         /* add pc, pc, r3, lsl #2 */
	A32(INSN_SYSCALL, 0, 0, NO, NO, NO, 0xef000000),
	A32(INSN_CONST, 119, 0, NO, NO, NO, 0xe3a07077),           /* mov r7, #119 */
	A32(INSN_CONST, 0x1ae, 0, NO, NO, NO, 0xe30071ae),         /* movw r7, #430 */
	A32(INSN_RA_LOST, 0, 0, NO, NO, NO, 0xe1a0e00f),           /* mov lr, pc */
	A32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xe15d0003),             /* cmp sp, r3 */
	A32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xe1a00000),
	A32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xe0010392),             /* mul */
	A32(INSN_STOP, 0, 0, NO, NO, NO, 0xe7f000f0),              /* udf */
	T16(INSN_SAVE, -16, 0, NO, 12, 8, 0xb5b0),                 /* push {r4, r5, r7, lr} */
	T16(INSN_RETURN, 16, 0, NO, 12, 8, 0xbdb0),
	T16(INSN_RESTORE, 4, 0, NO, NO, NO, 0xbc10),               /* pop {r4} */
	T16(INSN_SP_ADD, -24, 0, NO, NO, NO, 0xb086),
	T16(INSN_SP_ADD, 24, 0, NO, NO, NO, 0xb006),
	T16(INSN_FP_FROM_SP, 8, 0, NO, NO, NO, 0xaf02),            /* add r7, sp, #8 */
	T16(INSN_SP_FROM_FP, 0, 0, NO, NO, NO, 0x46bd),            /* mov sp, r7 */
	T16(INSN_FP_ADD, 12, 0, NO, NO, NO, 0x370c),               /* adds r7, #12 */
	T16(INSN_FP_ADD, -12, 0, NO, NO, NO, 0x3f0c),
	T16(INSN_PLAIN, 0, 0, NO, NO, NO, 0x330c),
	T16(INSN_SP_ADD_REG, 1, 0, NO, NO, NO, 0x449d),            /* add sp, r3 */
	T16(INSN_RETURN, 0, 0, NO, NO, NO, 0x4770),
	T16(INSN_JUMP_AWAY, 0, 0, NO, NO, NO, 0x4718),
	T16(INSN_CALL, 0, 0, NO, NO, NO, 0x47a0),                  /* blx r4 */
	T16(INSN_RETURN, 0, 0, NO, NO, NO, 0x46f7),                /* mov pc, lr */
	T16(INSN_BRANCH, 0, -10, NO, NO, NO, 0xd1f9),
	T16(INSN_BRANCH, 0, 0x2c, NO, NO, NO, 0xb1a3),             /* cbz r3 */
	T16(INSN_JUMP, 0, 0x14, NO, NO, NO, 0xe008),
	T16(INSN_SYSCALL, 0, 0, NO, NO, NO, 0xdf00),
	T16(INSN_STOP, 0, 0, NO, NO, NO, 0xdeff),
	T16(INSN_CONST, 173, 0, NO, NO, NO, 0x27ad),
	T32(INSN_SAVE, -36, 0, 28, 32, 12, 0xe92d, 0x4ff0),        /* push {r4-r11, lr} */
	T32(INSN_RETURN, 36, 0, 28, 32, 12, 0xe8bd, 0x8ff0),
	T32(INSN_SAVE, -4, 0, NO, 0, NO, 0xf84d, 0xed04),          /* push {lr} */
	T32(INSN_RETURN, 4, 0, NO, 0, NO, 0xf85d, 0xfb04),
	T32(INSN_RESTORE, 4, 0, NO, NO, NO, 0xf85d, 0x4b04),       /* ldr r4, [sp], #4 */
	T32(INSN_SAVE, 0, 0, NO, 20, NO, 0xf8cd, 0xe014),          /* str lr, [sp, #20] */
	T32(INSN_SAVE, -16, 0, NO, NO, 4, 0xe96d, 0x6704),         /* strd r6, r7, [sp, #-16]! */
	T32(INSN_RESTORE, 0, 0, NO, NO, 12, 0xe9dd, 0x6702),       /* ldrd r6, r7, [sp, #8] */
	T32(INSN_SP_ADD, -0x410, 0, NO, NO, NO, 0xf2ad, 0x4d10),   /* subw sp, sp, #1040 */
	T32(INSN_SP_ADD, -0x1000, 0, NO, NO, NO, 0xf5ad, 0x5d80),  /* sub.w sp, sp, #4096 */
	T32(INSN_SP_ADD, 0x400, 0, NO, NO, NO, 0xf50d, 0x6d80),
	T32(INSN_SP_ADD_REG, -1, 0, NO, NO, NO, 0xebad, 0x0d03),   /* sub.w sp, sp, r3 */
	T32(INSN_SP_LOST, 0, 0, NO, NO, NO, 0xebad, 0x0dc3),
	T32(INSN_SP_FROM_FP, -16, 0, NO, NO, NO, 0xf1a7, 0x0d10),  /* sub.w sp, r7, #16 */
	T32(INSN_FP_FROM_SP, 16, 0, NO, NO, NO, 0xf10d, 0x0b10),   /* add.w r11, sp, #16 */
	T32(INSN_SP_ADD, -64, 0, NO, NO, NO, 0xed2d, 0x8b10),
	T32(INSN_SP_ADD, 16, 0, NO, NO, NO, 0xecbd, 0x8b04),
	T32(INSN_CALL, 0, 0x84, NO, NO, NO, 0xf000, 0xf840),       /* bl */
	T32(INSN_CALL, 0, 0x84, NO, NO, NO, 0xf000, 0xe840),       /* blx */
	T32(INSN_JUMP, 0, -4, NO, NO, NO, 0xf7ff, 0xbffc),
	T32(INSN_BRANCH, 0, 0x172, NO, NO, NO, 0xf000, 0x80b7),    /* beq.w */
	T32(INSN_JUMP_AWAY, 0, 0, NO, NO, NO, 0xe8df, 0xf003),     /* tbb */
	T32(INSN_RETURN, 0, 0, NO, NO, NO, 0xf8df, 0xf000),        /* ldr.w pc, there */
	T32(INSN_CONST, 0x1ae, 0, NO, NO, NO, 0xf240, 0x17ae),     /* movw r7, #430 */
	T32(INSN_CONST, 120, 0, NO, NO, NO, 0xf04f, 0x0778),
	T32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xf8d3, 0x2004),
	T32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xfb02, 0xf300),
	T32(INSN_STOP, 0, 0, NO, NO, NO, 0xf7f0, 0xa000),          /* udf.w */
	T32(INSN_PLAIN, 0, 0, NO, NO, NO, 0xbf18, 0xbd10),         /* it ne; popne {r4, pc} */
	T32(INSN_BRANCH, 0, 0x16, NO, NO, NO, 0xbf18, 0xe008),     /* it ne; bne */
	T32(INSN_CALL, 0, 0, NO, NO, NO, 0xbf18, 0x4798),          /* it ne; blxne r3 */
};

static void
instructions(void)
{
	for (unsigned i = 0; i < sizeof insns / sizeof *insns; i++) {
		uint8_t bytes[4];
		struct insn got;
		char name[32];

		snprintf(name, sizeof name, "armv7/instruction %u", i);
		test_name_ = name;
		for (unsigned b = 0; b < 4; b++)
			bytes[b] = (uint8_t)(insns[i].bytes >> 8 * b);
		(insns[i].thumb ? arm_t32 : arm_a32)(bytes, 4, &got);
		CHECK_U64(got.op, insns[i].op);
		CHECK_U64(got.len, insns[i].len);
		if (insns[i].op != INSN_PLAIN) {
			CHECK_U64(got.off, insns[i].off);
			CHECK_U64(got.target, insns[i].target);
			CHECK_U64(got.fp_at, insns[i].fp);
			CHECK_U64(got.ra_at, insns[i].ra);
			CHECK_U64(got.other_at, insns[i].other);
			CHECK(got.restores == (got.op == INSN_RETURN && got.off));
		}
		(insns[i].thumb ? arm_t32 : arm_a32)(bytes, insns[i].len - 1u, &got);
		CHECK(got.op == INSN_BAD || got.len < insns[i].len);
	}
	test_name_ = "armv7/instructions";
}

static void
which_frame_pointer(void)
{
	struct insn i;

	arm_t32((const uint8_t *)"\x02\xaf", 2, &i);
	CHECK(i.op == INSN_FP_FROM_SP && i.other);
	arm_t32((const uint8_t *)"\xbd\x46", 2, &i);
	CHECK(i.op == INSN_SP_FROM_FP && i.other);
	arm_a32((const uint8_t *)"\x04\xb0\x8d\xe2", 4, &i);
	CHECK(i.op == INSN_FP_FROM_SP && !i.other);
	arm_a32((const uint8_t *)"\x0b\xd0\xa0\xe1", 4, &i);
	CHECK(i.op == INSN_SP_FROM_FP && !i.other);
}

static void
calls_and_beginnings(void)
{
	static const struct { const char *bytes; unsigned n; bool call; } ends[] = {
		{ "\x40\x00\x00\xeb", 4, true }, { "\x40\x00\x00\xfa", 4, true }, { "\x33\xff\x2f\xe1", 4, true },
		{ "\x00\xf0\x40\xf8", 4, true }, { "\x00\xf0\x40\xe8", 4, true }, { "\xa0\x47", 2, true },
		{ "\x0f\xe0\xa0\xe1\x13\xff\x2f\xe1", 8, true },           /* mov lr, pc; bx r3 */
		{ "\x40\x00\x00\xea", 4, false }, { "\x00\x20", 2, false }, { "\x1e\xff\x2f\xe1", 4, false }, { "\x00\xf0\x40\xb8", 4, false },
	};

	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		CHECK(after_call((const uint8_t *)ends[i].bytes + ends[i].n, ends[i].n) == ends[i].call);
	CHECK(prologue((const uint8_t *)"\xb0\xb5\x00\x00", 4) && prologue((const uint8_t *)"\x2d\xe9\xf0\x4f", 4));
	CHECK(prologue((const uint8_t *)"\x10\x40\x2d\xe9", 4) && prologue((const uint8_t *)"\x04\xe0\x2d\xe5", 4));
	CHECK(prologue((const uint8_t *)"\x4d\xf8\x04\xed", 4) && !prologue((const uint8_t *)"\x10\xb4\x00\x00", 4));
	CHECK(!prologue((const uint8_t *)"\x10\x00\x2d\xe9", 4) && !prologue((const uint8_t *)"\xb0\xb5", 2));
}

/* asm/sigcontext.h and asm/ucontext.h of this machine. */
static void
signal_frames(void)
{
	struct uc { uint32_t flags, link, stack[3], trap_no, error_code, oldmask, r[16]; };

	CHECK_U64(arch_armv7.nsigregs, 16);
	for (unsigned i = 0; i < 16; i++)
		CHECK(sigregs[i].reg == i && sigregs[i].sp_off == offsetof(struct uc, r) + 4 * i);
	for (unsigned i = 0; i < arch_armv7.ntrampolines; i++) {
		const struct trampoline *t = &trampolines[i];
		struct insn got;

		(t->len == 8 ? arm_a32 : arm_t32)(t->bytes, t->len, &got);
		if (!t->back) {   /* after the call of libgcc's unwinder: it loads lr, and skips the block of all registers */
			CHECK(got.op == INSN_RESTORE && got.ra_at == 64 && t->context + 32 == 8);
			(t->len == 8 ? arm_a32 : arm_t32)(t->bytes + got.len, t->len - got.len, &got);
			CHECK(got.op == INSN_SP_ADD && got.off == 72);
			continue;
		}
		CHECK(got.op == INSN_CONST && (got.off == 119 || got.off == 173));
		CHECK_U64(t->context, got.off == 173 ? 128 : 0);
		(t->len == 8 ? arm_a32 : arm_t32)(t->bytes + got.len, t->len - got.len, &got);
		CHECK(got.op == INSN_SYSCALL);
	}
}

static void
every_instruction_of_a_program(void)
{
	static const char *const names[] = { "a32", "t32", "a32-bare", "t32-bare", "a32-O0", "t32-O0", "t32-debug" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		samples_check(&arch_armv7, "tests/data/armv7", names[i], names[i], 100);
}

/* The file has no symbols, so nothing names the instruction set. */
static void
every_instruction_of_a_stripped_program(void)
{
	samples_check(&arch_armv7, "tests/data/armv7", "a32-stripped", "a32", 80);
	samples_check(&arch_armv7, "tests/data/armv7", "t32-stripped", "t32", 95);
}

/* Code of a file without symbols, at TEXT. */
enum { TEXT = 0x1000 };

static struct rule
rule_in(const char *code, size_t n, uint64_t vaddr)
{
	static struct modules modules;
	static struct codes codes;
	struct elfwrite w = elfwrite_new(false, false);
	struct unwinder *u;
	struct module *m;
	struct bytes file;
	struct rule r;

	w.machine = arch_armv7.machine;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, (const uint8_t *)code, n);
	file = elfwrite_finish(&w);
	CHECK(modules_init(&modules) && codes_init(&codes));
	u = unwinder_new(&arch_armv7, &modules, &codes, MODE_AUTO, STACK_MAX);
	m = module_image(&modules, "code", file.p, file.n);
	if (!rule_find(u, m, vaddr, &r))
		rule_undescribed(u, m, vaddr, &r);
	unwinder_free(u);
	codes_free(&codes);
	modules_free(&modules);
	bytes_free(&file);
	return r;
}
#define RULE_IN(code, off) rule_in(code, sizeof(code) - 1, TEXT + (uint64_t)(off))

/* musl's trampolines: the one to which a handler returns begins where the other one ends. */
static void
trampolines_in_a_row(void)
{
	static const char code[] = "\0\xbf\x4f\xf0\x77\x07\0\xdf" "\x4f\xf0\xad\x07\0\xdf\0\xbf";
	static const struct { int at, context; } pc[] = { { 1, 0 }, { 2, 0 }, { 6, 0 }, { 7, 128 }, { 12, 128 }, { 14, 128 } };

	for (unsigned i = 0; i < sizeof pc / sizeof *pc; i++) {
		struct rule r = RULE_IN(code, pc[i].at);

		CHECK_U64(r.kind, RULE_SIGRETURN);
		CHECK_U64((uint64_t)r.cfa_off, (uint64_t)pc[i].context);
	}
}

/* The kernel's trampolines in [sigpage], A32 and T32 by turns. The address after T32's system call is also the beginning of the
 * next A32 one. */
static void
trampolines_of_the_kernel(void)
{
	static const char code[] = "\x77\x70\xa0\xe3\x77\0\x90\xef" "\x77\x27\0\xdf" "\xad\x70\xa0\xe3\xad\0\x90\xef" "\xad\x27\0\xdf";
	static const struct { int at, context; } pc[] = { { 0, 0 }, { 4, 0 }, { 7, 0 }, { 10, 0 }, { 11, 128 }, { 12, 0 }, { 16, 128 },
	                                                  { 19, 128 }, { 22, 128 } };

	for (unsigned i = 0; i < sizeof pc / sizeof *pc; i++) {
		struct rule r = RULE_IN(code, pc[i].at);

		CHECK_U64(r.kind, RULE_SIGRETURN);
		CHECK_U64((uint64_t)r.cfa_off, (uint64_t)pc[i].context);
	}
}

/* push {r1-r3}; mov r1, r0; push {lr}; sub sp, #8; bl; add sp, #8; ldr lr, [sp], #4; add sp, #12; bx lr */
static void
variable_arguments(void)
{
	static const char t32[] = "\0\xbf" "\x0e\xb4" "\x01\x46" "\0\xb5" "\x82\xb0" "\0\xf0\0\xf8" "\x02\xb0" "\x5d\xf8\x04\xeb" "\x03\xb0" "\x70\x47";
	static const char a32[] = "\x1e\xff\x2f\xe1" "\x0e\0\x2d\xe9" "\0\x10\xa0\xe1" "\x04\xe0\x2d\xe5" "\x08\xd0\x4d\xe2"
	                          "\xfe\xff\xff\xeb" "\x08\xd0\x8d\xe2" "\x04\xe0\x9d\xe4" "\x0c\xd0\x8d\xe2" "\x1e\xff\x2f\xe1";
	struct rule r[] = { RULE_IN(t32, 13), RULE_IN(a32, 23) };

	for (unsigned i = 0; i < 2; i++) {
		CHECK_U64(r[i].kind, RULE_DERIVED);
		CHECK_U64(r[i].flags & (RULE_BASE_FP | RULE_RA_IN_REG), 0);
		CHECK_U64((uint64_t)r[i].cfa_off, 24);
		CHECK(r[i].ra_off == -16);
	}
	/* A function that ends right before another one's push. */
	r[0] = RULE_IN("\0\xbf\0\xbf" "\x08\xb4\x01\xb0\x70\x47" "\0\xb5" "\x82\xb0" "\0\xf0\0\xf8" "\x02\xb0" "\0\xbd", 17);
	CHECK_U64((uint64_t)r[0].cfa_off, 12);
}

/* glibc's longjmp, after a function with a frame: lr holds the return address, and the following code takes sp from elsewhere. */
static void
assembly_without_a_frame(void)
{
	static const char code[] = "\x10\xb5\0\x20\xfe\xe7\0\0" "\0\0\0\0\0\0\0\0" "\x84\x46\x5c\xf8\x04\x3b" "\x82\xea\x03\x03" "\x9d\x46"
	                           "\xa6\x46\xbc\xe8\xf0\x0f\x70\x47";

	for (unsigned at = 16; at < 28; at += at == 16 ? 2 : 4) {
		struct rule r = RULE_IN(code, at);

		CHECK_U64(r.kind, RULE_DERIVED);
		CHECK(r.flags & RULE_RA_IN_REG && r.ra_off == LR && !r.cfa_off);
	}
	CHECK_U64(RULE_IN(code, 28).kind, RULE_SILENT);   /* sp is the new one, lr is not yet */
}

/* glibc's clone, behind another function: blx ip; mov r7, #1; svc 0 */
static void
ends_of_threads(void)
{
	CHECK_U64(RULE_IN("\x10\xb5\x10\xbd" "\xe0\x47" "\x4f\xf0\x01\x07" "\0\xdf\0\xbf", 5).kind, RULE_ROOT);
	CHECK_U64(RULE_IN("\x10\xb5\x10\xbd" "\xe0\x47" "\x01\x27" "\0\xdf\0\xbf", 5).kind, RULE_ROOT);
	CHECK_U64(RULE_IN("\x10\x40\x2d\xe9\x3c\xff\x2f\xe1" "\x01\x70\xa0\xe3" "\0\0\0\xef", 7).kind, RULE_ROOT);
	CHECK(RULE_IN("\x10\xb5\x10\xbd" "\xe0\x47" "\x4f\xf0\x02\x07" "\0\xdf\x10\xbd", 5).kind != RULE_ROOT);
	CHECK(RULE_IN("\x10\xb5\x10\xbd" "\xe0\x47" "\x4f\xf0\x01\x07" "\x10\xbd", 5).kind != RULE_ROOT);
}

int
main(void)
{
	RUN("armv7", instructions);
	RUN("armv7", which_frame_pointer);
	RUN("armv7", calls_and_beginnings);
	RUN("armv7", signal_frames);
	RUN("armv7", every_instruction_of_a_program);
	RUN("armv7", every_instruction_of_a_stripped_program);
	RUN("armv7", trampolines_in_a_row);
	RUN("armv7", trampolines_of_the_kernel);
	RUN("armv7", variable_arguments);
	RUN("armv7", assembly_without_a_frame);
	RUN("armv7", ends_of_threads);
	return TEST_STATUS;
}
