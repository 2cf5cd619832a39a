#include "unwind/arch/x86_64.c"
#include "test.h"

#include <stddef.h>
#include <ucontext.h>

#define INSN(op_, off_, target_, ...) { { __VA_ARGS__ }, sizeof (uint8_t[]){ __VA_ARGS__ }, op_, off_, target_ }

static const struct {
	uint8_t bytes[16], len;
	uint8_t op;
	int32_t off, target;
} insns[] = {
	INSN(INSN_PUSH, 0, 0, 0x55),
	INSN(INSN_PUSH, 0, 0, 0x41, 0x57),
	INSN(INSN_PUSH, 0, 0, 0x6a, 0x05),
	INSN(INSN_PUSH, 0, 0, 0x68, 1, 2, 3, 4),
	INSN(INSN_PUSH, 0, 0, 0xff, 0x74, 0x24, 0x08),                /* push 8(%rsp) */
	INSN(INSN_PUSH, 0, 0, 0x9c),
	INSN(INSN_POP, 0, 0, 0x5b),
	INSN(INSN_POP, 0, 0, 0x41, 0x5c),
	INSN(INSN_POP, 0, 0, 0x8f, 0x44, 0x24, 0x08),
	INSN(INSN_SP_LOST, 0, 0, 0x5c),                               /* pop %rsp */
	INSN(INSN_POP, 0, 0, 0x41, 0x5c),
	INSN(INSN_SP_ADD, -40, 0, 0x48, 0x83, 0xec, 0x28),
	INSN(INSN_SP_ADD, 128, 0, 0x48, 0x83, 0xec, 0x80),            /* sub $-128 */
	INSN(INSN_SP_ADD, 0x1234, 0, 0x48, 0x81, 0xc4, 0x34, 0x12, 0, 0),
	INSN(INSN_SP_ADD, -0x98, 0, 0x48, 0x8d, 0xa4, 0x24, 0x68, 0xff, 0xff, 0xff),
	INSN(INSN_SP_ADD, 8, 0, 0x48, 0x8d, 0x64, 0x24, 0x08),
	INSN(INSN_SP_LOST, -16, 0, 0x48, 0x83, 0xe4, 0xf0),           /* and $-16,%rsp */
	INSN(INSN_SP_LOST, 0, 0, 0x48, 0x29, 0xc4),                   /* sub %rax,%rsp */
	INSN(INSN_SP_LOST, 0, 0, 0x48, 0x8b, 0x64, 0x24, 0x08),       /* mov 8(%rsp),%rsp */
	INSN(INSN_SP_LOST, 0, 0, 0x48, 0x8d, 0x24, 0x04),             /* lea (%rsp,%rax),%rsp */
	INSN(INSN_SP_FROM_REG, -8, 0, 0x49, 0x8d, 0x62, 0xf8),        /* lea -8(%r10),%rsp */
	INSN(INSN_LOAD, -16, 0, 0x4c, 0x8b, 0x55, 0xf0),              /* mov -16(%rbp),%r10 */
	INSN(INSN_SAVE, 0, 0, 0x48, 0x89, 0x6c, 0x24, 0x18),     /* mov %rbp,24(%rsp) */
	INSN(INSN_RESTORE, 0, 0, 0x48, 0x8b, 0x6c, 0x24, 0x18),
	INSN(INSN_SYSCALL, 0, 0, 0x0f, 0x05),
	INSN(INSN_SP_LOST, 0, 0, 0x48, 0x94),                         /* xchg %rax,%rsp */
	INSN(INSN_PLAIN, 0, 0, 0x49, 0x89, 0xe4),                     /* mov %rsp,%r12 */
	INSN(INSN_PLAIN, 0, 0, 0x49, 0x83, 0xc4, 0x08),               /* add $8,%r12 */
	INSN(INSN_PLAIN, 0, 0, 0x48, 0x39, 0xdc),                     /* cmp %rbx,%rsp */
	INSN(INSN_PLAIN, 0, 0, 0x48, 0x83, 0xfc, 0x08),               /* cmp $8,%rsp */
	INSN(INSN_PLAIN, 0, 0, 0x48, 0x85, 0xe4),                     /* test %rsp,%rsp */
	INSN(INSN_FP_FROM_SP, 0, 0, 0x48, 0x89, 0xe5),
	INSN(INSN_FP_FROM_SP, 0, 0, 0x48, 0x8b, 0xec),
	INSN(INSN_FP_FROM_SP, 0x10, 0, 0x48, 0x8d, 0x6c, 0x24, 0x10),
	INSN(INSN_FP_LOST, 0, 0, 0x48, 0x89, 0xfd),                   /* mov %rdi,%rbp */
	INSN(INSN_FP_LOST, 0, 0, 0xbd, 1, 0, 0, 0),
	INSN(INSN_FP_ZERO, 0, 0, 0x31, 0xed),                         /* xor %ebp,%ebp */
	INSN(INSN_FP_LOST, 0, 0, 0x48, 0x8d, 0x2d, 1, 2, 3, 4),       /* lea x(%rip),%rbp */
	INSN(INSN_FP_LOST, 0, 0, 0x0f, 0xb6, 0x2f),                   /* movzbl (%rdi),%ebp */
	INSN(INSN_FP_LOST, 0, 0, 0x48, 0x0f, 0x44, 0xe8),             /* cmove %rax,%rbp */
	INSN(INSN_SP_FROM_FP, 0, 0, 0x48, 0x89, 0xec),
	INSN(INSN_SP_FROM_FP, -0x28, 0, 0x48, 0x8d, 0x65, 0xd8),
	INSN(INSN_LEAVE, 0, 0, 0xc9),
	INSN(INSN_RETURN, 0, 0, 0xc3),
	INSN(INSN_RETURN, 0, 0, 0xf3, 0xc3),
	INSN(INSN_RETURN, 0, 0, 0xc2, 0x10, 0x00),
	INSN(INSN_RETURN, 0, 0x4030207, 0xff, 0x25, 1, 2, 3, 4),      /* a PLT entry */
	INSN(INSN_RETURN, 0, 0x4030208, 0xf2, 0xff, 0x25, 1, 2, 3, 4),
	INSN(INSN_JUMP_AWAY, 0, 0, 0xff, 0xe0),
	INSN(INSN_JUMP_AWAY, 0, 0, 0x3e, 0xff, 0xe0),
	INSN(INSN_JUMP, 0, 7, 0xeb, 0x05),
	INSN(INSN_JUMP, 0, -11, 0xe9, 0xf0, 0xff, 0xff, 0xff),
	INSN(INSN_BRANCH, 0, -14, 0x74, 0xf0),
	INSN(INSN_BRANCH, 0, 0x106, 0x0f, 0x8f, 0, 1, 0, 0),
	INSN(INSN_CALL, 0, 0x105, 0xe8, 0, 1, 0, 0),
	INSN(INSN_CALL, 0, 0, 0xff, 0xd0),
	INSN(INSN_CALL, 0, 0, 0x41, 0xff, 0x54, 0x24, 0x08),
	INSN(INSN_STOP, 0, 0, 0x0f, 0x0b),
	INSN(INSN_STOP, 0, 0, 0xf4),
	INSN(INSN_STOP, 0, 0, 0xcc),
	INSN(INSN_PLAIN, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa),               /* endbr64 */
	INSN(INSN_PLAIN, 0, 0, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0),
	INSN(INSN_PLAIN, 0, 0, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8),
	INSN(INSN_PLAIN, 0, 0, 0x66, 0xb8, 1, 2),
	INSN(INSN_PLAIN, 0, 0, 0x48, 0xf7, 0xc7, 1, 2, 3, 4),         /* test $x,%rdi */
	INSN(INSN_PLAIN, 0, 0, 0x48, 0xf7, 0xd8),                     /* neg */
	INSN(INSN_PLAIN, 0, 0, 0xf6, 0x47, 0x08, 0x01),
	INSN(INSN_PLAIN, 0, 0, 0x69, 0xc0, 1, 2, 3, 4),
	INSN(INSN_PLAIN, 0, 0, 0x0f, 0x70, 0xc0, 0x1b),
	INSN(INSN_PLAIN, 0, 0, 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x04),
	INSN(INSN_PLAIN, 0, 0, 0x66, 0x0f, 0x38, 0x00, 0xc1),
	INSN(INSN_PLAIN, 0, 0, 0xc5, 0xf8, 0x77),                     /* vzeroupper */
	INSN(INSN_PLAIN, 0, 0, 0xc5, 0xfa, 0x7e, 0xec),               /* vmovq: xmm4 is not rsp */
	INSN(INSN_PLAIN, 0, 0, 0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01),
	INSN(INSN_PLAIN, 0, 0, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, 0x01),
	INSN(INSN_PLAIN, 0, 0, 0xf3, 0x0f, 0x7e, 0xe4),               /* movq %xmm4,%xmm4 */
	INSN(INSN_FP_LOST, 0, 0, 0x66, 0x48, 0x0f, 0x7e, 0xcd),       /* movq %xmm1,%rbp */
	INSN(INSN_PLAIN, 0, 0, 0x8f, 0xe8, 0x78, 0xc2, 0xec, 0x0e),   /* XOP */
	INSN(INSN_BAD, 0, 0, 0x06),
	INSN(INSN_FP_LOAD, 0, 0, 0x48, 0x8b, 0x6d, 0x00),             /* mov (%rbp),%rbp */
};

