/* A little of all that compilers do to a stack, once: to be stepped through instruction by instruction (step.c). */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf out;

FAR static int
leaf(int a, int b)
{
	return a * 3 + b;
}

FAR static int
small_frame(int a)
{
	int v[6];

	for (int i = 0; i < 6; i++)
		v[i] = leaf(a, i);
	sink += v[a % 6];
	return v[(a + 1) % 6];
}

FAR static int
page_frame(int a)
{
	char v[5000];

	memset(v, a, sizeof v);
	sink += v[a];
	return small_frame(v[a + 1]);
}

FAR static int
huge_frame(int a)
{
	volatile char v[200000];

	v[a] = 1;
	sink += v[a];
	return page_frame(a) + v[a];
}

FAR static int
grows(int n)
{
	char *p = alloca((size_t)n * 24 + 1);

	memset(p, n, (size_t)n);
	return small_frame(p[n / 2]) + p[0];
}

FAR static int
aligned(int n)
{
	__attribute__((aligned(64))) char v[192];

	memset(v, n, sizeof v);
	return small_frame(v[n]) + v[3];
}

FAR static int
recurses(int n)
{
	return n ? recurses(n - 1) + leaf(n, n) : grows(7);
}

FAR static int
even(int n);

FAR static int
odd(int n)
{
	return n ? even(n - 1) : small_frame(1);
}

FAR static int
even(int n)
{
	return n ? odd(n - 1) : small_frame(2);
}

FAR static int
shrinks(int n)
{
	if (n < 3)
		return n;
	for (int i = 0; i < n; i++)
		sink += small_frame(i);
	return sink;
}

FAR static int
sums(int n, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, n);
	while (n--)
		sum += leaf(va_arg(list, int), 1);
	va_end(list);
	return sum;
}

FAR static int
chooses(int n)
{
	switch (n) {
	case 0: return small_frame(1);
	case 1: return leaf(2, 3) + small_frame(2);
	case 2: return page_frame(1);
	case 3: return aligned(4);
	case 4: return grows(4);
	case 5: return sums(2, 3, 4);
	case 6: return sums(9, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	default: return leaf(n, n);
	}
}

FAR static double
floats(double a, double b, double c)
{
	double v[4] = { a, b, c, a * b };

	for (int i = 0; i < 4; i++)
		v[i] = v[i] * c + leaf((int)v[(i + 1) % 4], i);
	return v[0] + v[1] + v[2] + v[3] + small_frame((int)c);
}

struct large { long v[12]; };

FAR static struct large
returns_large(int n)
{
	struct large l = { { n, leaf(n, 1), small_frame(n) } };

	return l;
}

FAR static int
order(const void *a, const void *b)
{
	return leaf(*(const int *)a, 0) - leaf(*(const int *)b, 0);
}

FAR static void
jumps(int n)
{
	if (!n)
		longjmp(out, small_frame(3) + 1);
	jumps(n - 1);
	sink++;
}

FAR static void
lands(void)
{
	volatile int tries = 0;

	if (setjmp(out) && tries++)
		return;
	jumps(3);
}

FAR static void
handler(int sig)
{
	sink += grows(sig % 5 + 1);
}

FAR static void
nested(int sig)
{
	if (sig == SIGUSR2)
		raise(SIGUSR1);
	sink += small_frame(sig % 4);
}

int
main(void)
{
	int v[24];

	for (int i = 0; i < 24; i++)
		v[i] = i * 7919 % 101;
	qsort(v, 24, sizeof *v, order);
	sink += huge_frame(3) + aligned(5) + recurses(6) + odd(5) + shrinks(2) + shrinks(5);
	for (int i = 0; i < 9; i++)
		sink += chooses(i);
	sink += (int)floats(1.5, 2.5, 3) + (int)returns_large(4).v[2];
	lands();
	signal(SIGUSR1, handler);
	signal(SIGUSR2, nested);
	raise(SIGUSR1);
	raise(SIGUSR2);
	printf("%d %s %.3f\n", sink, getenv("HOME") ? "home" : "none", (double)sink / 7);
	return 0;
}
