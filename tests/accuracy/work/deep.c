/* deep DEPTH SECONDS: recursion by two call sites, work at every depth. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned
work(unsigned n)
{
	unsigned v = 1;

	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("imul %0, %0" : "+r"(v));
	return v;
}

__attribute__((noinline)) static unsigned
down(unsigned depth, unsigned seed)
{
	volatile char room[24];

	memset((char *)room, (int)depth, sizeof room);
	if (!depth)
		return work(20000) + (unsigned)room[3];
	seed += work(100);
	if (seed & 1)
		return down(depth - 1, seed * 7) + (unsigned)room[1];
	return down(depth - 1, seed * 3 + 1) ^ (unsigned)room[2];
}

int
main(int argc, char **argv)
{
	double end = now() + (argc > 2 ? atof(argv[2]) : 1);
	unsigned v = 0;

	while (now() < end)
		v += down(argc > 1 ? (unsigned)atoi(argv[1]) : 10, v);
	return v == 12345;
}
