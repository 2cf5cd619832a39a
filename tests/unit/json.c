#include "test.h"

#include "lib/json.c"

#include "lib/mem.h"

#include <stdlib.h>

/* The text lies at the end of its allocation, so that reading past it is seen. */
static struct cursor
text_of(const char *s)
{
	static char *bytes;

	free(bytes);
	bytes = malloc(strlen(s) + !*s);
	memcpy(bytes, s, strlen(s));
	return cur_of(bytes, strlen(s), false);
}

static const char *
string(const char *s)
{
	static char copy[256];
	struct cursor c = text_of(s);
	struct sink text;

	sink_open(&text, -1);
	snprintf(copy, sizeof copy, "%s", json_string(&c, &text));
	if (c.bad)
		snprintf(copy, sizeof copy, "%s at %ld", c.bad, (long)(c.pos - (c.end - strlen(s))));
	sink_close(&text);
	return copy;
}

static void
strings_are_unescaped(void)
{
	CHECK_STR(string("\"\""), "");
	CHECK_STR(string(" \n\t\r\"a;b\""), "a;b");
	CHECK_STR(string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\/\b\f\n\r\t");
	CHECK_STR(string("\"\\u0041\\u00e9\\u20AC\\ud83d\\udd25\""), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
	CHECK_STR(string("\"\\ud83dx\\udd25\\u0000\\ud83d\\u0041\""), "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "A");
	CHECK_STR(string("\"\xff\x80\""), "\xff\x80");
	CHECK_STR(string("\"abc"), "a string does not end at 4");
	CHECK_STR(string("\"abc\\"), "an escape is invalid at 5");
	CHECK_STR(string("\"abc\\x\""), "an escape is invalid at 5");
	CHECK_STR(string("\"\\u12"), "an escape is invalid at 5");
	CHECK_STR(string("\"\\ud83d\\u12"), "an escape is invalid at 11");
	CHECK_STR(string("\"a\nb\""), "a string holds a control character at 2");
	CHECK_STR(string("12"), "this should be a string at 0");
	CHECK_STR(string(""), "the text ends too early at 0");
}

static int64_t
number(const char *s, unsigned places)
{
	struct cursor c = text_of(s);
	int64_t v = json_number(&c, places);

	return c.bad ? INT64_MIN : v;
}

static void
numbers_are_scaled(void)
{
	CHECK_U64(number("0", 0), 0);
	CHECK_U64(number("-12", 0), -12);
	CHECK_U64(number("1.5", 3), 1500);
	CHECK_U64(number("0.001001001", 9), 1001001);
	CHECK_U64(number("1e3", 0), 1000);
	CHECK_U64(number("1.25E+2", 0), 125);
	CHECK_U64(number("125e-2", 0), 1);
	CHECK_U64(number("0.5", 0), 1);
	CHECK_U64(number("0.49999999999999999999999999", 0), 0);
	CHECK_U64(number("1e-400", 9), 0);
	CHECK_U64(number("0e99999999999", 9), 0);
	CHECK_U64(number("9223372036854775807", 0), INT64_MAX);
	CHECK_U64(number("9223372036854775808", 0), INT64_MIN);
	CHECK_U64(number("12345678901234567890123", 0), INT64_MIN);
	CHECK_U64(number("1e400", 0), INT64_MIN);
	CHECK_U64(number("10000000000.000000000000000000000000000", 0), 10000000000);
	CHECK_U64(number("1234567.891234567891", 3), 1234567891);
	CHECK_U64(number("-", 0), INT64_MIN);
	CHECK_U64(number("1.", 0), INT64_MIN);
	CHECK_U64(number("1e", 0), INT64_MIN);
	CHECK_U64(number("NaN", 0), INT64_MIN);
	CHECK_U64(number("", 0), INT64_MIN);
}

/* Skips one value: says what is wrong, or "", and how many bytes it read. */
static const char *
skipped(const char *s, size_t *n)
{
	struct cursor c = text_of(s);
	size_t all = cur_left(&c);

	json_skip(&c);
	*n = all - cur_left(&c);
	return c.bad ? c.bad : "";
}

static void
values_are_skipped_whole(void)
{
	static const char *const good[] = { "1", "-1.5e+3", "true", "false", "null", "\"a\\\"b\"", "[]", "{}", "[[],[{}],{\"a\":[]}]",
		"{\"a\":1,\"b\":{\"c\":[1,2,{\"d\":\"}\"}]}}", "[ 1 , 2 ]", "{ \"a\" : \"b\" }" };
	static const char *const bad[] = { "", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "{\"a\"", "{\"a\":", "{\"a\":1",
		"{\"a\":1,}", "{1:2}", "{\"a\" 1}", "tru", "nope", "]", "{]", "\"a" };
	char deep[200];
	size_t n;

	for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
		CHECK_STR(skipped(good[i], &n), "");
		CHECK_U64(n, strlen(good[i]));
	}
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(*skipped(bad[i], &n) != 0);
	memset(deep, '[', 64);
	memset(deep + 64, ']', 64);
	deep[128] = 0;
	CHECK_STR(skipped(deep, &n), "");
	memset(deep, '[', 65);
	CHECK_STR(skipped(deep, &n), "lists are nested too deeply");
	CHECK_U64(n, 64);
}

static void
lists_are_walked(void)
{
	struct cursor c = text_of(" { \"a\" : [ 1 , 2,3 ], \"b\":[], \"c\\u0064\" :4 } x");
	struct json_list object, array;
	struct sink text;
	int64_t sum = 0;
	unsigned keys = 0;

	sink_open(&text, -1);
	CHECK(json_peek(&c) == '{');
	for (object = json_open(&c, '{'); json_next(&c, &object); keys++) {
		CHECK_STR(json_key(&c, &text), keys == 0 ? "a" : keys == 1 ? "b" : "cd");
		if (json_peek(&c) != '[') {
			sum = sum * 10 + json_number(&c, 0);
			continue;
		}
		for (array = json_open(&c, '['); json_next(&c, &array);)
			sum = sum * 10 + json_number(&c, 0);
	}
	CHECK_U64(keys, 3);
	CHECK_U64(sum, 1234);
	CHECK(!c.bad && json_peek(&c) == 'x');
	array = json_open(&c, '[');
	CHECK_STR(c.bad, "this should be an array");
	CHECK(!json_next(&c, &array) && *c.pos == 'x');
	sink_close(&text);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("json", strings_are_unescaped);
	RUN("json", numbers_are_scaled);
	RUN("json", values_are_skipped_whole);
	RUN("json", lists_are_walked);
	return TEST_STATUS;
}
