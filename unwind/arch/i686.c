/* i686, 32-bit programs under a 64-bit kernel too: the psABI's DWARF register numbers (System V ABI, Intel386 supplement,
 * figure 2.14), the kernel's sample registers (asm/perf_regs.h), the frames of sigreturn and rt_sigreturn. */
#include "arch.h"

#include <string.h>

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP };

/* In the order of perf's bits: AX BX CX DX SI DI BP SP IP. */
static const uint8_t dwarf[] = { EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, EIP };

/* Where each of them stands in struct user_regs_struct, in words. */
static const uint8_t prstatus[] = { 6, 0, 1, 2, 3, 4, 5, 15, 12 };

/* After the handler's return sp is at its first argument.  For sigreturn the sigcontext is the next one, until the first
 * instruction has popped the first argument.  For rt_sigreturn it lies in the ucontext, behind the room of four arguments
 * and the siginfo. */
static const struct trampoline trampolines[] = {
	{ { 0x58, 0xb8, 0x77, 0x00, 0x00, 0x00, 0xcd, 0x80 }, 8, 1, 4 },   /* pop %eax; mov $119, %eax; int $0x80 */
	{ { 0xb8, 0x77, 0x00, 0x00, 0x00, 0xcd, 0x80 }, 7, 8, 0 },
	{ { 0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80 }, 7, 8, 160 },       /* mov $173, %eax; int $0x80 */
};

static const struct sigreg sigregs[] = {
	{ EDI, 16 }, { ESI, 20 }, { EBP, 24 }, { ESP, 28 }, { EBX, 32 }, { EDX, 36 }, { ECX, 40 }, { EAX, 44 }, { EIP, 56 },
};

static void
decode(const uint8_t *bytes, uint64_t n, struct insn *i)
{
	x86_decode(bytes, n, true, i);
}

/* A call of the next instruction is not a call, except with the argument %eax: musl's _start calls the code behind it in
 * this way. */
static bool
after_call(const uint8_t *end, uint64_t n)
{
	return x86_after_call(end, n) && (n < 5 || memcmp(end - 5, "\xe8\0\0\0", 5) != 0 || (n > 5 && end[-6] == 0x50));
}

/* push %ebp; mov %esp,%ebp */
static bool
prologue(const uint8_t *p, uint64_t n)
{
	return n >= 3 && (!memcmp(p, "\x55\x89\xe5", 3) || !memcmp(p, "\x55\x8b\xec", 3));
}

const struct arch arch_i686 = {
	.name = "i686",
	.machine = 3,
	.word = 4,
	.pc = EIP, .sp = ESP, .fp = EBP, .ra = EIP, .call_arg = 3,
	.align = 1,
	.rec_fp = 0, .rec_ra = 4,
	.addr_mask = UINT32_MAX,
	.sample = 0x1ff,
	.dwarf = dwarf,
	.prstatus = prstatus,
	.trampolines = trampolines,
	.ntrampolines = sizeof trampolines / sizeof *trampolines,
	.sigregs = sigregs,
	.nsigregs = sizeof sigregs / sizeof *sigregs,
	.decode = decode,
	.after_call = after_call,
	.result = EAX, .call_number = NO_REG, .syscall_len = 2, .call_len = 5, .clone = 120,
	.prologue = prologue,
};
