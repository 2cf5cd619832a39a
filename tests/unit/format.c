/* link: lib/mem.c lib/cursor.c lib/index.c lib/sink.c out/profile.c out/profile_names.c out/timeline.c out/tree.c out/merge.c out/cell.c lib/file.c out/folded.c out/read_folded.c out/svg.c out/svg_text.c out/svg_color.c out/svg_frames.c out/svg_data.c out/flame.c out/script.c out/script_read.c out/script_line.c out/speedscope.c out/table.c out/report_rows.c out/report_tree.c lib/regex.c out/pprof.c out/pprof_read.c out/pprof_put.c out/pprof_tables.c out/pprof_types.c out/html.c lib/deflate.c lib/crc.c tests/data/html_page.c out/speedscope_read.c out/speedscope_track.c lib/json.c */
#include "test.h"

#include "../../out/format.c"

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
