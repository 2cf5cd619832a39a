/* Frames whose size only run time decides, and frames that are aligned to more than 16 bytes: another register or an expression
 * gives their CFA. Calls have many arguments on the stack, which move sp between calls. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

#include "../mark.h"

MARKED static unsigned
m_leaf(unsigned n)
{
	MARK(m_leaf, n);
	mark_work(40);
	return n;
}

MARKED static unsigned
m_args(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h, unsigned i)
{
	MARK(m_args, i);
	return m_leaf(a + b + c + d + e + f) + g + h + i;
}

MARKED static unsigned
m_alloca(unsigned n)
{
	unsigned char *p;

	MARK(m_alloca, n);
	p = alloca(16 + n * 8);
	memset(p, (int)n, 16 + n * 8);
	__asm__ volatile("" :: "r"(p) : "memory");
	return m_args(1, 2, 3, 4, 5, 6, 7, n, p[n]) + p[0];
}

MARKED static unsigned
m_vla(unsigned n)
{
	unsigned v[n + 1], s = 0;

	MARK(m_vla, n);
	for (unsigned i = 0; i <= n; i++) {
		unsigned w[i + 1];

		w[i] = v[i] = m_alloca(i & 7);
		__asm__ volatile("" :: "r"(w), "r"(v) : "memory");
		s += w[i];
	}
	return s + v[n];
}

MARKED static unsigned
m_aligned(unsigned n, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g)
{
	_Alignas(64) unsigned char box[128];

	MARK(m_aligned, n);
	memset(box, (int)n, sizeof box);
	__asm__ volatile("" :: "r"(box) : "memory");
	if (n)
		return m_aligned(n - 1, a, b, c, d, e, f, g + box[1]) + (unsigned)((uintptr_t)box & 63);
	return m_vla(5) + a + b + c + d + e + f + g;
}

/* Both at once. */
MARKED static unsigned
m_both(unsigned n, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f)
{
	_Alignas(32) unsigned box[8];
	unsigned *p;

	MARK(m_both, n);
	p = alloca(n * 24);
	for (unsigned i = 0; i < 8; i++)
		box[i] = p[i % (n * 6)] = i;
	__asm__ volatile("" :: "r"(box), "r"(p) : "memory");
	return m_args(n, a, b, c, d, e, f, 8, 9) + m_aligned(n & 3, 1, 2, 3, 4, 5, 6, 7) + box[n & 7] + p[0];
}

MARKED static unsigned
m_huge(unsigned n)
{
	unsigned char big[9000];

	MARK(m_huge, n);
	for (unsigned i = 0; i < sizeof big; i += 1000)   /* the kernel's copy ends at a page that nobody has touched */
		big[i] = 1;
	big[n * 100] = 1;
	__asm__ volatile("" :: "r"(big) : "memory");
	return m_both(n, 1, 2, 3, 4, 5, 6) + big[n * 100];
}

MARKED static int
m_main(double seconds)
{
	MARK(m_main, 0);
	MARK_FOR(seconds)
		for (unsigned i = 1; i < 6; i++) {
			mark_sink += m_huge(i);
			mark_sink += m_vla(i);
			mark_sink += m_both(i, 1, 2, 3, 4, 5, 6);
		}
	return 0;
}

int
main(int argc, char **argv)
{
	return m_main(MARK_SECONDS(argc, argv));
}
