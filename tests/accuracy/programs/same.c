/* Two callers in turn, and below them a deep recursion whose bytes are the same for both callers. prof must not take the stack
 * beyond a copy from another moment. */
#include <stdlib.h>

#include "../mark.h"

MARKED static unsigned
m_same(unsigned depth)
{
	volatile unsigned local[16];
	unsigned v;

	MARK(m_same, depth);
	local[depth & 15] = depth;
	if (!depth) {
		mark_work(20000);
		return 1;
	}
	v = m_same(depth - 1);
	return v + local[depth & 15];
}

MARKED static unsigned
m_one(unsigned n)
{
	MARK(m_one, n);
	return m_same(n) + 1;
}

MARKED static unsigned
m_other(unsigned n)
{
	MARK(m_other, n);
	return m_same(n) + 2;
}

MARKED static int
m_main(double seconds, unsigned depth)
{
	MARK(m_main, 0);
	MARK_FOR(seconds) {
		mark_sink += m_one(depth);
		mark_sink += m_other(depth);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv), argc > 2 ? (unsigned)atoi(argv[2]) : 200);
}
