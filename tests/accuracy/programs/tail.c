/* Tail calls: a function that has jumped to another one has no frame any more, and prof must not show it. The calls are direct,
 * through a pointer, in a circle, and with stack arguments. */
#include <stdlib.h>

#include "../mark.h"

static unsigned m_ping(unsigned n, unsigned v);
static unsigned (*volatile by_pointer)(unsigned, unsigned);

/* Without `cleanup`, which would keep the frame alive. */
#define TAIL(function, number) \
	struct mark mark_; \
	MARK_ENTER(mark_, function, number)
#define LEAVE() mark_leave(&mark_)
#if defined __clang__ && __OPTIMIZE__
#define RETURN __attribute__((musttail)) return
#else
#define RETURN return
#endif

MARKED static unsigned
m_leaf(unsigned n, unsigned v)
{
	MARK(m_leaf, n);
	mark_work(60);
	return n + v;
}

MARKED static unsigned
m_caller(unsigned n, unsigned v)
{
	MARK(m_caller, n);
	v += m_leaf(n, v);
	mark_work(10);
	return v ^ m_leaf(v, n);
}

MARKED static unsigned
m_pong(unsigned n, unsigned v)
{
	TAIL(m_pong, n);
	v += m_leaf(n, 1);
	mark_work(20);
	LEAVE();
	if (!n)
		RETURN m_caller(v, n);
	RETURN m_ping(n - 1, v);
}

MARKED static unsigned
m_ping(unsigned n, unsigned v)
{
	volatile char big[300];

	TAIL(m_ping, n);
	big[n & 63] = (char)v;
	mark_work(20);
	v ^= (unsigned)big[n & 63];
	LEAVE();
	RETURN by_pointer(n, v + 1);
}

MARKED static unsigned
m_many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h)
{
	MARK(m_many, g);
	mark_work(30);
	return m_caller(a + b + c, d + e) + f + g + h;
}

MARKED static unsigned
m_swapped(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h)
{
	TAIL(m_swapped, h);
	a += m_leaf(a, b);
	LEAVE();
	RETURN m_many(h, g, f, e, d, c, b, a);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	by_pointer = m_pong;
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 16; i++) {
			mark_sink += m_ping(i, i);
			mark_sink += m_swapped(i, 1, 2, 3, 4, 5, 6, 7);
		}
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
