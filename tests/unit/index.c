#include "lib/index.c"
#include "test.h"

enum { ITEMS = 10000 };
static uint64_t item[ITEMS];

static uint32_t
poor(uint32_t i)
{
	return i & 3;
}

static uint32_t
find(const struct index *ix, uint32_t h, uint64_t want)
{
	uint32_t slot, i;

	for (slot = index_first(ix, h); (i = index_at(ix, slot)) != INDEX_NONE; slot = index_next(ix, slot))
		if (item[i] == want)
			return i;
	return INDEX_NONE;
}

static void
empty_holds_nothing(void)
{
	struct index ix = { 0 };

	CHECK_U64(find(&ix, 12345, 1), INDEX_NONE);
	index_free(&ix);
}

static void
finds_what_was_added(void)
{
	struct index ix = { 0 };
	uint32_t missed = 0, ghosts = 0;

	for (uint32_t i = 0; i < ITEMS; i++) {
		item[i] = (uint64_t)i * 16 + 0x400000;
		CHECK(index_add(&ix, hash_u64(item[i]), i));
	}
	for (uint32_t i = 0; i < ITEMS; i++) {
		missed += find(&ix, hash_u64(item[i]), item[i]) != i;
		ghosts += find(&ix, hash_u64(item[i] + 1), item[i] + 1) != INDEX_NONE;
	}
	CHECK_U64(missed, 0);
	CHECK_U64(ghosts, 0);
	CHECK(ix.used == ITEMS && ix.used <= ix.cap / 4 * 3);
	index_free(&ix);
	CHECK_U64(mem_used(), 0);
}

static void
survives_equal_hashes(void)
{
	struct index ix = { 0 };
	uint32_t missed = 0;

	for (uint32_t i = 0; i < 500; i++) {
		item[i] = i;
		CHECK(index_add(&ix, poor(i), i));
	}
	for (uint32_t i = 0; i < 500; i++)
		missed += find(&ix, poor(i), i) != i;
	CHECK_U64(missed, 0);
	index_free(&ix);
}

static void
the_cap_changes_nothing(void)
{
	struct index ix = { 0 };
	uint32_t n = 0;

	mem_cap(4096);
	for (item[n] = n; n < ITEMS - 1 && index_add(&ix, hash_u64(n), n); item[n] = n)
		n++;
	CHECK(n > 64 && n < 1024 && ix.used == n);
	for (uint32_t i = 0; i < n; i++)
		CHECK_U64(find(&ix, hash_u64(i), i), i);
	mem_cap(SIZE_MAX);
	index_free(&ix);
}

/* Neighbouring addresses must not pile up: the longest run of full slots stays short. */
static void
addresses_spread(void)
{
	struct index ix = { 0 };
	uint32_t run = 0, longest = 0;

	for (uint32_t i = 0; i < ITEMS; i++) {
		item[i] = 0x7f0000001000 + i;
		index_add(&ix, hash_u64(item[i]), i);
	}
	for (uint32_t s = 0; s < ix.cap; s++) {
		run = ix.slot[s] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	CHECK(longest < 100);
	CHECK(hash_str("abc") == hash_bytes("abcd", 3) && hash_str("abc") != hash_str("abd"));
	index_free(&ix);
}

int
main(void)
{
	RUN("index", empty_holds_nothing);
	RUN("index", finds_what_was_added);
	RUN("index", survives_equal_hashes);
	RUN("index", the_cap_changes_nothing);
	RUN("index", addresses_spread);
	return TEST_STATUS;
}
