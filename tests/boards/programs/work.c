/* work SECONDS: stacks of known functions; ends by itself. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline, noclone)) static void
leaf_one(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i * n;
}

__attribute__((noinline, noclone)) static void
leaf_two(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink ^= i + n;
}

__attribute__((noinline, noclone)) static unsigned
middle(unsigned n)
{
	leaf_one(n);
	leaf_two(n / 2);
	return sink;
}

__attribute__((noinline, noclone)) static unsigned
outer(unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 10; i++)
		v += middle(n);
	return v;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);

	while (now() < end)
		sink += outer(1000);
	return 0;
}