static void
instructions(void)
{
	for (unsigned i = 0; i < sizeof insns / sizeof *insns; i++) {
		struct insn got;
		char name[32];

		snprintf(name, sizeof name, "x86_64/instruction %u", i);
		test_name_ = name;
		decode(insns[i].bytes, sizeof insns[i].bytes, &got);
		CHECK_U64(got.op, insns[i].op);
		CHECK_U64(got.len, insns[i].op == INSN_BAD ? 0 : insns[i].len);
		CHECK_U64(got.off, insns[i].off);
		CHECK_U64(got.target, insns[i].target);
		decode(insns[i].bytes, insns[i].len - 1u, &got);   /* cut short */
		CHECK_U64(got.op, INSN_BAD);
	}
	test_name_ = "x86_64/instructions";
}

/* How SBCL's code calls: mov %rsp,%rbp or another register; mov of the number of arguments, and of the function; call. */
static void
passed_records(void)
{
	static const struct { unsigned call; uint8_t bytes[32]; } all[] = {
		{ 3, { 0x48, 0x8b, 0xec, 0xe8, 1, 2, 3, 4 } },
		{ 3, { 0x49, 0x8b, 0xe9, 0xff, 0x50, 0xfd } },
		{ 8, { 0x48, 0x8b, 0xec, 0xb8, 1, 2, 3, 4, 0xff, 0xd0 } },
		{ 8, { 0x48, 0x8b, 0xec, 0xb9, 4, 0, 0, 0, 0xe8, 1, 2, 3, 4 } },
		{ 10, { 0x48, 0x8b, 0xec, 0x48, 0x8b, 0x05, 1, 2, 3, 4, 0xff, 0x10 } },
		{ 0, { 0x48, 0x8b, 0xec, 0xb8, 1, 2, 3, 4, 0xff, 0xe0 } },     /* a jump */
		{ 0, { 0x48, 0x8b, 0xc4, 0xe8, 1, 2, 3, 4 } },                 /* into rax */
		{ 0, { 0x48, 0x8b, 0xec, 0x90, 0xe8, 1, 2, 3, 4 } },
	};

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		CHECK_U64(arch_x86_64.passes(all[i].bytes, sizeof all[i].bytes), all[i].call);
		CHECK_U64(arch_x86_64.passes(all[i].bytes, 24), 0);   /* cut short */
	}
	CHECK(arch_x86_64.takes((const uint8_t *)"\x8f\x45\x08", 3) && !arch_x86_64.takes((const uint8_t *)"\x8f\x45\x08", 2));
	CHECK(!arch_x86_64.takes((const uint8_t *)"\x8f\x45\x10", 3));
}

