/* Code that runs in the frame of a function that it did not make: code made at run time in the frame of an interpreter's loop, which
 * is called by an address (0), and code of the file that nothing describes, in a frame that makes room for it, as GHC's programs
 * have it (1).  This code lowers sp before it calls, and uses rbp for values.  The frames hold old return addresses.  SHARED: the function
 * that makes room is in a LIBRARY, and its caller there has a frame pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../mark.h"

enum { BLOCKS = 4, SIZE = 64 };

unsigned in_reserve(const void *, uint64_t, uint64_t) __attribute__((visibility("hidden")));
unsigned m_reserve(uint64_t, uint64_t);
extern const unsigned char *guests;

#ifndef SHARED

const unsigned char *guests;

__asm__(".text\n.hidden in_reserve\n.globl in_reserve\n.type in_reserve, @function\nin_reserve: .cfi_startproc\n"
        "sub $24, %rsp; .cfi_adjust_cfa_offset 24\nmov %rsp, %rax; sub $16384, %rsp; .cfi_adjust_cfa_offset 16384\n"
        "mov %rbx, (%rax); .cfi_offset rbx, -32\nmov %r12, 8(%rax); .cfi_offset r12, -24\nmov %rbp, 16(%rax); .cfi_offset rbp, -16\n"
        "mov 24(%rax), %rax; mov %rax, 8(%rsp); mov %rax, 16(%rsp)\n"
        "mov %rax, 512(%rsp); mov %rax, 4608(%rsp); mov %rax, 8704(%rsp); mov %rax, 12800(%rsp)\n"
        "mov %rsi, %rbx; mov %rdx, %r12; jmp *%rdi\n"
        ".globl StgReturn\nStgReturn: add $16384, %rsp; .cfi_adjust_cfa_offset -16384\n"
        "mov (%rsp), %rbx; mov 8(%rsp), %r12; mov 16(%rsp), %rbp; add $24, %rsp; .cfi_adjust_cfa_offset -24\nret\n"
        ".cfi_endproc\n.size in_reserve, . - in_reserve\n");

MARKED unsigned
m_reserve(uint64_t depth, uint64_t v)
{
	MARK(m_reserve, depth);
	mark_work(100);
	if ((int)depth <= 0)
		return (unsigned)v;
	return in_reserve(guests + SIZE * ((depth + v) % BLOCKS), depth, v * 3);
}

#endif
#ifndef LIBRARY

typedef unsigned enter(const void *block, uint64_t depth, uint64_t v);

static enter *volatile by_pointer;
static const void *block[BLOCKS];

/* Named as PHP's. */
unsigned execute_ex(const void *, uint64_t, uint64_t);
extern const unsigned char loop_back[] __attribute__((visibility("hidden"))), undescribed[] __attribute__((visibility("hidden")));
extern const void *undescribed_calls __attribute__((visibility("hidden")));
const void *undescribed_calls;

__asm__(".text\n.globl execute_ex\n.type execute_ex, @function\nexecute_ex: .cfi_startproc\n"
        "push %rbp; .cfi_adjust_cfa_offset 8; .cfi_offset rbp, -16\n"
        "push %rbx; .cfi_adjust_cfa_offset 8; .cfi_offset rbx, -24\n"
        "push %r12; .cfi_adjust_cfa_offset 8; .cfi_offset r12, -32\n"
        "sub $120, %rsp; .cfi_adjust_cfa_offset 120\n"
        "mov 144(%rsp), %rax; mov %rax, 8(%rsp); mov %rax, 16(%rsp); mov %rax, 104(%rsp)\n"
        "mov %rsi, %rbx; mov %rdx, %r12; test %rdi, %rdi; je loop_back; jmp *%rdi\n"
        ".hidden loop_back\n.globl loop_back\nloop_back: add $120, %rsp; .cfi_adjust_cfa_offset -120\n"
        "pop %r12; .cfi_adjust_cfa_offset -8\npop %rbx; .cfi_adjust_cfa_offset -8\npop %rbp; .cfi_adjust_cfa_offset -8\nret\n"
        ".cfi_endproc\n.size execute_ex, . - execute_ex\n");

__asm__(".text\n.hidden undescribed\n.globl undescribed\n.balign 64\nundescribed: .rept 4\n.balign 64\n"
        "mov $200, %ecx; 1: dec %ecx; jnz 1b\n"
        "sub $8, %rsp; lea -1(%rbx), %edi; mov %r12d, %esi; mov undescribed_calls(%rip), %rbp; call *%rbp; add $8, %rsp\n"
        "mov StgReturn@GOTPCREL(%rip), %rbp; jmp *%rbp\n.endr\n");

MARKED static unsigned
m_loop(uint64_t depth, uint64_t v)
{
	MARK(m_loop, depth);
	mark_work(100);
	if ((int)depth <= 0)
		return (unsigned)v;
	return by_pointer(block[(depth + v) % BLOCKS], depth, v * 3);
}

MARKED static int
m_main(double seconds, int reserve)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 20; i++)
			mark_sink += reserve ? m_reserve(i % 3, i) : m_loop(i, i);
	return 0;
}

static unsigned char *
put(unsigned char *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* mov ecx, 200; 1: dec ecx; jnz 1b; sub rsp, 16; lea edi, [rbx - 1]; mov esi, r12d; mov rbp, NEXT; call rbp; the loop again;
 * add rsp, 16; mov rbp, TO; jmp rbp */
static unsigned char *
make(unsigned char *p, uint64_t next, uint64_t to)
{
	static const unsigned char loop[] = { 0xb9, 200, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc };

	p = put(p, loop, sizeof loop);
	p = put(p, "\x48\x83\xec\x10\x8d\x7b\xff\x44\x89\xe6\x48\xbd", 12);
	p = put(p, &next, 8);
	p = put(p, "\xff\xd5", 2);
	p = put(p, loop, sizeof loop);
	p = put(p, "\x48\x83\xc4\x10\x48\xbd", 6);
	p = put(p, &to, 8);
	return put(p, "\xff\xe5", 2);
}

int
main(int argc, char **argv)
{
	int reserve = argc > 2 && atoi(argv[2]);
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	by_pointer = execute_ex;
	undescribed_calls = (const void *)(uintptr_t)m_reserve;
	guests = undescribed;
	for (unsigned i = 0; i < BLOCKS; i++) {
		block[i] = p;
		p = make(p, (uint64_t)(uintptr_t)m_loop, (uint64_t)(uintptr_t)loop_back) + i;
	}
	return m_main(MARK_SECONDS(argc, argv), reserve);
}

#endif
