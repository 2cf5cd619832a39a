/* setjmp and longjmp over several frames, also out of a signal handler. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "../mark.h"

static jmp_buf back;
static sigjmp_buf out;
static volatile uint64_t from;     /* sp of the function that jumps */
static volatile unsigned landed;

MARKED static unsigned
m_jumper(unsigned depth, unsigned v)
{
	MARK(m_jumper, depth);
	mark_work(50);
	if (!depth) {
		from = mark_sp();
		longjmp(back, (int)(v & 7) + 1);
	}
	v += m_jumper(depth - 1, v + 1);
	mark_work(50);
	return v;
}

MARKED static unsigned
m_setter(unsigned depth)
{
	volatile unsigned v = depth;
	int got;

	MARK(m_setter, depth);
	MARK_SITE();
	if ((got = setjmp(back))) {
		mark_landed(from);
		v += (unsigned)got;
	} else
		v += m_jumper(depth, v);
	mark_work(50);
	return v;
}

/* As long as the signal of the handler is blocked, and until the stale records are gone. */
MARKED static void
m_handler(int sig)
{
	MARK(m_handler, sig);
	mark_work(3000);
	from = mark_sp();
	siglongjmp(out, 1);
}

MARKED static unsigned
m_spin(unsigned depth)
{
	MARK(m_spin, depth);
	if (depth)
		return m_spin(depth - 1) + 1;
	for (;;)
		mark_work(100);
}

MARKED static void
m_interrupted(unsigned depth)
{
	static const struct itimerval once = { { 0, 0 }, { 0, 200 } };
	sigset_t set;
	volatile uint64_t site;

	MARK(m_interrupted, depth);
	MARK_SITE();
	sigemptyset(&set);
	MARK_SITE();
	sigaddset(&set, SIGALRM);
	MARK_SITE();
	site = mark_.site;
	if (sigsetjmp(out, 0)) {
		mark_landed(from);
		landed++;
		MARK_SITE();
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		return;
	}
	MARK_SITE();
	setitimer(ITIMER_REAL, &once, NULL);
	mark_.site = site;   /* where siglongjmp will come back to */
	m_spin(depth);
}

MARKED static int
m_main(double seconds)
{
	static struct sigaction sa;

	MARK(m_main, 0);
	sa.sa_handler = m_handler;
	sigaction(SIGALRM, &sa, NULL);
	MARK_FOR(seconds) {
		for (unsigned i = 0; i < 50; i++)
			mark_sink += m_setter(i & 15);
		m_interrupted(landed & 15);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
