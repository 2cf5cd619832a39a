/* Frames with large arrays, of which only the first bytes are ever touched: holes in the stack, of so many KiB (16 and 100). */
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>

#include "../mark.h"

/* LONGER: prof has to learn where the holes are, so it cuts the first samples. */
enum { KIB_FIRST = 2, STACK = 64 << 20, LONGER = 4 };

static char *usual[] = { "16", "100", NULL }, **args;
static double seconds;

MARKED static unsigned
m_leaf(unsigned n)
{
	MARK(m_leaf, n);
	mark_work(3000 + n);
	return n * 3;
}

MARKED static unsigned m_holes(char **kib);

MARKED static unsigned
m_next(char **kib)
{
	unsigned v;

	MARK(m_next, 0);
	v = *kib ? m_holes(kib) : m_leaf(7);
	return v + m_leaf(1);
}

MARKED static unsigned
m_holes(char **kib)
{
	volatile char *array;
	unsigned v;

	MARK(m_holes, 0);
	array = alloca((size_t)atoi(*kib) << 10);
	array[0] = 1;
	v = m_leaf(2);
	v += m_next(kib + 1);
	return v + (unsigned)array[0];
}

MARKED static void
m_loop(void)
{
	MARK(m_loop, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 100; i++)
			mark_sink += m_next(args);
}

MARKED static void *
m_thread(void *arg)
{
	MARK(m_thread, 0);
	m_loop();
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t t;

	seconds = LONGER * MARK_SECONDS(argc, argv);
	args = argc > KIB_FIRST ? argv + KIB_FIRST : usual;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	return pthread_create(&t, &attr, m_thread, NULL) || pthread_join(t, NULL);
}
