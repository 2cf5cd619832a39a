/* deep DEPTH SECONDS [lean]: recursion by two call sites, work at every depth; frames of 64 bytes, or of 16. */
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

__attribute__((noinline)) static unsigned
lean(unsigned depth, unsigned seed)
{
	if (!depth)
		return work(20000);
	seed += work(100);
	seed = seed & 1 ? lean(depth - 1, seed * 7) + 1 : lean(depth - 1, seed * 3 + 1) ^ 2;
	__asm__ volatile("" : "+r"(seed));   /* so that it cannot become a loop */
	return seed;
}

int
main(int argc, char **argv)
{
	double end = now() + (argc > 2 ? atof(argv[2]) : 1);
	unsigned v = 0, depth = argc > 1 ? (unsigned)atoi(argv[1]) : 10;

	while (now() < end)
		v += argc > 3 ? lean(depth, v) : down(depth, v);
	return v == 12345;
}
