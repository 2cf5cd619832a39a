#include "test.h"
#include "lib/sort.c"

enum { TEXTS = 20000 };

static const char *text[TEXTS];

static int
by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(text[*(const uint32_t *)a], text[*(const uint32_t *)b]);
}

static void
key(const void *ctx, struct item *item, uint32_t n, uint32_t part)
{
	(void)ctx;
	for (uint32_t i = 0; i < n; i++)
		item[i].key = sort_key(text[item[i].a], part);
}

/* Texts that differ at once, behind the key's eight bytes, in length alone, and not at all. */
static void
numbers_are_in_the_order_of_their_texts(void)
{
	static char room[TEXTS][24];
	static uint32_t number[TEXTS];

	for (uint32_t i = 0; i < TEXTS; i++) {
		snprintf(room[i], sizeof room[i], i % 3 ? "%.*s%u" : "%.*s", (int)(i % 13), "\xc3\xa4 common beginning", i * 7919 % 1000);
		text[i] = room[i];
		number[i] = i;
	}
	sort_numbers(number, TEXTS, key, by_text, NULL);
	for (uint32_t i = 1; i < TEXTS; i++) {
		int c = strcmp(text[number[i - 1]], text[number[i]]);

		CHECK(c < 0 || (c == 0 && number[i - 1] < number[i]));   /* those that are equal keep their order */
	}
}

/* Long texts that begin alike, many of them equal: keys have more parts than count. */
static void
long_beginnings_are_compared(void)
{
	static char room[TEXTS / 4][700];
	static uint32_t number[TEXTS / 4];

	for (uint32_t i = 0; i < TEXTS / 4; i++) {
		memset(room[i], 'x', sizeof room[i] - 1);
		snprintf(room[i] + (i % 2 ? 600 : 80), 20, "%u", i * 7919 % 500);
		text[i] = room[i];
		number[i] = i;
	}
	sort_numbers(number, TEXTS / 4, key, by_text, NULL);
	for (uint32_t i = 1; i < TEXTS / 4; i++) {
		int c = strcmp(text[number[i - 1]], text[number[i]]);

		CHECK(c < 0 || (c == 0 && number[i - 1] < number[i]));
	}
}

static void
without_memory_they_are_too(void)
{
	static uint32_t number[TEXTS];

	for (uint32_t i = 0; i < TEXTS; i++)
		number[i] = TEXTS - 1 - i;
	mem_cap(0);
	sort_numbers(number, TEXTS, key, by_text, NULL);
	mem_cap(SIZE_MAX);
	for (uint32_t i = 1; i < TEXTS; i++)
		CHECK(strcmp(text[number[i - 1]], text[number[i]]) <= 0);
	sort_numbers(number, 0, key, by_text, NULL);
}

static void
keys_are_in_the_order_of_strcmp(void)
{
	CHECK(sort_key("", 0) == 0 && sort_key("a", 0) < sort_key("aa", 0) && sort_key("z", 0) < sort_key("\xc3\xa4", 0));
	CHECK(sort_key("12345678", 0) == sort_key("123456789", 0) && sort_key("12345678", 1) == 0);
	CHECK(sort_key("123456789", 1) == sort_key("9", 0) && sort_key("12", 1) == 0 && sort_key("", 7) == 0);
}

int
main(void)
{
	RUN("sort", numbers_are_in_the_order_of_their_texts);
	RUN("sort", long_beginnings_are_compared);
	RUN("sort", without_memory_they_are_too);
	RUN("sort", keys_are_in_the_order_of_strcmp);
	return TEST_STATUS;
}
