/* Deep and mutual recursion, each function with two call sites and a third by pointer. */
#include <stdlib.h>

#include "../mark.h"

#ifndef LOCAL
#define LOCAL 8   /* words of a local array */
#endif

static unsigned m_even(unsigned depth, unsigned way);
static unsigned (*volatile by_pointer)(unsigned, unsigned);

MARKED static unsigned
m_odd(unsigned depth, unsigned way)
{
	unsigned v;

	MARK(m_odd, depth);
	mark_work(20);
	if (!depth)
		return way;
	if (way & 1)
		v = m_even(depth - 1, way >> 1 | way << 31) + 1;
	else
		v = m_even(depth - 1, way >> 1) ^ depth;
	mark_work(20);
	return v;
}

MARKED static unsigned
m_even(unsigned depth, unsigned way)
{
	unsigned local[LOCAL], v;

	MARK(m_even, depth);
	for (unsigned i = 0; i < LOCAL; i += 512) {   /* behind the mark: a compiler may call memset for more */
		local[i] = depth;
		local[i + 1] = way;
	}
	__asm__ volatile("" :: "r"(local) : "memory");
	if (!depth)
		return way;
	if (way & 2)
		v = by_pointer(depth - 1, way + 1);
	else if (way & 1)
		v = m_odd(depth - 1, way >> 1 | way << 31) + local[1];
	else
		v = m_odd(depth - 1, way >> 1) * 3;
	mark_work(depth & 7);
	return v + local[0];
}

MARKED static int
m_main(double seconds, unsigned depth)
{
	MARK(m_main, 0);
	by_pointer = m_odd;
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 16; i++)
			mark_sink += m_even(depth ? depth : i * 4, i * 0x9e3779b9u);
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv), argc > 2 ? (unsigned)atoi(argv[2]) : 0) + (int)(mark_sink & 0);
}
