/* Reads zlib's packed bytes in any order, piece by piece: they are right, however few of them are unpacked at a time. From a broken
 * byte on they read as zeros. */
#include "lib/codec/unpack.c"

#include "lib/codec/deflate.h"

#include <stdlib.h>

#include "test.h"

enum { SIZE = 5 << 20 };

static uint8_t *text;

static uint32_t
dice(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* Lines that repeat others far behind, noise, and a mebibyte of one byte, which is but a few blocks. */
static struct sink
pack(void)
{
	struct deflater d;
	struct sink s;
	uint32_t seed = 1;

	for (size_t i = 0; i < SIZE; i++)
		text[i] = i >> 20 == 2 ? 'x' : i % 70000 < 9000 ? (uint8_t)dice(&seed, 256) : i > 30000 && dice(&seed, 20) ? text[i - 29999] : (uint8_t)('a' + dice(&seed, 9));
	sink_open(&s, -1);
	CHECK(deflate_open(&d, &s, DEFLATE_ZLIB));
	deflate_put(&d, text, SIZE);
	deflate_close(&d);
	return s;
}

static void
reads_in_any_order(void)
{
	struct arena arena = { 0 };
	struct sink s = pack();
	const uint8_t *p = unpack_open(&arena, cur_of(s.buf, s.len, false), SIZE), *q = unpack_open(&arena, cur_of(s.buf, s.len, false), SIZE);
	uint32_t seed = 7;

	CHECK(p && q);
	CHECK_U64(unpack_held(), 0);
	CHECK(p && p[SIZE - 1] == text[SIZE - 1]);
	for (unsigned i = 0; p && q && i < 300; i++) {
		size_t n = dice(&seed, 3) ? dice(&seed, 200) : dice(&seed, 400000), at = dice(&seed, (uint32_t)(SIZE - n));

		CHECK(!memcmp(p + at, text + at, n));
		at = dice(&seed, (uint32_t)(SIZE - n));
		CHECK(!memcmp(q + at, text + at, n));
		if (n < 200000)
			CHECK(!memcmp(p + at, q + at, n));
		CHECK(unpack_held() <= held_most + 2 * PIECE + (1 << 20));
	}
	CHECK(held_most > HELD_FIRST);   /* what is wanted again and again becomes more, not slower */
	unpack_close(&arena);
	CHECK_U64(unpack_held(), 0);
	arena_free(&arena);
	sink_close(&s);
	CHECK_U64(mem_used(), 0);
}

static void
gives_back(void)
{
	struct arena arena = { 0 };
	struct sink s = pack();
	const uint8_t *p;
	unsigned sum = 0;

	held_most = HELD_FIRST;
	again = 0;
	p = unpack_open(&arena, cur_of(s.buf, s.len, false), SIZE);
	for (size_t at = 0; p && at < SIZE; at++) {
		sum += p[at] != text[at];
		if (at % 4096 == 0)
			CHECK(unpack_held() <= HELD_FIRST + (1 << 20) + PIECE);
	}
	CHECK_U64(sum, 0);
	CHECK(unpack_held() > 0);
	unpack_trim();
	CHECK_U64(unpack_held(), 0);
	CHECK(p && p[SIZE / 2] == text[SIZE / 2]);
	CHECK_U64(fillings > 0, true);
	unpack_close(&arena);
	arena_free(&arena);
	sink_close(&s);
}

/* Cut off, bent, or said to be longer than it is. */
static void
broken(void)
{
	struct sink s = pack();
	uint32_t seed = 3;

	for (unsigned i = 0; i < 12; i++) {
		struct arena arena = { 0 };
		size_t n = i % 3 == 0 ? dice(&seed, (uint32_t)s.len) : s.len, size = i % 3 == 2 ? SIZE + 300000 : SIZE, at = 0, zeros = 0;
		uint8_t *copy = malloc(n + 1);
		const uint8_t *p;

		if (!copy)
			break;
		memcpy(copy, s.buf, n);
		if (i % 3 == 1)
			copy[dice(&seed, (uint32_t)n)] ^= 1;
		p = unpack_open(&arena, cur_of(copy, n, false), size);
		CHECK(p != NULL);
		while (p && at < SIZE && p[at] == text[at])
			at++;
		for (size_t k = at; p && k < size; k++)
			zeros += !p[k];
		CHECK(i % 3 == 1 || zeros + 300 >= size - at);
		CHECK(i % 3 != 2 || at == SIZE);
		unpack_close(&arena);
		arena_free(&arena);
		free(copy);
	}
	sink_close(&s);
	CHECK_U64(mem_used(), 0);
}

/* Somebody may overwrite the packed bytes between two reads. */
static void
ends_in_zeros(void)
{
	struct arena arena = { 0 };
	struct sink s = pack();
	const uint8_t *p = unpack_open(&arena, cur_of(s.buf, s.len, false), SIZE);
	int out[2];
	char behind = 1;

	CHECK(!pipe(out));
	CHECK(p && write(out[1], p + SIZE, 1) == 1 && read(out[0], &behind, 1) == 1);
	CHECK_U64(behind, 0);
	CHECK(p && p[SIZE - 1] == text[SIZE - 1]);
	close(out[0]);
	close(out[1]);
	unpack_close(&arena);
	arena_free(&arena);
	sink_close(&s);
}

static void
no_memory(void)
{
	struct arena arena = { 0 };

	mem_cap(mem_used() + (64 << 10));
	CHECK(!unpack_open(&arena, cur_of("x", 1, false), SIZE));
	mem_cap(SIZE_MAX);
	unpack_close(&arena);
	arena_free(&arena);
}

int
main(void)
{
	if (!(text = malloc(SIZE)))
		return 1;
	RUN("unpack", reads_in_any_order);
	RUN("unpack", gives_back);
	RUN("unpack", broken);
	RUN("unpack", ends_in_zeros);
	RUN("unpack", no_memory);
	free(text);
	return TEST_STATUS;
}
