/* Leaves in assembly without a description that align sp, with the caller's sp in a register or in a word of the frame, as x86inc makes them
 * for media codecs; and what they call within the frame.  Old return addresses of other frames lie around. */
#include "../leaf.h"

#define LEAF(name, begin, body, end) \
	void name(unsigned rounds) __attribute__((visibility("hidden"))); \
	__asm__(".text\n.p2align 4\n.hidden " #name "\n.globl " #name "\n.type " #name ", @function\n" #name ": " begin body end "ret\n" \
	        ".size " #name ", . - " #name "\n");

LEAF(stored, "mov %rsp, %r11; and $-32, %rsp; sub $0x220, %rsp; mov %r11, 0x200(%rsp)\n", WORK, "mov 0x200(%rsp), %rsp\n")
LEAF(stored_first, "push %rbx; push %rbp; push %r14; mov %rsp, %rax; and $-64, %rsp; sub $0x1240, %rsp; mov %rax, (%rsp)\n"
     "xor %eax, %eax; xor %ebp, %ebp\n", WORK "test %edi, %edi; jz 2f\n" WORK "2:\n", "mov (%rsp), %rsp; pop %r14; pop %rbp; pop %rbx\n")
LEAF(kept, "mov %rsp, %r9; sub $0x100, %rsp; and $-64, %rsp\n", WORK, "mov %r9, %rsp\n")
LEAF(kept_pushed, "push %rbp; push %r12; mov %rsp, %r12; and $-128, %rsp; sub $0x40, %rsp\n",
     "xor %ebp, %ebp\n" WORK, "mov %r12, %rsp; pop %r12; pop %rbp\n")
LEAF(calls, "push %r13; mov %rsp, %r13; and $-64, %rsp; sub $0x1250, %rsp; mov %r13, 0x1210(%rsp)\n",
     WORK "call 3f\n" WORK "call 3f\n" "jmp 4f\n3: " WORK "ret\n4:\n", "mov 0x1210(%rsp), %rsp; pop %r13\n")

static inline __attribute__((always_inline)) void
leaf(unsigned v)
{
	static void (*const made[])(unsigned) = { stored, stored_first, kept, kept_pushed, calls };

	mark_work(5);
	made[(v >> 2) % 5](v % 3 ? 1000 : 20);
}
