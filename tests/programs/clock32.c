/* Works in functions of known names, and asks for the time again and again, by way of the vdso. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static double
ask(unsigned n)
{
	struct timespec t = { 0 };

	while (n--)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned
inner(unsigned n)
{
	unsigned v = n;

	for (unsigned i = 0; i < 40000; i++)
		v = v * 1664525 + 1013904223;
	return v;
}

__attribute__((noinline)) static unsigned
outer(unsigned n)
{
	return inner(n) ^ inner(n + 1);
}

static int
compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
main(void)
{
	static int numbers[2000];
	double end = ask(1) + 1.0;

	while (ask(500) < end) {
		sink += outer(sink);
		for (unsigned i = 0; i < 2000; i++)
			numbers[i] = rand();
		qsort(numbers, 2000, sizeof *numbers, compare);
		memmove(numbers, numbers + 1, sizeof numbers - sizeof *numbers);
	}
	return 0;
}
