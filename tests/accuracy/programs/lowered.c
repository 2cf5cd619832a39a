/* A leaf that keeps sp as it was in its frame, realigns sp, and lowers it again and again while it runs; the kept word goes along, at last
 * below sp, as in OpenSSL's code for AVX2.  The frame holds what is left of earlier calls of it, with other alignments. */
#include <stdlib.h>

#include "../mark.h"

void lowered(unsigned rounds) __attribute__((visibility("hidden")));

#define SAVED_AT_152 ".cfi_escape 0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 8\n"
#define SAVED_AT_120 ".cfi_escape 0x0f, 6, 0x77, 0xf8, 0, 0x06, 0x23, 8\n"
#define SAVED_AT_0 ".cfi_escape 0x0f, 5, 0x77, 0, 0x06, 0x23, 8\n"
#define SAVED_BELOW ".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"
#define WORK "mov %edi, %ecx; 1: dec %ecx; jnz 1b\n"
#define LOWER "lea -128(%rsp), %rsp\n" SAVED_AT_120 "push 120(%rsp)\n" SAVED_AT_0 "lea 8(%rsp), %rsp\n" SAVED_BELOW

__asm__(".text\n.hidden lowered\n.globl lowered\n.type lowered, @function\nlowered: .cfi_startproc\n"
        "mov %rsp, %rax; .cfi_def_cfa_register rax\npush %rbx; .cfi_offset rbx, -16\npush %rbp; .cfi_offset rbp, -24\n"
        "sub $1312, %rsp; and $-2048, %rsp; add $1152, %rsp; mov %rax, 152(%rsp)\n" SAVED_AT_152 WORK WORK
        "mov 152(%rsp), %rdx; lea -128(%rsp), %rsp; mov %rdx, -8(%rsp)\n" SAVED_BELOW
        "xor %ebp, %ebp\n" WORK LOWER WORK LOWER WORK LOWER WORK
        "lea 512(%rsp), %rsp\n" SAVED_AT_152 WORK WORK
        "mov 152(%rsp), %rsi; .cfi_def_cfa rsi, 8\nmov -8(%rsi), %rbx; .cfi_restore rbx\nmov -16(%rsi), %rbp; .cfi_restore rbp\n"
        "lea (%rsi), %rsp; .cfi_def_cfa_register rsp\nret\n.cfi_endproc\n.size lowered, . - lowered\n");

static unsigned next(uint64_t depth, unsigned v);

#define CALLS(name, bytes) \
	MARKED static unsigned \
	name(uint64_t depth, unsigned v) \
	{ \
		volatile char room[bytes]; \
		MARK(name, depth); \
		mark_work(20); \
		room[v % bytes] = (char)v; \
		lowered(200); \
		return next(depth, v * 7 + 1) + (unsigned)room[v % bytes]; \
	}
CALLS(m_a, 16)
CALLS(m_b, 200)
CALLS(m_c, 720)
CALLS(m_d, 1500)

static inline __attribute__((always_inline)) unsigned
next(uint64_t depth, unsigned v)
{
	static unsigned (*const way[])(uint64_t, unsigned) = { m_a, m_b, m_c, m_d };

	return depth ? way[v % 4](depth - 1, v) : v;
}

MARKED static int
m_main(double seconds)
{
	unsigned v = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		mark_sink += m_a(v % 4, v), v++;
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
