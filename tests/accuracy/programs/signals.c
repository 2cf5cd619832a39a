/* Signal handlers that interrupt anywhere: by timers at a high rate, nested, on the same stack and on one of their own
 * (which lies right below the stack that is interrupted, so that one copy can hold both; or in the heap). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "../mark.h"

#ifndef INTERVAL
#define INTERVAL 100   /* us; more for emulated machines */
#endif

/* LONGER: prof has to learn where the other stack is, so it cuts the first samples. */
enum { ALTERNATE = 32 << 10, STACK = 16 << 10, GUARD = 64 << 10, LONGER = 4 };

static unsigned m_work(unsigned n);

MARKED static void
m_inner_handler(int sig)
{
	MARK(m_inner_handler, sig);
	mark_work(20000);
}

MARKED static unsigned
m_in_handler(unsigned n)
{
	MARK(m_in_handler, n);
	mark_work(30000);
	return m_work(n);
}

MARKED static void
m_handler(int sig, siginfo_t *info, void *context)
{
	MARK(m_handler, sig);
	(void)info;
	(void)context;
	m_in_handler(1);
	if (sig == SIGALRM)
		raise(SIGUSR1);
	mark_work(100);
}

/* Short functions: many prologues and epilogues, and a leaf without a frame. */
MARKED static unsigned
m_tiny(unsigned n)
{
	MARK(m_tiny, n);
	return n * 3;
}

MARKED static unsigned
m_pushy(unsigned a, unsigned b, unsigned c)
{
	unsigned v;

	MARK(m_pushy, a);
	v = m_tiny(a) + b;
	v ^= m_tiny(b) * a;
	v += m_tiny(c) + a * b;
	return v + m_tiny(v) + a + b + c;
}

MARKED static unsigned
m_work(unsigned n)
{
	unsigned v = n;

	MARK(m_work, n);
	for (unsigned i = 0; i < 20; i++)
		v += m_pushy(v, i, n);
	return v;
}

MARKED static void
m_loop(double seconds)
{
	MARK(m_loop, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 200; i++)
			mark_sink += m_work(i);
}

static double seconds;

#ifndef NO_UCONTEXT
MARKED static void
m_start(void)
{
	MARK(m_start, 0);
	m_loop(seconds);
}
#endif

static void
timers(int flags)
{
	struct sigaction sa = { .sa_sigaction = m_handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags };
	struct itimerval often = { { 0, INTERVAL }, { 0, INTERVAL } };

	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGPROF, &sa, NULL);
	sa.sa_sigaction = NULL;
	sa.sa_handler = m_inner_handler;
	sa.sa_flags = flags;
	sigaction(SIGUSR1, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}

/* Returning through libc has other frames. */
static void
no_timers(void)
{
	static const struct itimerval never;

	setitimer(ITIMER_REAL, &never, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
}

#ifndef NO_UCONTEXT
/* On a stack made by ourselves: [guard | for handlers | for the rest]. */
MARKED static int
m_own_stack(void)
{
	static ucontext_t back, there;
	stack_t alternate = { .ss_size = ALTERNATE };
	char *p;

	MARK(m_own_stack, 0);
	p = mmap(NULL, GUARD + ALTERNATE + STACK + GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + GUARD, ALTERNATE + STACK, PROT_READ | PROT_WRITE))
		return 1;
	memset(p + GUARD, 0, ALTERNATE + STACK);   /* a copy of both stacks ends at the first page that does not exist */
	alternate.ss_sp = p + GUARD;
	sigaltstack(&alternate, NULL);
	getcontext(&there);
	there.uc_stack.ss_sp = p + GUARD + ALTERNATE;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &back;
	makecontext(&there, m_start, 0);
	timers(SA_ONSTACK);
	swapcontext(&back, &there);
	no_timers();
	return 0;
}
#endif

/* Handlers on the same stack, or IN_HEAP. */
MARKED static int
m_main(int in_heap)
{
	stack_t alternate = { .ss_size = ALTERNATE };

	MARK(m_main, 0);
	if (in_heap) {
		seconds *= LONGER;
		alternate.ss_sp = malloc(ALTERNATE);
		sigaltstack(&alternate, NULL);
	}
	timers(in_heap ? SA_ONSTACK : 0);
	m_loop(seconds);
	no_timers();
	return 0;
}

int
main(int argc, char **argv)
{
	seconds = MARK_SECONDS(argc, argv);
#ifndef NO_UCONTEXT
	if (argc > 2 && !strcmp(argv[2], "alternate"))
		return m_own_stack();
#endif
	return m_main(argc > 2 && !strcmp(argv[2], "heap"));
}
