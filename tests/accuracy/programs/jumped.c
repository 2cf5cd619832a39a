/* Code made at run time that has no frame of its own: a function makes a frame for all of it, jumps there, and the code jumps
 * back to where the frame is removed, as emulators do it.  That function lies in the same memory (0), or in the file (1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../mark.h"

typedef unsigned enter(const void *block, uint64_t depth, uint64_t v);

enum { FAR = 0x20000 };   /* further from the end of the frame than prof follows jumps */

static enter *by_pointer;
static const void *block[4];

/* push rbp, rbx, r12 to r15; sub rsp, 264; mov rbx, rsi; mov r12, rdx; mov rbp, rdi; jmp rdi; behind it, the same backwards */
static const unsigned char around[] = { 0x55, 0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x81, 0xec, 0x08, 0x01, 0, 0,
                                        0x48, 0x89, 0xf3, 0x49, 0x89, 0xd4, 0x48, 0x89, 0xfd, 0xff, 0xe7,
                                        0x48, 0x81, 0xc4, 0x08, 0x01, 0, 0, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0x5d, 0xc3 };
enum { BACK = 28 };

unsigned in_file(const void *, uint64_t, uint64_t) __attribute__((visibility("hidden")));
extern const unsigned char in_file_back[] __attribute__((visibility("hidden")));
__asm__(".text\n.hidden in_file\n.globl in_file\n.type in_file, @function\n"
        "in_file: push %rbp; push %rbx; push %r12; push %r13; sub $88, %rsp\n"
        "mov %rsi, %rbx; mov %rdx, %r12; mov %rdi, %rbp; jmp *%rdi\n"
        ".hidden in_file_back\n.globl in_file_back\n"
        "in_file_back: add $88, %rsp; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n.size in_file, . - in_file\n");

MARKED static unsigned
m_pointer(uint64_t depth, uint64_t v)
{
	MARK(m_pointer, depth);
	mark_work(100);
	if ((int)depth <= 0)
		return (unsigned)v;
	return by_pointer(block[(depth + v) % 4], depth, v * 3);
}

MARKED static unsigned
m_direct(uint64_t depth, uint64_t v)
{
	MARK(m_direct, depth);
	mark_work(100);
	if ((int)depth <= 0)
		return (unsigned)v;
	return in_file(block[(depth + v) % 4], depth, v * 3);
}

MARKED static int
m_main(double seconds, int file)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 20; i++)
			mark_sink += file ? m_direct(i, i) : m_pointer(i, i);
	return 0;
}

static unsigned char *
put(unsigned char *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* mov ecx, 200; 1: dec ecx; jnz 1b; lea edi, [rbx - 1]; mov esi, r12d; mov rax, NEXT; call rax; the loop again; mov rcx, TO; jmp rcx */
static unsigned char *
make(unsigned char *p, uint64_t next, uint64_t to)
{
	static const unsigned char loop[] = { 0xb9, 200, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc };

	p = put(p, loop, sizeof loop);
	p = put(p, "\x8d\x7b\xff\x44\x89\xe6\x48\xb8", 8);
	p = put(p, &next, 8);
	p = put(p, "\xff\xd0", 2);
	p = put(p, loop, sizeof loop);
	p = put(p, "\x48\xb9", 2);
	p = put(p, &to, 8);
	return put(p, "\xff\xe1", 2);
}

int
main(int argc, char **argv)
{
	int file = argc > 2 && atoi(argv[2]);
	unsigned char *p = mmap(NULL, 2 * FAR, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at = p + FAR;
	union { void *data; enter *code; } start = { p };

	if (p == MAP_FAILED)
		return 1;
	if (!file)
		put(p, around, sizeof around);
	by_pointer = start.code;
	for (unsigned i = 0; i < 4; i++) {
		block[i] = at;
		at = make(at, (uint64_t)(uintptr_t)(file ? m_direct : m_pointer), (uint64_t)(uintptr_t)(file ? in_file_back : p + BACK)) + i;
	}
	return m_main(MARK_SECONDS(argc, argv), file);
}
