/* Threads: many short ones, one after the other on stacks used before, and some at once; ended by return and by
 * pthread_exit; with small stacks of their own. */
#include <pthread.h>
#include <stdlib.h>

#include "../mark.h"

enum { AT_ONCE = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once;

MARKED static unsigned
m_recurse(unsigned depth, unsigned v)
{
	MARK(m_recurse, depth);
	mark_work(200);
	if (!depth)
		return v;
	if (depth & 1)
		return m_recurse(depth - 1, v * 3) + 1;
	return m_recurse(depth - 1, v) ^ 5;
}

MARKED static void
m_once(void)
{
	MARK(m_once, 0);
	mark_sink += m_recurse(10, 1);
}

MARKED static void *
m_thread(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;

	MARK(m_thread, n);
	for (unsigned i = 0; i < 20; i++) {
		mark_sink += m_recurse(n + i, n);
		MARK_SITE();
		pthread_mutex_lock(&lock);
		mark_sink += m_recurse(3, i);
		MARK_SITE();
		pthread_mutex_unlock(&lock);
	}
	MARK_SITE();
	pthread_once(&once, m_once);
	return NULL;
}

/* The mark is left before pthread_exit, which never returns. */
MARKED static void *
m_exits(void *arg)
{
	struct mark mark_;

	MARK_ENTER(mark_, m_exits, (uintptr_t)arg);
	mark_sink += m_recurse(20, 3);
	mark_leave(&mark_);
	pthread_exit(NULL);
}

MARKED static int
m_round(void)
{
	pthread_t t[AT_ONCE];

	MARK(m_round, 0);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		MARK_SITE();
		if (pthread_create(&t[i], NULL, i % 2 ? m_thread : m_exits, (void *)(uintptr_t)i))
			return 1;
	}
	MARK_NO_SITE();
	mark_sink += m_recurse(30, 1);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		MARK_SITE();
		pthread_join(t[i], NULL);
	}
	return 0;
}

MARKED static int
m_main(double seconds)
{
	int failed = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		failed |= m_round();
	return failed;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
