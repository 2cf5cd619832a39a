#include "lib/mem.c"
#include "test.h"

#include <unistd.h>

static void
arena_gives_zeroed_aligned_memory(void)
{
	struct arena a = { 0 };
	bool zero = true;

	for (size_t n = 1; n < 40000; n += n / 3 + 1) {
		unsigned char *p = arena_alloc(&a, n);

		CHECK(p && !((uintptr_t)p & 15));
		for (size_t i = 0; i < n; i++)
			zero &= !p[i];
		memset(p, 0xff, n);
	}
	CHECK(zero);
	arena_free(&a);
	CHECK_U64(mem_used(), 0);
}

static void
a_large_piece_wastes_nothing(void)
{
	struct arena a = { 0 };
	char *one = arena_alloc(&a, 16), *two;
	size_t used;

	arena_alloc(&a, 100000);
	used = mem_used();
	two = arena_alloc(&a, 16);
	CHECK(two == one + 16);   /* still from the first chunk */
	CHECK_U64(mem_used(), used);
	arena_free(&a);
}

static void
strings_are_copied_with_a_nul(void)
{
	struct arena a = { 0 };

	CHECK_STR(arena_str(&a, "abcdef", 3), "abc");
	CHECK_STR(arena_str(&a, NULL, 0), "");
	CHECK(!arena_str(&a, "x", SIZE_MAX));
	arena_free(&a);
}

static void
strings_stand_close_and_what_follows_is_aligned(void)
{
	struct arena a = { 0 };
	char *one = arena_str(&a, "abc", 3), *two = arena_str(&a, "defg", 4);

	CHECK(two == one + 4);
	CHECK(arena_alloc(&a, 1) == one + 16);
	CHECK_STR(one, "abc");
	arena_free(&a);
}

/* Once it is large, its chunks are huge pages. */
static void
a_large_arena_keeps_its_strings(void)
{
	struct arena a = { 0 };
	const char *last = NULL;
	bool kept = true;
	char text[100];

	for (unsigned i = 0; i < 400000; i++) {
		unsigned n = (unsigned)snprintf(text, sizeof text, "%0*u", 20 + (int)(i % 70), i);

		kept &= !last || strtoul(last, NULL, 10) == i - 1;
		last = arena_str(&a, text, n);
		kept &= last && !strcmp(last, text);
		if (i % 1000 == 0) {
			const unsigned char *zero = arena_alloc(&a, 50000);

			kept &= zero && !((uintptr_t)zero & 15) && !zero[0] && !zero[49999];
		}
	}
	CHECK(kept && a.chunk && a.chunk->huge && !((uintptr_t)a.chunk & (HUGE - 1)));
	arena_free(&a);
	CHECK_U64(mem_used(), 0);
}

static void
vectors_grow_zeroed_and_keep(void)
{
	uint32_t *v = NULL, cap_items = 0;
	bool kept = true, zero = true;

	for (uint32_t i = 0; i < 5000; i++) {
		CHECK(vec_room(&v, &cap_items, i + 1, sizeof *v));
		zero &= !v[i];
		v[i] = i + 1;
	}
	for (uint32_t i = 0; i < 5000; i++)
		kept &= v[i] == i + 1;
	CHECK(kept && zero);
	vec_free(&v, &cap_items, sizeof *v);
	CHECK(!v && !cap_items);
	CHECK_U64(mem_used(), 0);
}

static long
resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all = 0, pages = 0;

	CHECK(f && fscanf(f, "%ld %ld", &all, &pages) == 2);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) >> 10);
}

/* Room that is not used costs nothing, and to grow no second copy. */
static void
large_vectors_are_there_once_they_are_touched(void)
{
	uint32_t *v = NULL, cap_items = 0;
	long before = resident_kib();

	CHECK(vec_room(&v, &cap_items, 32 << 20, sizeof *v));
	v[5] = 7;
	CHECK(vec_room(&v, &cap_items, cap_items + 1, sizeof *v));
	CHECK(v[5] == 7 && !v[cap_items - 1]);
	CHECK(resident_kib() - before < 8 << 10);
	vec_free(&v, &cap_items, sizeof *v);
	CHECK_U64(mem_used(), 0);
}

