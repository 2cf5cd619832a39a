#include "test.h"

#include "out/format/script.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

/* Reads TEXT into a profile; what is wrong with it, and how many lines stand before that. */
static const char *
read_text(struct profile *p, const char *text, unsigned *lines)
{
	struct cursor in = cur_of(text, strlen(text), false);
	const char *why;

	profile_init(p);
	why = script_read(p, &in);
	*lines = 0;
	for (const char *s = text; s < (const char *)in.pos; s++)
		*lines += *s == '\n';
	profile_name(p, NULL, NULL);
	return why;
}

/* What TEXT becomes in folded form. */
static void
check(const char *text, const char *want)
{
	struct profile p;
	unsigned lines;
	const char *why = read_text(&p, text, &lines);
	char *folded = made_text(&format_folded, &p);

	CHECK_STR(why ? why : "", "");
	CHECK_STR(folded, want);
	CHECK(format_script.is(cur_of(text, strlen(text), false)));
	free(folded);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
check_bad(const char *text, const char *want, unsigned at)
{
	struct profile p;
	unsigned lines;
	const char *why = read_text(&p, text, &lines);

	CHECK_STR(why ? why : "", want);
	CHECK_U64(lines, at);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
check_written(void (*make)(struct profile *), const char *file)
{
	struct profile p;
	char *text;

	make(&p);
	text = made_text(&format_script, &p);
	CHECK(golden(text, file));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void a_plain_profile(void) { check_written(made_plain, "plain.perf"); }
static void two_events(void) { check_written(made_events, "events.perf"); }

/* Lines are either a sample's, with one number before the time, or a frame's, whatever names hold. */
static void
hostile_names_keep_the_grammar(void)
{
	struct profile p;
	char *text;

	check_written(made_hostile, "hostile.perf");
	made_hostile(&p);
	text = made_text(&format_script, &p);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *paren = strrchr(line, '(');

		for (const char *s = line; *s; s += utf8_len(s) ? utf8_len(s) : 1)
			CHECK(utf8_len(s) && ((unsigned char)*s >= 0x20 || (s == line && *s == '\t')));
		if (*line == '\t')
			CHECK(paren && paren[-1] == ' ' && line[strlen(line) - 1] == ')' && !strchr(paren, ' '));
		else if (*line != '#')
			CHECK(*line != ' ' && strlen(line) > 2 && strcmp(line + strlen(line) - 2, ": ") == 0);
	}
	free(text);
	profile_free(&p);
}

/* At the memory cap functions have no number: their frames are left out. */
static void
without_functions(void)
{
	struct profile p;
	char *whole, *text;

	made_plain(&p);
	whole = made_text(&format_script, &p);
	for (uint32_t i = 0; i < p.nsite; i++)
		p.site[i].function = UINT32_MAX;
	text = made_text(&format_script, &p);
	CHECK(strchr(whole + 20, '\t') && !strchr(text, '\t') && strlen(text) > 100);
	free(whole);
	free(text);
	profile_free(&p);
}

/* prof reads back what it has written, except for things that the grammar has no room for. */
static void
check_round(void (*make)(struct profile *))
{
	struct profile p, q;
	unsigned lines;
	char *text, *before, *after;

	make(&p);
	text = made_text(&format_script, &p);
	before = made_text(&format_folded, &p);
	CHECK_STR(read_text(&q, text, &lines) ? "wrong" : "", "");
	after = made_text(&format_folded, &q);
	CHECK_STR(after, before);
	CHECK_U64(q.samples, p.samples);
	CHECK_U64(q.nthread, p.nthread);
	CHECK_U64(q.event[0].period_ns, p.event[0].period_ns);
	CHECK_STR(q.command, p.command);
	free(text);
	free(before);
	free(after);
	profile_free(&p);
	profile_free(&q);
	CHECK_U64(mem_used(), 0);
}

static void
what_is_written_is_read(void)
{
	check_round(made_plain);
	check_round(made_events);
	check_round(made_deep);
	check_round(made_threads);
}

static void
perfs_own_text(void)
{
	check("sh 23458 11613.486565:    1001001 cpu-clock:ppp: \n"
	      "\t           f77e3 __GI___stat64+0x3 (/usr/lib/libc.so.6)\n\n"
	      "ls 23460 11613.487842:    1001001 cpu-clock:ppp: \n"
	      "\tffffffff813a4413 finish_task_switch.isra.0+0x93 ([kernel.kallsyms])\n"
	      "\tffffffffc0123456 ext4_read+0x12 ([ext4])\n"
	      "\t           2724a [unknown] (/usr/lib/libc.so.6)\n"
	      "\t          2724ab operator new(unsigned long)+0x1f (/usr/lib/libstdc++.so.6)\n"
	      "\t               0 [unknown] ([unknown])\n\n",
	      "ls;[unknown];operator new(unsigned long);[libc.so.6];ext4_read_[k];finish_task_switch.isra.0_[k] 1\n"
	      "sh;__GI___stat64 1\n");
}

static void
columns_that_perf_may_print(void)
{
	/* a CPU, both numbers, nanoseconds; no stacks, so a frame in the same line; a comm with blanks and numbers */
	check("V8 Worker 12 100/101 [003] 5.000000001:    1000 cpu-clock: \n\t 1 f (/x)\n\n", "V8 Worker 12;f 1\n");
	check("              sh 23458 11613.486565:    1001001 cpu-clock:ppp:      7f36719e47e3 __GI___stat64+0x3 (/usr/lib/libc.so.6)\n"
	      "              dd 23458 11613.486566:    1001001 cpu-clock:ppp:      7f36719e47e3 main+0x3 (/bin/dd)\n",
	      "dd;main 1\nsh;__GI___stat64 1\n");
	/* no period; no event */
	check("a 1 5.1: cycles: \n\t 1 f (/x)\n\na 1 5.2: \n\t 1 f (/x)\n\n", "a;[cycles];f 1\na;[samples];f 1\n");
	/* a tracepoint's own text */
	check("perf  2309 [000] 12053.337899: sched:sched_switch: prev_comm=perf prev_pid=2309 prev_prio=120 prev_state=D ==> "
	      "next_comm=migration/0 next_pid=18\n\tffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])\n\n",
	      "perf;__schedule_[k] 1\n");
	/* counts are weights; the ends of lines may be another system's, the last one missing */
	check("a 1 5.1:  250000 cycles: \r\n\t 1 f (/x)\r\n\r\na 1 5.2:  250001 cycles: \r\n\t 1 f (/x)", "a;f 500001\n");
	/* stacks in blanks, as mail has them */
	check("a 1 5.1: cycles: \n        1 f (/x)\n        2 g (/x)\n\n", "a;g;f 1\n");
	check("# a comment\n# another\n\nswapper     0 [000] 1.5: cpu-clock: \n\t 1 f (/x)\n\n", "swapper;f 1\n");
}

static void
inlined_functions(void)
{
	check("a 1 5.1: 7 cycles: \n\t 10 deep (inlined)\n\t 10 mid (inlined)\n\t 10 real+0x4 (/bin/x)\n\t 20 main+0x9 (/bin/x)\n\n",
	      "a;main;real;mid_[i];deep_[i] 7\n");
	check("a 1 5.1: 7 cycles: \n\t 10 alone (inlined)\n\n", "a;alone_[i] 7\n");
}

static void
source_lines(void)
{
	struct profile p;
	unsigned lines;

	read_text(&p, "a 1 5.1: 7 cycles: \n\t 10 deep (inlined)\n  x.h:7\n\t 10 real+0x4 (/bin/x)\n  x.c:29\n\t 20 main (/bin/x)\n\n", &lines);
	CHECK_U64(p.samples, 1);
	CHECK_U64(p.nlocation, 2);
	CHECK_U64(p.location[0].sites, 2);
	CHECK_U64(p.site[p.location[0].site].line, 29);
	CHECK_U64(p.site[p.location[0].site + 1].line, 7);
	CHECK_STR(p.function[p.site[p.location[0].site + 1].function].name, "deep");
	CHECK_STR(p.function[p.site[p.location[0].site].function].module, "x");
	CHECK_U64(p.nmapping, 1);
	CHECK_STR(p.mapping[0].file, "/bin/x");
	profile_free(&p);
}

static void
names_with_parentheses(void)
{
	check("a 1 5.1: 1 c: \n\t 1 ::(anonymous namespace)::f(int (*)()) (/x)\n\t 2 g (h) (/x (deleted))\n\n", "a;g (h);(anonymous namespace)::f(int (*)()) 1\n");
}

static void
kinds(void)
{
	static const struct {
		const char *file;
		enum function_kind kind;
		const char *module;
	} all[] = {
		{ "/usr/bin/a", FUNCTION_USER, "a" },            { "[kernel.kallsyms]", FUNCTION_KERNEL, "[kernel]" },
		{ "[kernel.kallsyms]_stext", FUNCTION_KERNEL, "[kernel]" }, { "[ext4]", FUNCTION_KERNEL, "[ext4]" },
		{ "/lib/modules/x/ext4.ko", FUNCTION_KERNEL, "ext4.ko" }, { "/boot/vmlinux-6", FUNCTION_KERNEL, "vmlinux-6" },
		{ "[vdso]", FUNCTION_USER, "[vdso]" },           { "/tmp/perf-12.map", FUNCTION_JIT, "[jit]" },
		{ "/root/.debug/jit/jitted-1-2.so", FUNCTION_JIT, "[jit]" }, { "[jit]", FUNCTION_JIT, "[jit]" },
		{ "[unknown]", FUNCTION_USER, "" },
	};

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		struct profile p;
		char text[256];
		unsigned lines;

		snprintf(text, sizeof text, "a 1 5.1: 7 cycles: \n\t 10 f (%s)\n\n", all[i].file);
		read_text(&p, text, &lines);
		CHECK_U64(p.nfunction, 1);
		CHECK_U64(p.function[0].kind, all[i].kind);
		CHECK_STR(p.function[0].module, all[i].module);
		profile_free(&p);
	}
}

static void
times_and_threads(void)
{
	struct profile p;
	struct run_reader r;
	struct run run;
	unsigned lines;

	read_text(&p, "a 1/2 10.5: 1000000 cpu-clock: \n\t 1 f (/x)\n\na 1/3 10.504: 1000000 cpu-clock: \n\t 1 f (/x)\n\n"
	              "a 1/2 10.506: 2000000 cpu-clock: \n\t 1 g (/x)\n\n", &lines);
	CHECK_U64(p.nthread, 2);
	CHECK_U64(p.thread[0].pid, 1);
	CHECK_U64(p.thread[0].tid, 2);
	CHECK_U64(p.event[0].period_ns, 1000000);
	CHECK_U64(p.start, 10499000000);
	CHECK_U64(p.end, 10506000000);
	runs_open(&r, &p, &p.thread[0]);
	CHECK(runs_next(&r, &run));
	CHECK_U64(run.start, 1000000);
	CHECK(runs_next(&r, &run));
	CHECK_U64(run.start, 7000000);
	CHECK_U64(run.weight, 2);
	profile_free(&p);
}

static void
what_is_no_sample(void)
{
	check("a 1 5.0: PERF_RECORD_COMM exec: a:1/1\na 1 5.0: PERF_RECORD_FORK(1:1):(2:2)\n\na 1 5.1: 7 cycles: \n\t 10 f (/x)\n\n", "a;f 7\n");
}

static void
a_second_text_joins_the_first(void)
{
	static const char text[] = "a 1 900.5: 1000000 cpu-clock: \n\t 1 f (/x)\n\n";
	struct cursor in = cur_of(text, strlen(text), false);
	struct profile p;
	unsigned lines;
	char *folded;

	read_text(&p, "a 1 5.5: 1000000 cpu-clock: \n\t 1 f (/x)\n\n", &lines);
	CHECK(!script_read(&p, &in));
	profile_name(&p, NULL, NULL);
	CHECK_U64(p.end, 5500000000);
	folded = made_text(&format_folded, &p);
	CHECK_STR(folded, "a;f 2\n");
	free(folded);
	profile_free(&p);
}

static void
what_is_wrong_is_told_by_line(void)
{
	check_bad("\t 10 f (/x)\n", "this frame belongs to no sample", 0);
	check_bad("a 1 5.1: 7 cycles: \n\t 10 f (/x)\n\nnonsense here\n", "this is neither a sample nor a frame", 3);
	check_bad("# ========\nhello\n", "this is neither a sample nor a frame", 1);
	check_bad("a 99999999999 5.1: 7 cycles: \n", "this is neither a sample nor a frame", 0);
	check_bad("a 1 99999999999999999999.1: 7 cycles: \n", "this is neither a sample nor a frame", 0);
	CHECK(!script_is(cur_of("main;f 12\n", 10, false)));
	CHECK(!script_is(cur_of("{\"a\": 1}\n", 9, false)));
	CHECK(!script_is(cur_of("", 0, false)));
	CHECK(!script_is(cur_of("# a comment", 11, false)));
	check_bad("a 1/1 1.0: 36028797018963968 cycles: \n\na 1/1 2.0: 36028797018963968 cycles: \n\na 1/1 3.0: 1 cycles: \n",
	          "the sum of the weights is too large", 4);
	check_bad("a 1/1 1.0: 18446744073709551615 cycles: \n", "the sum of the weights is too large", 1);
}

int
main(void)
{
	RUN("script", a_plain_profile);
	RUN("script", two_events);
	RUN("script", hostile_names_keep_the_grammar);
	RUN("script", without_functions);
	RUN("script", what_is_written_is_read);
	RUN("script", perfs_own_text);
	RUN("script", columns_that_perf_may_print);
	RUN("script", inlined_functions);
	RUN("script", source_lines);
	RUN("script", names_with_parentheses);
	RUN("script", kinds);
	RUN("script", times_and_threads);
	RUN("script", what_is_no_sample);
	RUN("script", a_second_text_joins_the_first);
	RUN("script", what_is_wrong_is_told_by_line);
	return TEST_STATUS;
}
