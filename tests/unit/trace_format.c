#include "sample/events/trace_format.c"

#include "test.h"

static const char openat[] =
	"name: sys_enter_openat\nID: 640\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 addr[6];\toffset:36;\tsize:6;\tsigned:0;\n"
	"\tfield:long ret;\toffset:48;\tsize:8;\tsigned:1;\n"
	"\nprint fmt: \"field:int x;\toffset:0;\tsize:4;\", REC->x\n";

static const uint8_t record[] = {
	7, 2, 0, 0, 0xff, 0xff, 0xff, 0xff, 'b', 'a', 's', 'h', 0, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x',
	0x10, 0x20, 0, 0, 0, 0, 0, 0, 56, 0, 3, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0,
	0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'e', 't', 'h',
};

static const char *
said(const char *field, size_t bytes)
{
	static char words[64];
	struct trace_field f;

	if (!trace_format_find(openat, field, &f))
		return "no such field";
	trace_field_say(&f, cur_of(record, bytes, false), words, sizeof words);
	return words;
}

static void
fields_of_all_kinds(void)
{
	CHECK_STR(said("common_type", sizeof record), "common_type=519");
	CHECK_STR(said("common_pid", sizeof record), "common_pid=-1");
	CHECK_STR(said("prev_comm", sizeof record), "prev_comm=bash");
	CHECK_STR(said("filename", sizeof record), "filename=0x2010");
	CHECK_STR(said("name", sizeof record), "name=eth");
	CHECK_STR(said("addr", sizeof record), "addr=[6 bytes]");
	CHECK_STR(said("ret", sizeof record), "ret=-2");
	CHECK_STR(said("x", sizeof record), "no such field");
}

static void
short_records(void)
{
	CHECK_STR(said("ret", 50), "ret=?");
	CHECK_STR(said("prev_comm", 9), "prev_comm=?");
	CHECK_STR(said("name", 36), "name=");
	CHECK_STR(said("common_pid", 0), "common_pid=?");
}

/* As the kernel describes arguments: each in a register of its own, and none of them signed. */
static void
arguments_of_system_calls(void)
{
	static const char call[] =
		"\tfield:int dfd;\toffset:0;\tsize:8;\tsigned:0;\n\tfield:const clockid_t which;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned int fd;\toffset:0;\tsize:8;\tsigned:0;\n\tfield:int flags;\toffset:0;\tsize:4;\tsigned:0;\n"
		"\tfield:long n;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:size_t count;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long addr;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:int * p;\toffset:8;\tsize:8;\tsigned:0;\n";
	static const uint8_t of[] = { 0x9c, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const char *const words[] = { "dfd=-100", "which=-100", "fd=4294967196", "flags=-100", "n=-2", "count=18446744073709551614",
	                                     "addr=18446744073709551614", "p=0xfffffffffffffffe" };
	const char *at = call;
	struct trace_field f;
	char is[64];

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		CHECK(trace_format_next(&at, &f));
		trace_field_say(&f, cur_of(of, sizeof of, false), is, sizeof is);
		CHECK_STR(is, words[i]);
	}
}

static void
lines_that_are_no_fields(void)
{
	static const char *const bad[] = { "", "field:", "field:int;\toffset:0;\tsize:4;", "field:int x;\toffset:0;", "field:int x;\tsize:4;",
	                                   "field:int x;\toffset:99999999;\tsize:4;", "field:int x\toffset:0;\tsize:4", "field: ;offset:0;size:4;",
	                                   "field:int xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;\toffset:0;\tsize:4;" };
	struct trace_field f;

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *text = bad[i];

		CHECK(!trace_format_next(&text, &f) && !*text);
	}
}

int
main(void)
{
	RUN("trace_format", fields_of_all_kinds);
	RUN("trace_format", short_records);
	RUN("trace_format", arguments_of_system_calls);
	RUN("trace_format", lines_that_are_no_fields);
	return TEST_STATUS;
}
