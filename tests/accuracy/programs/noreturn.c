/* Functions that end in a call that never returns: the return address then is the next function's beginning, or lies
 * behind the end of the section. */
#include <setjmp.h>
#include <stdlib.h>

#include "../mark.h"

static jmp_buf back;
static volatile uint64_t from;
static unsigned (*volatile never_null)(unsigned);

__attribute__((noreturn)) MARKED static void
m_never(unsigned n)
{
	MARK(m_never, n);
	for (unsigned i = 0; i < n; i++)
		mark_work(1000);
	from = mark_sp();
	longjmp(back, 1);
}

/* The functions lie one behind the other, without a gap. */
__attribute__((noreturn, section(".text.tight"), aligned(1))) MARKED static void
m_first(unsigned n)
{
	char local[40];

	MARK(m_first, n);
	__asm__ volatile("" :: "r"(local) : "memory");
	m_never(n);
}

__attribute__((noreturn, section(".text.tight"), aligned(1))) MARKED static void
m_second(unsigned n)
{
	char local[400];

	MARK(m_second, n);
	__asm__ volatile("" :: "r"(local) : "memory");
	m_never(n + 1);
}

/* The last function of its section: nothing follows it. */
__attribute__((noreturn, section("last"), aligned(1))) MARKED static void
m_last(unsigned n)
{
	char local[4000];

	MARK(m_last, n);
	__asm__ volatile("" :: "r"(local) : "memory");
	m_never(n + 2);
}

MARKED static void
m_round(unsigned n)
{
	MARK(m_round, n);
	MARK_SITE();
	if (setjmp(back)) {
		mark_landed(from);
		return;
	}
	if (n % 3 == 0)
		m_first(n);
	if (n % 3 == 1)
		m_second(n);
	m_last(n);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 30; i++)
			m_round(i);
	return never_null != NULL;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
