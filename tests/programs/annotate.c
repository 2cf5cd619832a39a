/* A function with lines that are known to be hot, one that calls, one that is inlined, and one that recurses. */
#include <stdlib.h>

static volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned
mix(unsigned x)
{
	return x * x % 1000003;   /* LINE inlined */
}

__attribute__((noinline, noclone)) static void
callee(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += mix(i);
	sink++;
}

__attribute__((noinline, noclone)) static void
worker(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned a = sink;

		sink = a / (i | 1) + a % (i | 3);   /* LINE hot */
	}
	callee(n);   /* LINE call */
	sink++;
}

__attribute__((noinline, noclone)) static void
recurse(unsigned depth)
{
	if (depth)
		recurse(depth - 1);   /* LINE deeper */
	else
		worker(30000);   /* LINE deepest */
	sink++;
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;

	for (unsigned i = 0; i < n || !n; i++)
		recurse(8);
	return 0;
}