/* For any bytes the quick decoder says the same as the other one. */
static void
quick_ones(void)
{
	static const uint8_t often[] = { 0x48, 0x49, 0x4c, 0x4d, 0x41, 0x44, 0x66, 0xf3, 0x0f, 0x8b, 0x89, 0x8d, 0x83, 0xf7, 0xe8 };
	uint64_t seed = 1;
	unsigned quick = 0;

	for (unsigned k = 0; k < 1000000; k++) {
		uint8_t bytes[24];
		struct insn at_once, i;

		for (unsigned b = 0; b < sizeof bytes; b++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = b < 3 && seed >> 60 < 8 ? often[(seed >> 40) % sizeof often] : (uint8_t)(seed >> 33);
		}
		bytes[0] = k < 65536 ? (uint8_t)k : bytes[0];
		bytes[1] = k < 65536 ? (uint8_t)(k >> 8) : bytes[1];
		memset(&at_once, 0, sizeof i);
		memset(&i, 0, sizeof i);
		if (!x86_quick(bytes, sizeof bytes, &at_once))
			continue;
		x86_decode(bytes, sizeof bytes, false, &i);
		quick++;
		if (i.op != at_once.op || i.len != at_once.len || i.off != at_once.off || i.target != at_once.target || i.reg != at_once.reg ||
		    i.local != at_once.local || i.of_fp != at_once.of_fp || i.fp_at != at_once.fp_at || i.ra_at != at_once.ra_at) {
			printf("# %02x %02x %02x %02x %02x %02x: op %u, not %u; %u bytes, not %u\n", bytes[0], bytes[1], bytes[2], bytes[3],
			       bytes[4], bytes[5], at_once.op, i.op, at_once.len, i.len);
			CHECK(false);
		}
	}
	CHECK(quick > 300000);
	CHECK(!x86_quick((const uint8_t[20]){ 0x90 }, 19, &(struct insn){ 0 }));   /* what may not be read */
}

