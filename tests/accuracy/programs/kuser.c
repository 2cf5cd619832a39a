/* Leaf functions outside of all files, on 32-bit ARM: the kernel's helpers in page [vectors]. Signals interrupt them, too; the
 * handler then returns to the kernel's own trampoline in [sigpage], because the program names no other. */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../mark.h"

enum { VERSION = 0xffff0ffc, CMPXCHG64 = 0xffff0f60, BARRIER = 0xffff0fa0, CMPXCHG = 0xffff0fc0, GET_TLS = 0xffff0fe0 };

/* As the kernel has it.  Without SA_RESTORER in FLAGS it needs none. */
struct action {
	void *handler;
	unsigned long flags;
	void (*restorer)(void);
	unsigned mask[2];
};

static volatile int word;
static volatile int64_t two_words;

MARKED static unsigned
m_helpers(unsigned n)
{
	MARK(m_helpers, n);
	for (int i = 0; i < 40; i++) {
		int old = word;
		int64_t old2 = two_words, next = old2 + i;

		((int (*)(int, int, volatile int *))CMPXCHG)(old, old + 1, &word);
		((void (*)(void))BARRIER)();
		((int (*)(const int64_t *, const int64_t *, volatile int64_t *))CMPXCHG64)(&old2, &next, &two_words);
		mark_sink += ((unsigned (*)(void))GET_TLS)() & 1;
	}
	return n;
}

MARKED static unsigned
m_recurse(unsigned depth)
{
	MARK(m_recurse, depth);
	return depth ? m_recurse(depth - 1) + m_helpers(depth) : m_helpers(depth);
}

MARKED static void
m_handler(int sig)
{
	MARK(m_handler, sig);
	for (unsigned i = 0; i < 10; i++)
		m_helpers(i);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 8; i++)
			mark_sink += m_recurse(i);
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, seldom = { { 0, 5000 }, { 0, 5000 } };
	struct action plain = { .handler = (void *)m_handler }, info = { .handler = (void *)m_handler, .flags = SA_SIGINFO };

	if (*(volatile int *)VERSION < 5)
		return 1;
	syscall(SYS_rt_sigaction, SIGALRM, &plain, NULL, 8);
	syscall(SYS_rt_sigaction, SIGPROF, &info, NULL, 8);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &seldom, NULL);
	return m_main(MARK_SECONDS(argc, argv));
}
