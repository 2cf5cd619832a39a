#include "unwind/arch/i686.c"

#include <stddef.h>

#include "elfwrite.h"
#include "samples.h"
#include "unwind/derive/sigreturn.h"

#define INSN(op_, off_, target_, ...) { { __VA_ARGS__ }, sizeof (uint8_t[]){ __VA_ARGS__ }, op_, off_, target_ }

/* What is different in 32-bit code, and what must not be. */
static const struct {
	uint8_t bytes[16], len;
	uint8_t op;
	int32_t off, target;
} insns[] = {
	INSN(INSN_PUSH, 0, 0, 0x55),
	INSN(INSN_PUSH, 0, 0, 0x53),
	INSN(INSN_POP, 0, 0, 0x5b),
	INSN(INSN_SP_LOST, 0, 0, 0x44),                               /* inc %esp */
	INSN(INSN_FP_LOST, 0, 0, 0x4d),                               /* dec %ebp */
	INSN(INSN_PLAIN, 0, 0, 0x41),
	INSN(INSN_PLAIN, 0, 0, 0x48),
	INSN(INSN_SP_ADD, -40, 0, 0x83, 0xec, 0x28),
	INSN(INSN_SP_ADD, 0x1234, 0, 0x81, 0xc4, 0x34, 0x12, 0, 0),
	INSN(INSN_SP_ADD, 8, 0, 0x8d, 0x64, 0x24, 0x08),
	INSN(INSN_SP_LOST, -16, 0, 0x83, 0xe4, 0xf0),                 /* and $-16,%esp */
	INSN(INSN_SP_FROM_REG, -4, 0, 0x8d, 0x61, 0xfc),              /* lea -4(%ecx),%esp */
	INSN(INSN_LOAD, -4, 0, 0x8b, 0x4d, 0xfc),                     /* mov -4(%ebp),%ecx */
	INSN(INSN_PLAIN, -4, 0, 0x66, 0x8b, 0x4d, 0xfc),              /* half of it */
	INSN(INSN_SAVE, 0, 0, 0x89, 0x6c, 0x24, 0x18),
	INSN(INSN_RESTORE, 0, 0, 0x8b, 0x6c, 0x24, 0x18),
	INSN(INSN_FP_FROM_SP, 0, 0, 0x89, 0xe5),
	INSN(INSN_SP_FROM_FP, -12, 0, 0x8d, 0x65, 0xf4),
	INSN(INSN_LEAVE, 0, 0, 0xc9),
	INSN(INSN_FP_ZERO, 0, 0, 0x31, 0xed),
	INSN(INSN_SYSCALL, 0, 0, 0xcd, 0x80),
	INSN(INSN_SYSCALL, 0, 0, 0x0f, 0x34),                         /* sysenter */
	INSN(INSN_PLAIN, 0, 0, 0xcd, 0x03),
	INSN(INSN_CALL, 0, 0, 0x65, 0xff, 0x15, 0x10, 0, 0, 0),       /* call *%gs:16 */
	INSN(INSN_CALL, 0, 0x105, 0xe8, 0, 1, 0, 0),
	INSN(INSN_PUSH, 0, 5, 0xe8, 0, 0, 0, 0),                      /* call the next: where am I */
	INSN(INSN_RETURN, 0, 0, 0xc3),
	INSN(INSN_RETURN, 0, 0, 0xc2, 0x04, 0x00),
	INSN(INSN_RETURN, 0, 0, 0xff, 0x25, 1, 2, 3, 4),              /* a PLT entry */
	INSN(INSN_RETURN, 0, 0, 0xff, 0xa3, 0x0c, 0, 0, 0),           /* one by %ebx */
	INSN(INSN_JUMP_AWAY, 0, 0, 0xff, 0xe0),
	INSN(INSN_JUMP_AWAY, 0, 0, 0xff, 0x24, 0x85, 1, 2, 3, 4),     /* jmp *table(,%eax,4) */
	INSN(INSN_SP_LOST, 0, 0, 0x60),
	INSN(INSN_SP_LOST, 0, 0, 0x61),
	INSN(INSN_PUSH, 0, 0, 0x1e),
	INSN(INSN_POP, 0, 0, 0x1f),
	INSN(INSN_PLAIN, 8, 0, 0x62, 0x45, 0x08),                     /* bound */
	INSN(INSN_PLAIN, 0, 0, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, 0x01),
	INSN(INSN_PLAIN, 0, 0, 0xc5, 0xf8, 0x77),
	INSN(INSN_PLAIN, 8, 0, 0xc5, 0x45, 0x08),                     /* lds */
	INSN(INSN_PLAIN, 8, 0, 0xc4, 0x45, 0x08),
	INSN(INSN_PLAIN, 0, 0, 0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01),
	INSN(INSN_PLAIN, 0, 0, 0xa1, 1, 2, 3, 4),                     /* mov there,%eax */
	INSN(INSN_PLAIN, 0, 0, 0xb8, 1, 2, 3, 4),
	INSN(INSN_PLAIN, 0, 0, 0xd4, 0x0a),
	INSN(INSN_PLAIN, 0, 0, 0x9a, 1, 2, 3, 4, 5, 6),
	INSN(INSN_PLAIN, 0, 0, 0x27),
	INSN(INSN_PLAIN, 0, 0, 0x63, 0xc8),                           /* arpl */
	INSN(INSN_STOP, 0, 0, 0x0f, 0x0b),
	INSN(INSN_PLAIN, 0, 0, 0xf3, 0x0f, 0x1e, 0xfb),               /* endbr32 */
};