/* It passes over instructions that do not change the stack, one after another, over branches, and over calls if the caller wants
 * that. */
static void
skipped(void)
{
	uint64_t seed = 2, all = 0, all_branches = 0;

	for (unsigned k = 0; k < 300000; k++) {
		uint8_t bytes[48];
		uint64_t most = k % 40, n, at = 0;
		unsigned nbranch = 0;
		struct branches branches;
		struct insn i;

		for (unsigned b = 0; b < sizeof bytes; b++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = seed >> 61 ? (uint8_t)(seed >> 33) : 0x48 | (seed >> 33 & 7);
		}
		all += n = x86_skip(bytes, sizeof bytes, most, k & 1, &branches);
		CHECK(n <= most);
		while (at < n) {
			x86_decode(bytes + at, sizeof bytes - at, false, &i);
			if (i.op == INSN_BRANCH)
				CHECK_U64((uint64_t)branches.to[nbranch++], at + (uint64_t)(int64_t)i.target);
			else if (i.op != INSN_PLAIN && i.op != INSN_LOAD && (i.op != INSN_CALL || !(k & 1))) {
				printf("# %02x %02x %02x %02x: op %u\n", bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3], i.op);
				CHECK(false);
				break;
			}
			at += i.len;
		}
		CHECK_U64(at, n);
		CHECK_U64(branches.n, nbranch);
		all_branches += nbranch;
	}
	CHECK(all > 300000);
	CHECK(all_branches > 10000);
}

