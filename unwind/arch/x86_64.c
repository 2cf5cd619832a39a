/* x86-64: the psABI's DWARF register numbers (System V ABI, AMD64 supplement, figure 3.36), the kernel's sample
 * registers (asm/perf_regs.h), rt_sigreturn's frame, and how functions begin.  Its instructions: x86_insn.c. */
#include "arch.h"

#include <string.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP };

/* In the order of perf's bits: AX BX CX DX SI DI BP SP IP, R8 to R15. */
static const uint8_t dwarf[] = {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP, R8, R9, R10, R11, R12, R13, R14, R15
};

/* Where each of them stands in struct user_regs_struct, in words. */
static const uint8_t prstatus[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 9, 8, 7, 6, 3, 2, 1, 0 };

/* mov $15, %rax; syscall */
static const struct trampoline trampolines[] = {
	{ { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 }, 9, 10, 0 },
};

/* The ucontext lies at sp, its registers from 40 on. */
static const struct sigreg sigregs[] = {
	{ R8, 40 }, { R9, 48 }, { R10, 56 }, { R11, 64 }, { R12, 72 }, { R13, 80 }, { R14, 88 }, { R15, 96 }, { RDI, 104 },
	{ RSI, 112 }, { RBP, 120 }, { RBX, 128 }, { RDX, 136 }, { RAX, 144 }, { RCX, 152 }, { RSP, 160 }, { RIP, 168 },
};

#if defined __x86_64__
#include <asm/perf_regs.h>
_Static_assert(PERF_REG_X86_BP == 6 && PERF_REG_X86_SP == 7 && PERF_REG_X86_IP == 8 && PERF_REG_X86_R8 == 16 &&
               PERF_REG_X86_R15 == 23 && PERF_REG_X86_DX == 3 && PERF_REG_X86_SI == 4, "perf's registers");
#endif

static void
decode(const uint8_t *bytes, uint64_t n, struct insn *i)
{
	if (!x86_quick(bytes, n, i))
		x86_decode(bytes, n, false, i);
}

/* sub $N,%rsp; mov %rbp,N-8(%rsp), as Go and HotSpot do. */
static bool
makes_room(const uint8_t *p)
{
	unsigned wide = p[1] == 0x81, size = wide ? 4 : 1;

	return p[0] == 0x48 && (wide || p[1] == 0x83) && p[2] == 0xec &&
	       !memcmp(p + 3 + size, wide ? "\x48\x89\xac\x24" : "\x48\x89\x6c\x24", 4) &&
	       x86_number(p + 3, size) == x86_number(p + 7 + size, size) + 8;
}

/* push %rbp; mov %rsp,%rbp.  HotSpot's code without a frame pointer: mov %eax,-N(%rsp) tests whether the stack reaches so
 * far, then push %rbp. */
static bool
prologue(const uint8_t *p, uint64_t n)
{
	if (n < 15)
		return false;
	if (p[0] == 0x55)
		return !memcmp(p + 1, "\x48\x89\xe5", 3) || !memcmp(p + 1, "\x48\x8b\xec", 3);
	if (p[0] == 0x89)
		return !memcmp(p + 1, "\x84\x24", 2) && p[6] == 0xff && p[7] == 0x55;
	return makes_room(p);
}

/* Behind these instructions: pushes, then sub $N,%rsp. */
static bool
frame_size(const uint8_t *p, uint64_t n, uint32_t *size)
{
	const uint8_t *last;

	*size = 0;
	if (n < 15 || *p != 0x55 || !prologue(p, n))
		return false;
	last = p + n - 7;
	for (p += 4; p <= last && ((p[0] & 0xf8) == 0x50 || (p[0] == 0x41 && (p[1] & 0xf8) == 0x50)); p += p[0] == 0x41 ? 2 : 1)
		*size += 8;
	if (p <= last && p[0] == 0x48 && (p[1] & 0xfd) == 0x81 && p[2] == 0xec)
		*size += (uint32_t)x86_number(p + 3, p[1] == 0x81 ? 4 : 1);
	return true;
}

/* Hand-written functions push rbx and r12 to r15; HotSpot's push a number, but a 0 is the place of a return address. */
static unsigned
push_before(const uint8_t *end, uint64_t n)
{
	if (n >= 2 && end[-2] == 0x41 && (end[-1] & 0xfc) == 0x54)
		return 2;
	if (n >= 5 && end[-5] == 0x68)
		return memcmp(end - 4, "\0\0\0", 4) ? 5 : 0;
	return n && end[-1] == 0x53;
}

/* Go's runtime.goexit: nop; call goexit1; nop. */
static bool
ends_here(const uint8_t *p, uint64_t n)
{
	return n >= 7 && p[0] == 0x90 && p[1] == 0xe8 && p[6] == 0x90;
}

/* mov REGISTER,%rbp; perhaps moves to ecx and rax; a call (SBCL's code). */
static unsigned
passes(const uint8_t *p, uint64_t n)
{
	unsigned at = 3;

	if (n < 25 || (p[0] & 0xfe) != 0x48 || p[1] != 0x8b || (p[2] & 0xf8) != 0xe8)
		return 0;
	if (p[at] == 0xb9)
		at += 5;
	if (p[at] == 0xb8)
		at += 5;
	else if (p[at] == 0x48)
		at += p[at + 1] == 0xb8 ? 10 : p[at + 1] != 0x8b ? 0 : p[at + 2] == 5 ? 7 : p[at + 2] == 4 && p[at + 3] == 0x25 ? 8 : 0;
	return p[at] == 0xe8 || (p[at] == 0xff && (p[at + 1] & 0x38) == 0x10) ? at : 0;
}

/* pop 8(%rbp) */
static bool
takes(const uint8_t *p, uint64_t n)
{
	return n >= 3 && !memcmp(p, "\x8f\x45\x08", 3);
}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.machine = 62,
	.word = 8,
	.pc = RIP, .sp = RSP, .fp = RBP, .ra = RIP, .call_arg = 5,
	.align = 1, .between = 0xcccccccc,
	.rec_fp = 0, .rec_ra = 8,
	.addr_mask = UINT64_MAX,
	.sample = 0xff01ff,
	.dwarf = dwarf,
	.prstatus = prstatus,
	.trampolines = trampolines,
	.ntrampolines = 1,
	.sigregs = sigregs,
	.nsigregs = sizeof sigregs / sizeof *sigregs,
	.decode = decode, .skip = x86_skip,
	.after_call = x86_after_call, .called = x86_called,
	.result = RAX, .call_number = NO_REG, .syscall_len = 2, .call_len = 5, .keeps_stack = RBX,
	.prologue = prologue, .frame_size = frame_size, .marks = { 0x55, 0xec }, .first = { 0x48, 0x55, 0x89 }, .push_before = push_before,
	.ends_here = ends_here, .passes = passes, .takes = takes,
#ifdef __x86_64__   /* such code is read from processes, and these are of the machine that prof runs on: others need not carry that */
	.far = x86_far, .callers_record = derive_callers_record, .conventions = &x86_conventions,
#endif
};
