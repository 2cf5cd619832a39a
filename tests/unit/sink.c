#include "test.h"

#include "lib/sink.c"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

/* What was written to S, which it closes. */
static const char *
text_of(struct sink *s)
{
	static char text[4096];

	memcpy(text, s->buf, s->len);
	text[s->len] = 0;
	sink_close(s);
	return text;
}

static const char *
json(const char *str)
{
	struct sink s;

	sink_open(&s, -1);
	sink_json(&s, str);
	return text_of(&s);
}

static void
json_is_escaped(void)
{
	CHECK_STR(json(""), "\"\"");
	CHECK_STR(json("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	CHECK_STR(json("\x01\n\t\x1f\x7f"), "\"\\u0001\\u000a\\u0009\\u001f\\u007f\"");
}

static void
json_is_utf8(void)
{
	CHECK_STR(json("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"), "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\"");
	CHECK_STR(json("\xff"), "\"\xef\xbf\xbd\"");
	CHECK_STR(json("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_STR(json("\xed\xa0\x80."), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.\"");
	CHECK_STR(json("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_STR(json("\xe2\"x"), "\"\xef\xbf\xbd\\\"x\"");
	CHECK_U64(utf8_len("\xf4\x8f\xbf\xbf"), 4);
	CHECK_U64(utf8_len("\xf4\x90\x80\x80"), 0);
	CHECK_U64(utf8_len("\xf0\x8f\xbf\xbf"), 0);
	CHECK_U64(utf8_len("\xe0\x9f\xbf"), 0);
	CHECK_U64(utf8_len("\xee\x80\x80"), 3);
	CHECK_U64(utf8_len("\xf5\x80\x80\x80"), 0);
	CHECK_U64(utf8_len("\x80"), 0);
}

static const char *
decimal(uint64_t v, unsigned places)
{
	struct sink s;

	sink_open(&s, -1);
	sink_decimal(&s, v, places);
	return text_of(&s);
}

static void
numbers_are_whole(void)
{
	struct sink s;

	sink_open(&s, -1);
	sink_u64(&s, 0);
	sink_char(&s, ' ');
	sink_u64(&s, 4294967295u);
	sink_char(&s, ' ');
	sink_u64(&s, 4294967296u);
	sink_char(&s, ' ');
	sink_u64(&s, 4294967296000000005u);
	sink_char(&s, ' ');
	sink_u64(&s, UINT64_MAX);
	sink_char(&s, ' ');
	sink_hex(&s, 0);
	sink_char(&s, ' ');
	sink_hex(&s, 0xdeadbeef12345678);
	sink_char(&s, ' ');
	sink_hex(&s, UINT64_MAX);
	CHECK_STR(text_of(&s), "0 4294967295 4294967296 4294967296000000005 18446744073709551615 0 deadbeef12345678 ffffffffffffffff");
	CHECK_STR(decimal(1500, 3), "1.5");
	CHECK_STR(decimal(0, 9), "0");
	CHECK_STR(decimal(7, 0), "7");
	CHECK_STR(decimal(1001001, 9), "0.001001001");
	CHECK_STR(decimal(2000000000, 9), "2");
	CHECK_STR(decimal(100, 3), "0.1");
	CHECK_STR(decimal(UINT64_MAX, 19), "1.8446744073709551615");
	CHECK_STR(decimal(9999999999999, 13), "0.9999999999999");
}

static void
a_file_gets_every_byte(void)
{
	char path[] = "/tmp/sink-XXXXXX", *big = malloc(300000), *back = malloc(300001);
	int fd = mkstemp(path);
	struct sink s;
	size_t total = 0;

	unlink(path);
	for (unsigned i = 0; i < 300000; i++)
		big[i] = (char)('a' + i % 26);
	sink_open(&s, fd);
	for (size_t n = 1; total < 300000; n = n * 3 + 1) {
		size_t part = n < 300000 - total ? n : 300000 - total;

		sink_put(&s, big + total, part);
		total += part;
		CHECK_U64(sink_total(&s), total);
	}
	CHECK_U64(sink_close(&s), 0);
	CHECK(pread(fd, back, 300001, 0) == 300000);
	CHECK(memcmp(big, back, 300000) == 0);
	close(fd);
	free(big);
	free(back);
}

static void
the_first_failure_stays(void)
{
	int fd = open("/dev/full", O_WRONLY), p[2];
	struct sink s;

	sink_open(&s, fd);
	for (unsigned i = 0; i < 100000; i++)
		sink_str(&s, "text");
	sink_fail(&s, EPIPE);
	CHECK_U64(sink_close(&s), ENOSPC);
	close(fd);
	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(p) == 0);
	close(p[0]);
	sink_open(&s, p[1]);
	sink_str(&s, "text");
	CHECK_U64(sink_flush(&s), EPIPE);
	sink_str(&s, "more");
	CHECK_U64(sink_close(&s), EPIPE);
	close(p[1]);
}

static void
no_memory_is_a_failure_too(void)
{
	struct sink s;

	mem_cap(mem_used());
	sink_open(&s, -1);
	sink_str(&s, "text");
	sink_char(&s, 'x');
	sink_u64(&s, 5);
	CHECK_U64(sink_close(&s), ENOMEM);
	mem_cap(SIZE_MAX);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("sink", json_is_escaped);
	RUN("sink", json_is_utf8);
	RUN("sink", numbers_are_whole);
	RUN("sink", a_file_gets_every_byte);
	RUN("sink", the_first_failure_stays);
	RUN("sink", no_memory_is_a_failure_too);
	return TEST_STATUS;
}