static void
beginnings_and_ends(void)
{
	static const struct { const char *bytes; bool begins, ends; } of[] = {
		{ "\x55\x48\x89\xe5\x53\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90", true, false },
		{ "\x55\x48\x8b\xec\x53\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90", true, false },
		{ "\x55\x48\x89\xe6\x53\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90", false, false },
		{ "\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x30\x90\x90\x90", true, false },
		{ "\x89\x84\x24\x00\xc0\xfe\xff\x53\x48\x83\xec\x30\x90\x90\x90", false, false },
		{ "\x48\x83\xec\x28\x48\x89\x6c\x24\x20\x90\x90\x90\x90\x90\x90", true, false },
		{ "\x48\x83\xec\x28\x48\x89\x6c\x24\x18\x90\x90\x90\x90\x90\x90", false, false },
		{ "\x48\x81\xec\x00\x02\0\0\x48\x89\xac\x24\xf8\x01\0\0", true, false },
		{ "\x48\x81\xec\x00\x02\0\0\x48\x89\xac\x24\xf0\x01\0\0", false, false },
		{ "\x90\xe8\x11\x22\x33\x44\x90\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc", false, true },
		{ "\x90\xe8\x11\x22\x33\x44\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc", false, false },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		CHECK(prologue((const uint8_t *)of[i].bytes, 15) == of[i].begins);
		CHECK(ends_here((const uint8_t *)of[i].bytes, 15) == of[i].ends);
		CHECK(!of[i].begins || memchr(arch_x86_64.first, of[i].bytes[0], 3));
		CHECK(!of[i].begins || memchr(of[i].bytes, 0x55, 8) || memchr(of[i].bytes, 0xec, 8));
	}
	CHECK(push_before((const uint8_t *)"\x41\x54\x53" + 3, 3) == 1 && push_before((const uint8_t *)"\x41\x54\x53" + 2, 2) == 2);
	CHECK(push_before((const uint8_t *)"\x68\xff\xff\xff\xff" + 5, 5) == 5);
	CHECK(!push_before((const uint8_t *)"\x68\0\0\0\0" + 5, 5));   /* where a return address will be */
	CHECK(!push_before((const uint8_t *)"\x41\x50" + 2, 2) && !push_before((const uint8_t *)"\x53", 0));
	CHECK(!prologue((const uint8_t *)of[0].bytes, 14) && !ends_here((const uint8_t *)of[9].bytes, 6));
}

static bool
far(struct far *f, const char *bytes, unsigned n)
{
	struct insn i;

	decode((const uint8_t *)bytes, n, &i);
	CHECK_U64(i.len, n);
	return x86_far((const uint8_t *)bytes, n, &i, f);
}

static void
addresses_in_registers(void)
{
	struct far f = { 0 };

	CHECK(!far(&f, "\x41\xff\xe3", 3));                           /* jmp *%r11 */
	far(&f, "\xbb\x08\x07\x06\x05", 5);                           /* mov $…,%ebx */
	CHECK(!f.reg);
	far(&f, "\x49\xbb\x08\x07\x06\x05\x04\x03\x02\x01", 10);   /* mov $…,%r11 */
	CHECK(f.reg == 12 && f.addr == UINT64_C(0x102030405060708));
	CHECK(far(&f, "\x41\xff\xe3", 3) && !far(&f, "\xff\xe3", 2) && !far(&f, "\x41\xff\x23", 3));   /* jmp *%r11, *%rbx, *(%r11) */
	far(&f, "\x4d\x8d\x5b\xf8", 4);                               /* lea -8(%r11),%r11 */
	far(&f, "\x49\x8b\x13", 3);                                   /* mov (%r11),%rdx */
	far(&f, "\x4d\x89\x1b", 3);                                   /* mov %r11,(%r11) */
	far(&f, "\x41\x53", 2);                                       /* push %r11 */
	far(&f, "\x5b", 1);                                           /* pop %rbx */
	CHECK(f.reg == 12 && f.addr == UINT64_C(0x102030405060700));
	for (unsigned i = 0; i < 8; i++) {
		static const struct { uint8_t n; const char *bytes; } writes[] = {
			{ 3, "\x4d\x8b\x1b" }, { 3, "\x49\xff\xc3" }, { 4, "\x4c\x8d\x58\x08" }, { 2, "\x41\x5b" }, { 2, "\xff\xd0" }, { 2, "\x0f\x05" },
			{ 5, "\xc4\x42\xf8\xf7\xd9" }, { 5, "\x66\x4c\x0f\x7e\xdb" },
		};   /* mov (%r11),%r11; inc %r11; lea 8(%rax),%r11; pop %r11; call *%rax; syscall; bextr %rax,%r9,%r11; movq %xmm11,%rbx */

		f.reg = i < 7 ? 12 : 4;
		far(&f, writes[i].bytes, writes[i].n);
		CHECK(!f.reg);
	}
	f.reg = 4;
	far(&f, "\x5b", 1);                                           /* pop %rbx */
	CHECK(!f.reg);
}

