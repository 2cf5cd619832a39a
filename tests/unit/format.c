/* link: tests/data/pages_xz.c */
#include "test.h"

#include "out/formats.c"
#include "out/formats.h"

static void
a_suffix_says_the_format(void)
{
	CHECK(format_of_file("x.folded") == &format_folded);
	CHECK(format_of_file("a.b/x.collapsed") == &format_folded);
	CHECK(format_of_file("x.json") == &format_speedscope);
	CHECK(format_of_file("x.txt.speedscope") == &format_speedscope);
	CHECK(format_of_file("x.speedscope.json") == &format_speedscope);
	CHECK(format_of_file("x.html") == &format_html);
	CHECK(format_of_file("x.svg") == &format_svg);
	CHECK(format_of_file("x.perf") == &format_script);
	CHECK(format_of_file(".txt") == &format_table);
	CHECK(!format_of_file("x"));
	CHECK(!format_of_file(""));
	CHECK(!format_of_file("-"));
	CHECK(!format_of_file("json"));
	CHECK(!format_of_file("x.jsonl"));
	CHECK(!format_of_file("x.json "));
	CHECK(!format_of_file("x.json .speedscope "));
	CHECK(!format_of_file("x.json/y"));
	CHECK(format_of_file("x.json.gz") == &format_speedscope && format_packed("x.json.gz"));
	CHECK(format_of_file("x.folded.gz") == &format_folded);
	CHECK(!format_packed("x.json") && !format_packed(".gz"));
	CHECK(!format_of_file("x.gz"));
	CHECK(!format_of_file(".gz"));
	CHECK(!format_of_file("x.json.gz.gz"));
}

static void
a_name_says_it_too(void)
{
	CHECK(format_named("folded") == &format_folded);
	CHECK(format_named("speedscope") == &format_speedscope);
	CHECK(format_named("table") == &format_table);
	CHECK(!format_named("json"));
	CHECK(!format_named(""));
}

int
main(void)
{
	RUN("format", a_suffix_says_the_format);
	RUN("format", a_name_says_it_too);
	return TEST_STATUS;
}
