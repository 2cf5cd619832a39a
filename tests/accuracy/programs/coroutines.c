/* Coroutines: swapcontext between stacks, from several frames deep. */
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../mark.h"

enum { STACKS = 6, STACK = 32 << 10, GUARD = 64 << 10 };

static ucontext_t context[STACKS], back;
static unsigned at;
static double end;

/* To the next one. */
MARKED static void
m_switch(unsigned n)
{
	unsigned from = at;

	MARK(m_switch, n);
	at = (at + 1 + n % 3) % STACKS;
	mark_work(20);
	MARK_SITE();
	if (at != from)
		swapcontext(&context[from], &context[at]);
}

MARKED static unsigned
m_deeper(unsigned depth, unsigned v)
{
	MARK(m_deeper, depth);
	mark_work(50);
	m_switch(depth + v);
	if (!depth)
		return v;
	v = depth & 1 ? m_deeper(depth - 1, v + 1) : m_deeper(depth - 1, v) * 3;
	m_switch(v);
	return v;
}

MARKED static void
m_coroutine(unsigned n)
{
	MARK(m_coroutine, n);
	while (mark_time() < end)
		mark_sink += m_deeper(n + 4, n);
	MARK_SITE();
	setcontext(&back);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	end = mark_time() + seconds;
	for (unsigned i = 0; i < STACKS; i++) {
		char *p = mmap(NULL, STACK + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || mprotect(p + GUARD, STACK, PROT_READ | PROT_WRITE))
			return 1;
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = p + GUARD;
		context[i].uc_stack.ss_size = STACK;
		context[i].uc_link = &back;
		makecontext(&context[i], (void (*)(void))m_coroutine, 1, i);
	}
	MARK_SITE();
	swapcontext(&back, &context[0]);
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
