/* A handler behind every single instruction, by the processor's trap flag: in each prologue, epilogue, PLT entry and
 * instruction of the libc and of the loader's lazy binding that the program comes through. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../mark.h"

#ifdef __i386__
#define PUSHF "pushfl\n .cfi_adjust_cfa_offset 4\n "
#define POPF "popfl\n .cfi_adjust_cfa_offset -4\n "
#define SP "(%esp)\n "
#else
#define PUSHF "pushfq\n .cfi_adjust_cfa_offset 8\n "
#define POPF "popfq\n .cfi_adjust_cfa_offset -8\n "
#define SP "(%rsp)\n "
#endif

/* In assembly, so that even these instructions are described. */
__asm__(".text\n"
	"set_trap: .cfi_startproc\n " PUSHF "orl $0x100, " SP POPF
	"ret\n .cfi_endproc\n .type set_trap, @function\n .size set_trap, . - set_trap\n"
	"no_trap: .cfi_startproc\n " PUSHF "andl $~0x100, " SP POPF
	"ret\n .cfi_endproc\n .type no_trap, @function\n .size no_trap, . - no_trap\n");
void set_trap(void);
void no_trap(void);

static unsigned handled;

MARKED static void
m_deeper(void)
{
	MARK(m_deeper, handled);
	mark_work(3000);
}

MARKED static void
m_trap(int sig)
{
	MARK(m_trap, sig);
	handled++;
	m_deeper();
}

MARKED static int
m_compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	MARK(m_compare, *x);
	return (*x > *y) - (*x < *y);
}

MARKED static unsigned
m_three(unsigned a, unsigned b, unsigned c)
{
	char text[64];

	MARK(m_three, a);
	memset(text, (int)a, sizeof text);
	__asm__ volatile("" :: "r"(text) : "memory");
	return a * b + c + (unsigned)text[b & 63];
}

MARKED static unsigned
m_aligned(unsigned n)
{
	_Alignas(64) char box[64];

	MARK(m_aligned, n);
	__asm__ volatile("" :: "r"(box) : "memory");
	return m_three(n, 2, 3) + (unsigned)box[0];
}

MARKED static unsigned
m_body(unsigned n)
{
	int v[16];
	char number[32];
	unsigned sum = 0;

	MARK(m_body, n);
	for (unsigned i = 0; i < 16; i++)
		v[i] = (int)((i * 7 + n) % 16);
	MARK_SITE();
	set_trap();
	sum += m_three(n, 4, 5);
	sum += m_aligned(n);
	MARK_SITE();
	qsort(v, 16, sizeof *v, m_compare);
	MARK_SITE();
	sum += (unsigned)getppid();
	MARK_SITE();
	sum += (unsigned)strtol("123", NULL, 10);
	MARK_SITE();
	memcpy(number, v, sizeof number);
	__asm__ volatile("" :: "r"(number) : "memory");
	MARK_SITE();
	no_trap();
	return sum + (unsigned)v[3] + (unsigned)number[0];
}

MARKED static int
m_main(double seconds)
{
	static struct sigaction sa;

	MARK(m_main, 0);
	sa.sa_handler = m_trap;
	sigaction(SIGTRAP, &sa, NULL);
	MARK_FOR(seconds)
		mark_sink += m_body(handled);
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