static void
instructions(void)
{
	for (unsigned i = 0; i < sizeof insns / sizeof *insns; i++) {
		struct insn got;
		char name[32];

		snprintf(name, sizeof name, "i686/instruction %u", i);
		test_name_ = name;
		decode(insns[i].bytes, sizeof insns[i].bytes, &got);
		CHECK_U64(got.op, insns[i].op);
		CHECK_U64(got.len, insns[i].len);
		CHECK_U64(got.off, insns[i].off);
		CHECK_U64(got.target, insns[i].target);
		decode(insns[i].bytes, insns[i].len - 1u, &got);
		CHECK(got.op == INSN_BAD || insns[i].len == 1 || got.len < insns[i].len);
	}
	test_name_ = "i686/instructions";
}

static void
calls_and_beginnings(void)
{
	CHECK(after_call((const uint8_t *)"\xe8\1\0\0\0" + 5, 5) && !after_call((const uint8_t *)"\xe8\0\0\0\0" + 5, 5));
	CHECK(after_call((const uint8_t *)"\xff\xd0" + 2, 2) && !after_call((const uint8_t *)"\x90\x90" + 2, 2));
	CHECK(prologue((const uint8_t *)"\x55\x89\xe5", 3) && prologue((const uint8_t *)"\x55\x8b\xec", 3));
	CHECK(!prologue((const uint8_t *)"\x55\x89\xe5", 2) && !prologue((const uint8_t *)"\x55\x89\xe4", 3));
}

/* The kernel's struct sigcontext of 32-bit programs, as asm/sigcontext.h has it there. */
static void
signal_frames(void)
{
	struct context { uint32_t gs, fs, es, ds, di, si, bp, sp, bx, dx, cx, ax, trapno, err, ip; };
	static const struct { uint8_t reg; size_t off; } want[] = {
		{ EDI, offsetof(struct context, di) }, { ESI, offsetof(struct context, si) }, { EBP, offsetof(struct context, bp) },
		{ ESP, offsetof(struct context, sp) }, { EBX, offsetof(struct context, bx) }, { EDX, offsetof(struct context, dx) },
		{ ECX, offsetof(struct context, cx) }, { EAX, offsetof(struct context, ax) }, { EIP, offsetof(struct context, ip) },
	};
	struct rt { uint32_t sig, info, uc; uint8_t siginfo[128]; uint32_t flags, link, stack[3]; struct context c; };

	CHECK_U64(sizeof want / sizeof *want, arch_i686.nsigregs);
	for (unsigned i = 0; i < arch_i686.nsigregs; i++)
		CHECK(sigregs[i].reg == want[i].reg && sigregs[i].sp_off == want[i].off);
	CHECK_U64(trampolines[2].context, offsetof(struct rt, c));
	for (unsigned i = 0; i < arch_i686.ntrampolines; i++)
		CHECK(trampolines[i].bytes[trampolines[i].len - 1] == 0x80 && trampolines[i].bytes[trampolines[i].len - 2] == 0xcd);
}

/* musl's two, in a row: the pc of a return is the byte before; what is interrupted may be at each instruction, or behind the system call. */
static void
trampolines_in_a_row(void)
{
	enum { TEXT = 0x1000 };
	static const char code[] = "\x90\x58\xb8\x77\0\0\0\xcd\x80\xb8\xad\0\0\0\xcd\x80\x90";
	static const struct { int at, context; } pc[] = { { 0, 4 }, { 1, 4 }, { 2, 0 }, { 7, 0 }, { 8, 160 }, { 9, 0 }, { 14, 160 }, { 16, 160 } };
	static struct modules modules;
	static struct code_source source = { .arch = &arch_i686, .modules = &modules };
	struct elfwrite w = elfwrite_new(false, false);
	struct module *m;
	struct bytes file;

	w.machine = arch_i686.machine;
	elfwrite_section(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, (const uint8_t *)code, sizeof code - 1);
	file = elfwrite_finish(&w);
	CHECK(modules_init(&modules));
	m = module_image(&modules, "code", file.p, file.n);
	for (unsigned i = 0; i < sizeof pc / sizeof *pc; i++) {
		struct rule r = { 0 };

		CHECK(sigreturn_rule(&source, m, (uint64_t)(TEXT + pc[i].at), &r));
		CHECK_U64(r.kind, RULE_SIGRETURN);
		CHECK_U64((uint64_t)r.cfa_off, (uint64_t)pc[i].context);
	}
	modules_free(&modules);
	bytes_free(&file);
}

static void
every_instruction_of_a_program(void)
{
	samples_check(&arch_i686, "tests/data/i686", "cfi", "cfi", 100);
	samples_check(&arch_i686, "tests/data/i686", "bare", "bare", 100);
	samples_check(&arch_i686, "tests/data/i686", "O0", "O0", 100);
}

int
main(void)
{
	RUN("i686", instructions);
	RUN("i686", calls_and_beginnings);
	RUN("i686", signal_frames);
	RUN("i686", trampolines_in_a_row);
	RUN("i686", every_instruction_of_a_program);
	return TEST_STATUS;
}
