#include "lib/cursor.c"
#include "test.h"

static void
reads_both_byte_orders(void)
{
	static const uint8_t b[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct cursor c = cur_of(b, 9, false), d = cur_of(b, 9, true);

	CHECK_U64(cur_u16(&c), 0x0201);
	CHECK_U64(cur_u16(&d), 0x0102);
	CHECK_U64(cur_u32(&c), 0x06050403);
	CHECK_U64(cur_u32(&d), 0x03040506);
	CHECK_U64(cur_uint(&c, 3), 0x090807);
	CHECK_U64(cur_uint(&d, 3), 0x070809);
	CHECK(!c.bad && !d.bad && !cur_left(&c));
	c = cur_of(b, 9, false);
	d = cur_of(b, 9, true);
	CHECK_U64(cur_u64(&c), 0x0807060504030201u);
	CHECK_U64(cur_u64(&d), 0x0102030405060708u);
	CHECK_U64(cur_u8(&c), 9);
	CHECK_U64(cur_u8(&d), 9);
}

static void
past_the_end_is_zero_and_bad(void)
{
	static const uint8_t b[] = { 1, 2, 3 };
	struct cursor c = cur_of(b, 3, false);

	CHECK_U64(cur_u32(&c), 0);
	CHECK_STR(c.bad, "data ends too early");
	CHECK_U64(cur_left(&c), 0);   /* nothing left: later reads are bad, too */
	CHECK_U64(cur_u8(&c), 0);
	c = cur_of(b, 3, false);
	CHECK(!cur_take(&c, UINT64_MAX) && c.bad);
	c = cur_of(NULL, 0, false);
	CHECK_U64(cur_u8(&c), 0);
	CHECK(c.bad != NULL);
	CHECK_STR(cur_str(&c), "");
}

static uint64_t
uleb(const char *bytes, size_t n, const char **bad)
{
	struct cursor c = cur_of(bytes, n, false);
	uint64_t v = cur_uleb(&c);

	*bad = c.bad;
	return v;
}

static int64_t
sleb(const char *bytes, size_t n, const char **bad)
{
	struct cursor c = cur_of(bytes, n, false);
	int64_t v = cur_sleb(&c);

	*bad = c.bad;
	return v;
}

static void
leb128(void)
{
	const char *bad;

	CHECK_U64(uleb("\x7f", 1, &bad), 127);
	CHECK_U64(uleb("\xe5\x8e\x26", 3, &bad), 624485);
	CHECK_U64(uleb("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &bad), UINT64_MAX);
	CHECK(!bad);
	CHECK_U64(uleb("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &bad), 0);
	CHECK(bad);
	CHECK_U64(uleb("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12, &bad), 1);   /* padded */
	CHECK(!bad);
	CHECK_U64(uleb("\x80\x80", 2, &bad), 0);
	CHECK(bad);
	CHECK_U64(sleb("\x7f", 1, &bad), (uint64_t)-1);
	CHECK_U64(sleb("\x80\x7f", 2, &bad), (uint64_t)-128);
	CHECK_U64(sleb("\x3f", 1, &bad), 63);
	CHECK_U64(sleb("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, &bad), (uint64_t)INT64_MIN);
	CHECK(!bad);
	CHECK_U64(sleb("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, &bad), INT64_MAX);
	CHECK(!bad);
	CHECK_U64(sleb("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x05", 10, &bad), 0);
	CHECK(bad);
}

static void
leb128_costs_little(void)
{
	static uint8_t b[1 << 16];
	struct cursor c;

	memset(b, 0x80, sizeof b);
	c = cur_of(b, sizeof b, false);
	CHECK_U64(cur_uleb(&c), 0);
	CHECK_STR(c.bad, "LEB128 value too large");
	c = cur_of(b, sizeof b, false);
	CHECK_U64(cur_sleb(&c), 0);
	CHECK_STR(c.bad, "LEB128 value too large");
}

static void
strings_end_inside(void)
{
	struct cursor c = cur_of("ab\0cd", 5, false);

	CHECK_STR(cur_str(&c), "ab");
	CHECK_STR(cur_str(&c), "");
	CHECK_STR(c.bad, "string does not end");
}

static void
sub_and_slice_stay_inside(void)
{
	static const uint8_t b[] = { 1, 2, 3, 4, 5 };
	struct cursor c = cur_of(b, 5, true), s = cur_slice(&c, 1, 3);

	CHECK(s.pos == b + 1 && cur_left(&s) == 3 && s.big && !s.bad && c.pos == b);
	s = cur_slice(&c, 3, 3);
	CHECK(s.bad && !cur_left(&s) && !c.bad);
	s = cur_slice(&c, UINT64_MAX, 2);
	CHECK(s.bad && !cur_left(&s));
	s = cur_slice(&c, 5, 0);
	CHECK(!s.bad && !cur_left(&s));
	s = cur_sub(&c, 2);
	CHECK(cur_left(&s) == 2 && c.pos == b + 2);
	s = cur_sub(&c, 4);
	CHECK(s.bad && c.bad && !cur_left(&c));
}

int
main(void)
{
	RUN("cursor", reads_both_byte_orders);
	RUN("cursor", past_the_end_is_zero_and_bad);
	RUN("cursor", leb128);
	RUN("cursor", leb128_costs_little);
	RUN("cursor", strings_end_inside);
	RUN("cursor", sub_and_slice_stay_inside);
	return TEST_STATUS;
}