/* Past the size from which pages are huge, and in steps that end within one. */
static void
very_large_vectors_grow_zeroed_and_keep(void)
{
	unsigned char *v = NULL;
	uint32_t cap_items = 0, step = 777777;
	bool kept = true, zero = true;

	for (uint32_t i = 0; i < 60; i++) {
		CHECK(vec_room(&v, &cap_items, (uint64_t)(i + 1) * step, 1));
		zero &= !v[i * step] && !v[cap_items - 1];
		v[i * step] = (unsigned char)(i + 1);
	}
	for (uint32_t i = 0; i < 60; i++)
		kept &= v[i * step] == i + 1;
	CHECK(kept && zero);
	vec_free(&v, &cap_items, 1);
	CHECK(vec_room(&v, &cap_items, 40 << 20, 1));   /* at once */
	v[cap_items - 1] = 1;
	vec_free(&v, &cap_items, 1);
	CHECK(!v && !cap_items);
	CHECK_U64(mem_used(), 0);
}

static void
the_cap_holds(void)
{
	struct arena a = { 0 };
	uint64_t *v = NULL;
	uint32_t cap_items = 0;

	mem_cap(100000);
	CHECK(vec_room(&v, &cap_items, 10000, sizeof *v));
	v[9999] = 7;
	CHECK(!vec_room(&v, &cap_items, 20000, sizeof *v));
	CHECK(v && v[9999] == 7 && cap_items == 10000);   /* nothing has changed */
	CHECK(!arena_alloc(&a, 50000));
	CHECK(!arena_alloc(&a, SIZE_MAX));
	CHECK(!arena_alloc(&a, SIZE_MAX / 2 + 1));
	CHECK(!vec_room(&v, &cap_items, UINT64_MAX, sizeof *v));
	CHECK_U64(mem_used(), 80000);
	vec_free(&v, &cap_items, sizeof *v);
	CHECK(arena_alloc(&a, 50000));
	arena_free(&a);
	CHECK_U64(mem_used(), 0);
	mem_cap(SIZE_MAX);
}

/* Pages of very large vectors that ended serve the next ones, and are zero for them, whether these are smaller or larger. */
static void
pages_that_serve_again(void)
{
	size_t before = mem_used();
	uint8_t *a = NULL, *b = NULL;
	uint32_t cap = 0, other = 0;

	mem_spare(64 << 20);
	for (size_t size = 17 << 20; size < 60 << 20; size = size * 5 / 4) {
		bool zero = true;

		CHECK(vec_room(&a, &cap, size, 1) && vec_room(&b, &other, 40 << 20, 1));
		for (size_t i = 0; i < cap; i += 1000)
			zero &= !a[i];
		for (size_t i = 0; i < other; i += 1000)
			zero &= !b[i];
		CHECK(zero && !a[cap - 1] && !b[other - 1]);
		CHECK_U64(mem_used() - before, cap + other);
		memset(a, 1, cap);
		memset(b, 2, other);
		vec_free(&b, &other, 1);
		vec_free(&a, &cap, 1);
		CHECK(spare_held && spare_held <= 64 << 20);
		CHECK_U64(mem_used(), before);
	}
	CHECK(vec_room(&a, &cap, 20 << 20, 1) && vec_room(&a, &cap, 90 << 20, 1));   /* it grows beyond what was kept */
	CHECK(!a[0] && !a[(20 << 20) + 1] && !a[cap - 1]);
	vec_free(&a, &cap, 1);
	mem_spare(0);
	CHECK(drop_spares() || !spare_held);
	CHECK(!drop_spares() && !spare_held);
}

int
main(void)
{
	RUN("mem", arena_gives_zeroed_aligned_memory);
	RUN("mem", a_large_piece_wastes_nothing);
	RUN("mem", strings_are_copied_with_a_nul);
	RUN("mem", strings_stand_close_and_what_follows_is_aligned);
	RUN("mem", a_large_arena_keeps_its_strings);
	RUN("mem", vectors_grow_zeroed_and_keep);
	RUN("mem", large_vectors_are_there_once_they_are_touched);
	RUN("mem", very_large_vectors_grow_zeroed_and_keep);
	RUN("mem", pages_that_serve_again);
	RUN("mem", the_cap_holds);
	return TEST_STATUS;
}
