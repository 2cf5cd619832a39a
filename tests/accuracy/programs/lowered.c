/* A leaf that keeps sp as it was in its frame, realigns sp, and lowers it again and again while it runs; the kept word goes along, at last
 * below sp, as in OpenSSL's code for AVX2.  The frame holds what is left of earlier calls of it, with other alignments. */
#include "../leaf.h"

void lowered(unsigned rounds) __attribute__((visibility("hidden")));

#define SAVED_AT_152 ".cfi_escape 0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 8\n"
#define SAVED_AT_120 ".cfi_escape 0x0f, 6, 0x77, 0xf8, 0, 0x06, 0x23, 8\n"
#define SAVED_AT_0 ".cfi_escape 0x0f, 5, 0x77, 0, 0x06, 0x23, 8\n"
#define SAVED_BELOW ".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"
#define LOWER "lea -128(%rsp), %rsp\n" SAVED_AT_120 "push 120(%rsp)\n" SAVED_AT_0 "lea 8(%rsp), %rsp\n" SAVED_BELOW

__asm__(".text\n.hidden lowered\n.globl lowered\n.type lowered, @function\nlowered: .cfi_startproc\n"
        "mov %rsp, %rax; .cfi_def_cfa_register rax\npush %rbx; .cfi_offset rbx, -16\npush %rbp; .cfi_offset rbp, -24\n"
        "sub $1312, %rsp; and $-2048, %rsp; add $1152, %rsp; mov %rax, 152(%rsp)\n" SAVED_AT_152 WORK WORK
        "mov 152(%rsp), %rdx; lea -128(%rsp), %rsp; mov %rdx, -8(%rsp)\n" SAVED_BELOW
        "xor %ebp, %ebp\n" WORK LOWER WORK LOWER WORK LOWER WORK
        "lea 512(%rsp), %rsp\n" SAVED_AT_152 WORK WORK
        "mov 152(%rsp), %rsi; .cfi_def_cfa rsi, 8\nmov -8(%rsi), %rbx; .cfi_restore rbx\nmov -16(%rsi), %rbp; .cfi_restore rbp\n"
        "lea (%rsi), %rsp; .cfi_def_cfa_register rsp\nret\n.cfi_endproc\n.size lowered, . - lowered\n");

static inline __attribute__((always_inline)) void
leaf(unsigned v)
{
	(void)v;
	mark_work(20);
	lowered(200);
}
