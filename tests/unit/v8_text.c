/* Names and lines of V8's functions. */
#include "v8process.h"

static void
check_name(uint64_t name, uint64_t of_script, const char *what)
{
	static uint32_t next = 1000;

	put_frame(2, context, function(name, of_script), 0);
	moment.code = (uint32_t[]){ code[0], code[0], code_intern(&codes, made->id, next++), code[0] };
	ask();
	CHECK_U64(to.n, 1);
	check_frame(0, what, 0, 2);
}

static void
names_of_all_kinds(void)
{
	uint64_t wide, chars, outside, none, first, none_script;

	start(&of_11);
	put_frame(1, number(18), inner, 0);
	none_script = script_of("/a/b.js", undefined);
	wide = object(TWO, 16);
	put(wide, 8, number(3));
	put(wide, 16, UINT64_C(0x0041d83d20ac00e9));
	chars = take(8);
	put_word(chars, UINT64_C(0x65646973));
	outside = string_of(OUTSIDE_TYPE, 4, 0, chars);
	none = string("");
	first = string_of(CONS_TYPE, 8, string("get "), string("size"));
	check_name(wide, none_script, "b.js:\xc3\xa9\xe2\x82\xac?");
	check_name(outside, none_script, "b.js:side");
	check_name(first, none_script, "b.js:get size");
	check_name(string_of(CONS_TYPE, 10, first, string("!\n")), none_script, "b.js:get size!?");
	check_name(string_of(CONS_TYPE, 4, string("self"), none), none_script, "b.js:self");
	check_name(string_of(SLICED_TYPE, 3, string("abcdef"), number(2)), none_script, "b.js:cde");
	check_name(string_of(THIN_TYPE, 3, string("abc"), 0), none_script, "b.js:abc");
	check_name(none, none_script, "b.js:(anonymous)");
	check_name(undefined, script_of("file:///a/m.mjs", undefined), "m.mjs:(anonymous)");
	check_name(string("load"), script_of("node:internal/modules/esm", undefined), "node:internal/modules/esm:load");
	check_name(string("f"), script_of(NULL, undefined), "<eval>:f");
	first = string_of(CONS_TYPE, 8, none, none);
	put(first, 16, first);                             /* a circle */
	put(first, 24, first);
	check_name(first, none_script, "b.js:(anonymous)");
	stop();
}

static uint32_t
line_at(uint64_t source, uint32_t position, uint32_t pieces)
{
	static struct v8_lines lines;
	static struct look look;

	look_begin(&look, &moment, 4000);
	return v8_line(&lines, &look, &v8, source, position, &pieces);
}

static void
lines_of_sources(void)
{
	enum { LONG = 3 * V8_LINES_PIECE };
	uint64_t source, wide;

	start(&of_11);
	source = object(ONE, 8 + LONG);
	put(source, 8, number(LONG));
	for (uint32_t i = 0; i < LONG; i++)
		memory[source - 1 + 16 - BASE + i] = i % 100 == 99 ? '\n' : ' ';
	memory[source - 1 + 16 - BASE + V8_LINES_PIECE - 1] = '\r';
	memory[source - 1 + 16 - BASE + V8_LINES_PIECE] = '\n';   /* one end of a line in two pieces */
	CHECK_U64(line_at(source, 0, 9), 1);
	CHECK_U64(line_at(source, 99, 9), 1);
	CHECK_U64(line_at(source, 100, 9), 2);
	CHECK_U64(line_at(source, 2 * V8_LINES_PIECE + 1, 0), 0);
	CHECK_U64(line_at(source, 2 * V8_LINES_PIECE + 1, 2), 2 * V8_LINES_PIECE / 100 + 2);
	CHECK_U64(line_at(source, LONG, 9), LONG / 100 + 2);
	CHECK_U64(line_at(source, LONG + 1, 9), 0);
	wide = object(TWO, 24);
	put(wide, 8, number(4));
	put(wide, 16, UINT64_C(0x0041000a2028000d));
	CHECK_U64(line_at(wide, 3, 9), 4);
	CHECK_U64(line_at(undefined, 0, 9), 0);
	stop();
}

int
main(void)
{
	RUN("v8_text", names_of_all_kinds);
	RUN("v8_text", lines_of_sources);
	return TEST_STATUS;
}
