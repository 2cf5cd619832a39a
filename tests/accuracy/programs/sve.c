/* Frames whose size depends on how long vectors are, on aarch64: their CFA is told by an expression of that length (-DLENGTH=BYTES:
 * another one than the machine's own, which each thread may choose). */
#include <arm_sve.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "../mark.h"

#ifndef PR_SVE_SET_VL
#define PR_SVE_SET_VL 50
#endif

static unsigned m_recurse(unsigned depth, svint32_t a, svint32_t b);

MARKED static unsigned
m_leaf(unsigned n)
{
	MARK(m_leaf, n);
	mark_work(200);
	return n;
}

/* A vector in memory, and others that live across calls. */
MARKED static unsigned
m_spill(unsigned depth, svint32_t a)
{
	MARK(m_spill, depth);
	svint32_t local = svadd_n_s32_x(svptrue_b32(), a, (int)depth);

	__asm__ volatile("" : : "r"(&local) : "memory");
	mark_work(50);
	return m_leaf(depth) + m_recurse(depth, local, a) + (unsigned)svaddv_s32(svptrue_b32(), local);
}

MARKED static unsigned
m_recurse(unsigned depth, svint32_t a, svint32_t b)
{
	MARK(m_recurse, depth);
	mark_work(20);
	if (!depth)
		return m_leaf(0);
	return m_spill(depth - 1, svadd_s32_x(svptrue_b32(), a, b)) + (unsigned)svaddv_s32(svptrue_b32(), b);
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 0; i < 8; i++)
			mark_sink += m_recurse(i, svdup_s32((int)i), svindex_s32(0, 1));
	return 0;
}

int
main(int argc, char **argv)
{
#ifdef LENGTH
	if (prctl(PR_SVE_SET_VL, LENGTH) < 0)
		return 1;
#endif
	return m_main(MARK_SECONDS(argc, argv));
}
