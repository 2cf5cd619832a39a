/* stack DEPTH SECONDS: runs at the end of a stack of DEPTH frames of a function's own. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline, noclone)) static unsigned
deeper(unsigned depth, double end)
{
	if (depth)
		return deeper(depth - 1, end) + sink;
	while (now() < end)
		for (unsigned i = 0; i < 10000; i++)
			sink += i;
	return sink;
}

int
main(int argc, char **argv)
{
	return argc < 3 || deeper((unsigned)atoi(argv[1]), now() + atof(argv[2])) == 1;
}