static void
push_and_pop_of_the_frame_pointer(void)
{
	struct insn i;

	decode((const uint8_t *)"\x55", 1, &i);
	CHECK(i.of_fp);
	decode((const uint8_t *)"\x5d", 1, &i);
	CHECK(i.of_fp);
	decode((const uint8_t *)"\x41\x55", 2, &i);
	CHECK(!i.of_fp);
	decode((const uint8_t *)"\x48\x89\x6c\x24\x18", 5, &i);   /* mov %rbp,24(%rsp) */
	CHECK(i.op == INSN_SAVE && i.fp_at == 24 && i.ra_at == NO_SLOT);
	decode((const uint8_t *)"\x48\x8b\x6c\x24\xe8", 5, &i);
	CHECK(i.op == INSN_RESTORE && i.fp_at == -24 && i.ra_at == NO_SLOT);
}

static bool
call(const char *bytes, size_t n)
{
	return x86_after_call((const uint8_t *)bytes + n, n);
}

static void
calls(void)
{
	CHECK(call("\xe8\1\2\3\4", 5));
	CHECK(!call("\xe9\1\2\3\4", 5));
	CHECK(call("\xff\xd0", 2));
	CHECK(!call("\xff\xe0", 2));
	CHECK(call("\x41\xff\xd4", 3));
	CHECK(call("\xff\x50\x08", 3));
	CHECK(call("\xff\x54\x24\x08", 4));
	CHECK(call("\xff\x14\x24", 3));
	CHECK(call("\xff\x15\1\2\3\4", 6));
	CHECK(call("\xff\x90\1\2\3\4", 6));
	CHECK(call("\xff\x94\x24\1\2\3\4", 7));
	CHECK(!call("\xff\x90\1\2\3", 5));
	CHECK(!call("\x90\x90\x90\x90\x90\x90\x90", 7));
	CHECK(!call("", 0));
}

/* The kernel's signal frame: the handler returns with sp at the ucontext. */
static void
signal_frame(void)
{
	static const int greg[][2] = {
		{ RBX, REG_RBX }, { RBP, REG_RBP }, { RSP, REG_RSP }, { RIP, REG_RIP }, { RAX, REG_RAX }, { RDI, REG_RDI },
		{ RSI, REG_RSI }, { RDX, REG_RDX }, { RCX, REG_RCX }, { R8, REG_R8 }, { R9, REG_R9 }, { R10, REG_R10 },
		{ R11, REG_R11 }, { R12, REG_R12 }, { R13, REG_R13 }, { R14, REG_R14 }, { R15, REG_R15 },
	};

	CHECK_U64(arch_x86_64.nsigregs, 17);
	for (unsigned i = 0; i < 17; i++)
		for (unsigned k = 0; k < 17; k++)
			if (sigregs[i].reg == greg[k][0])
				CHECK_U64(sigregs[i].sp_off, offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (size_t)greg[k][1]);
	CHECK_U64(__builtin_popcountll(arch_x86_64.sample), sizeof dwarf);
}

int
main(void)
{
	RUN("x86_64", instructions);
	RUN("x86_64", passed_records);
	RUN("x86_64", quick_ones);
	RUN("x86_64", skipped);
	RUN("x86_64", addresses_in_registers);
	RUN("x86_64", push_and_pop_of_the_frame_pointer);
	RUN("x86_64", beginnings_and_ends);
	RUN("x86_64", calls);
	RUN("x86_64", signal_frame);
	return TEST_STATUS;
}
