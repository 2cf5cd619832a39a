/* A program that traps wherever replay takes a sample, so that the stacks are the same each time. Its calls go deep and come back,
 * through sorting, recursion over two call sites, and frames of all sizes. */
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;
static uint32_t seed = 1, traps;

static uint32_t
any(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

__attribute__((noinline)) static void
sample(void)
{
	traps++;
	__asm__ volatile("int3");
}

#define SHAPE(name, bytes) \
	__attribute__((noinline)) static uint64_t name(uint64_t v, uint64_t (*next)(uint64_t, unsigned), unsigned depth) \
	{ \
		volatile char frame[bytes]; \
		uint64_t a = v * 3, b = v + depth, c = v ^ a; \
		frame[v % bytes] = (char)v; \
		a += next(b, depth); \
		return a ^ b ^ c ^ (uint64_t)frame[0]; \
	}
SHAPE(narrow, 8)
SHAPE(middle, 100)
SHAPE(wide, 700)

static uint64_t descend(uint64_t v, unsigned depth);

static int
by_value(const void *a, const void *b)
{
	if (!any(300))
		sample();
	return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

__attribute__((noinline)) static uint64_t
sorted(uint64_t v, unsigned depth)
{
	uint32_t list[64];

	for (unsigned i = 0; i < 64; i++)
		list[i] = any(1000);
	qsort(list, 64, sizeof *list, by_value);
	return list[v % 64] + descend(v, depth);
}

__attribute__((noinline)) static uint64_t
any_size(uint64_t v, unsigned depth)
{
	char *p = alloca(16 + v % 333);

	memset(p, (int)v, 16);
	v += descend(v + 1, depth);
	return v + (uint64_t)p[3];
}

static uint64_t
descend(uint64_t v, unsigned depth)
{
	if (!depth) {
		sample();
		return v;
	}
	switch (any(6)) {
	case 0: return narrow(v, descend, depth - 1) + 1;
	case 1: return middle(v, descend, depth - 1) + 2;
	case 2: return wide(v, descend, depth - 1) + 3;
	case 3: return depth > 3 ? sorted(v, depth - 1) + 4 : narrow(v, descend, depth - 1) + 5;
	case 4: return any_size(v, depth - 1) + 6;
	default: return depth > 5 && any(2) ? descend(v, depth - 4) + descend(v + 1, depth - 2) : middle(v, descend, depth - 1) + 7;
	}
}

int
main(void)
{
	while (traps < 300)
		sink += descend(sink, 4 + any(20));
	return 0;
}
