/* A program whose marked functions, with frames of several sizes, all call the program's own leaf(V), which has no mark. */
#ifndef TESTS_ACCURACY_LEAF_H
#define TESTS_ACCURACY_LEAF_H

#include <stdlib.h>

#include "mark.h"

#define WORK "mov %edi, %ecx; 1: dec %ecx; jnz 1b\n"   /* of leaves in assembly; the argument: how long */

static void leaf(unsigned v);
static unsigned next(uint64_t depth, unsigned v);

#define CALLS(name, bytes) \
	MARKED static unsigned \
	name(uint64_t depth, unsigned v) \
	{ \
		volatile char room[bytes]; \
		MARK(name, depth); \
		room[v % bytes] = (char)v; \
		leaf(v); \
		return next(depth, v * 7 + 1) + (unsigned)room[v % bytes]; \
	}
CALLS(m_a, 16)
CALLS(m_b, 200)
CALLS(m_c, 720)
CALLS(m_d, 1500)

static inline __attribute__((always_inline)) unsigned
next(uint64_t depth, unsigned v)
{
	static unsigned (*const way[])(uint64_t, unsigned) = { m_a, m_b, m_c, m_d };

	return depth ? way[v % 4](depth - 1, v) : v;
}

MARKED static int
m_main(double seconds)
{
	unsigned v = 0;

	MARK(m_main, 0);
	MARK_FOR(seconds)
		mark_sink += m_a(v % 4, v), v++;
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}

#endif
