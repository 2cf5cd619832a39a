#include "test.h"

#include "out/report/report_rows.c"

#include "out/format/folded_read.h"
#include "out/report/report_diff.h"
#include "lib/columns.h"
#include "out/profile/profile_names.h"
#include "out/report/report_text.h"
#include "out/report/table.h"
#include "profiles.h"

static void
folded(struct profile *p, const char *text)
{
	struct cursor c = cur_of(text, strlen(text), false);

	profile_init(p);
	CHECK(!folded_read(p, &c));
	profile_name(p, NULL, NULL);
}

static char *
shown(const struct profile *p, const struct report *how)
{
	struct sink s;
	char *text;

	sink_open(&s, -1);
	report_write(&s, p, how);
	text = calloc(1, s.len + 1);
	memcpy(text, s.buf, s.len);
	CHECK_U64(sink_close(&s), 0);
	return text;
}

/* The text of folded stacks, shown so, is WANT. */
static void
check(const char *text, const struct report *how, const char *want)
{
	size_t before = mem_used();
	struct profile p;
	char *got;

	folded(&p, text);
	got = shown(&p, how);
	CHECK_STR(got, want);
	free(got);
	profile_free(&p);
	CHECK_U64(mem_used(), before);
}

static const char stacks[] = "app;main;parse;lex 40\napp;main;parse;lex;[libc.so.6+0x10] 10\napp;main;write_[k] 30\n"
                             "app;main;parse;parse;parse;lex 10\nother;main 10\n";

static void
a_tree(void)
{
	check(stacks, &(struct report){ .tree = true },
	      "100 samples of 2 threads\n\n"
	      "       total          self  call tree\n"
	      "         100 100.0%  10.0%  main\n"
	      "          60  60.0%   0.0%  ├─ parse\n"
	      "          60  60.0%  50.0%  │  lex\n"
	      "          10  10.0%  10.0%  │  [libc.so.6+0x10]  libc.so.6\n"
	      "          30  30.0%  30.0%  └─ write_[k]  [kernel]\n");
}

static void
small_branches_are_told_together(void)
{
	check("a;r;x 50\na;r;y 3\na;r;z 3\na;s 44\n", &(struct report){ .tree = true, .min = 500 },
	      "100 samples of 1 thread\n\n"
	      "       total          self  call tree\n"
	      "          56  56.0%   0.0%  ├─ r\n"
	      "          50  50.0%  50.0%  │  ├─ x\n"
	      "           6   6.0%         │  └─ (2 others)\n"
	      "          44  44.0%  44.0%  └─ s\n");
	check("a;r;x 99\na;r;y 1\n", &(struct report){ .tree = true, .min = 500 },   /* too little to be told */
	      "100 samples of 1 thread\n\n"
	      "       total          self  call tree\n"
	      "         100 100.0%   0.0%  r\n"
	      "          99  99.0%  99.0%  x\n");
}

static void
callers(void)
{
	check("a;main;p;malloc 3\na;main;q;malloc;brk_[k] 4\na;main;q;malloc;hook;malloc 2\na;malloc 1\n",
	      &(struct report){ .callers = "malloc" },
	      "10 samples of 1 thread\n\n"
	      "       total         callers of malloc\n"
	      "          10 100.0%  malloc\n"
	      "           6  60.0%  ├─ q\n"
	      "           6  60.0%  │  main\n"
	      "           3  30.0%  └─ p\n"
	      "           3  30.0%     main\n");
}

static void
callees(void)
{
	check("a;main;p;malloc 3\na;main;q;malloc;brk_[k] 4\na;main;q;malloc;hook;malloc 2\na;malloc 1\nb;other 10\n",
	      &(struct report){ .callees = "malloc" },
	      "20 samples of 2 threads\n\n"
	      "       total          self  callees of malloc\n"
	      "          10  50.0%  20.0%  malloc\n"
	      "           4  20.0%  20.0%  ├─ brk_[k]  [kernel]\n"
	      "           2  10.0%   0.0%  └─ hook\n"
	      "           2  10.0%  10.0%     malloc\n");
}

static void
a_name_or_what_it_looks_like(void)
{
	struct arena arena = { 0 };
	const char *why;
	struct report how = { .callees = "^al" };

	how.pattern = regex_new(&arena, how.callees, &why);
	check("a;alpha 3\na;alps 5\na;real 2\n", &how,
	      "10 samples of 1 thread\n\n"
	      "       total          self  callees of alps\n"
	      "           5  50.0%  50.0%  alps\n\n"
	      "       total          self  callees of alpha\n"
	      "           3  30.0%  30.0%  alpha\n");
	how.callees = "al";   /* is called just so: the others, which match, are not meant */
	check("a;al_[k] 3\na;alps 5\n", &how,
	      "8 samples of 1 thread\n\n"
	      "       total          self  callees of al_[k]\n"
	      "           3  37.5%  37.5%  al_[k]  [kernel]\n");
	how.callees = "nothing";
	how.pattern = NULL;
	check("a;al 3\n", &how, "3 samples of 1 thread\n\nno function has the name nothing\n");
	arena_free(&arena);
}

static void
by_module(void)
{
	check("a;[x.so+0x1];[x.so+0x2];[y.so+0x1];[x.so+0x3] 6\na;[y.so+0x4] 2\na;read_[k] 1\na;[truncated] 1\n",
	      &(struct report){ .by = BY_MODULE },
	      "10 samples of 1 thread\n\n"
	      "        self              total         module\n"
	      "           6  60.0%           6  60.0%  x.so\n"
	      "           2  20.0%           8  80.0%  y.so\n"
	      "           1  10.0%           1  10.0%  [kernel]\n"
	      "           1  10.0%           1  10.0%  [truncated]\n\n"
	      "       total               self         module\n"
	      "           8  80.0%           2  20.0%  y.so\n"
	      "           6  60.0%           6  60.0%  x.so\n"
	      "           1  10.0%           1  10.0%  [kernel]\n"
	      "           1  10.0%           1  10.0%  [truncated]\n");
}

static void
by_comm_and_by_thread(void)
{
	static const char text[] = "w-1/1;f 2\nw-1/2;f 3\nx-3/3;f 5\n";

	check(text, &(struct report){ .by = BY_COMM },
	      "10 samples of 3 threads\n\n"
	      "       count         threads  name\n"
	      "           5  50.0%        2  w\n"
	      "           5  50.0%        1  x\n");
	check(text, &(struct report){ .by = BY_THREAD, .min = 2500 },
	      "10 samples of 3 threads\n\n"
	      "       count         thread\n"
	      "           5  50.0%  x 3/3\n"
	      "           3  30.0%  w 1/2\n"
	      "             and 1 more\n");
}

/* Two places of a function, one of which has another inlined into it. */
static void
by_line(void)
{
	struct profile p;
	struct location where = { .mapping = MAPPING_NONE };
	struct function f = { .name = "outer", .module = "app", .file = "a.c", .line = 10 };
	uint32_t outer, inner, code[3];
	char *text;

	made_init(&p);
	outer = profile_function(&p, &f);
	f = (struct function){ .name = "inner", .module = "app", .file = "b.h", .line = 1, .kind = FUNCTION_INLINED };
	inner = profile_function(&p, &f);
	f = (struct function){ .name = "blind", .module = "app" };
	where.address = 1;
	code[0] = profile_location(&p, &where, &(struct site){ outer, 12 }, 1);
	where.address = 2;
	code[1] = profile_location(&p, &where, (struct site[]){ { outer, 13 }, { inner, 7 } }, 2);
	where.address = 3;
	code[2] = profile_location(&p, &where, &(struct site){ profile_function(&p, &f), 0 }, 1);
	profile_add(&p, profile_thread(&p, 1, 1, "a", 0), 0, 5, (uint32_t[]){ code[1], code[2] }, 2);
	profile_add(&p, profile_thread(&p, 1, 1, "a", 0), 0, 3, (uint32_t[]){ code[0], code[2] }, 2);
	profile_add(&p, profile_thread(&p, 1, 1, "a", 0), 0, 2, (uint32_t[]){ code[2], code[0] }, 2);
	profile_name(&p, NULL, NULL);
	text = shown(&p, &(struct report){ .by = BY_LINE, .top = 9 });
	CHECK_STR(text,
	          "10.00 ms on CPU (cpu-clock) in 3 samples of 1 thread\n\n"
	          "        self              total         function  line\n"
	          "     5.00 ms  50.0%     5.00 ms  50.0%  inner     b.h:7\n"
	          "     3.00 ms  30.0%     5.00 ms  50.0%  outer     a.c:12\n"
	          "     2.00 ms  20.0%    10.00 ms 100.0%  blind     [no line]\n\n"
	          "       total               self         function  line\n"
	          "    10.00 ms 100.0%     2.00 ms  20.0%  blind     [no line]\n"
	          "     5.00 ms  50.0%     5.00 ms  50.0%  inner     b.h:7\n"
	          "     5.00 ms  50.0%     3.00 ms  30.0%  outer     a.c:12\n"
	          "     5.00 ms  50.0%     0.00 ms   0.0%  outer     a.c:13\n");
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
small_rows_are_left_out(void)
{
	check("a;f 90\na;g 6\na;h 4\n", &(struct report){ .min = 500 },
	      "100 samples of 1 thread\n\n"
	      "        self              total         function\n"
	      "          90  90.0%          90  90.0%  f\n"
	      "           6   6.0%           6   6.0%  g\n"
	      "             and 1 more function with 4.0%\n\n"
	      "       total               self         function\n"
	      "          90  90.0%          90  90.0%  f\n"
	      "           6   6.0%           6   6.0%  g\n"
	      "             and 1 more function\n");
	CHECK(!table_below(1, 20, 500));
	CHECK(table_below(1, 21, 500));
	CHECK(!table_below(UINT64_MAX / 2 + 1, UINT64_MAX, 4999));
	CHECK(table_below(UINT64_MAX / 4, UINT64_MAX, 5000));
}

/* A tree as wide as it is deep stays on the terminal. */
static void
trees_fit_the_terminal(void)
{
	static char text[1 << 16];
	char *to = text, stack[2048] = "a", *s = stack + 1, *out;
	struct profile p;

	for (unsigned i = 0; i < 40; i++) {
		to += sprintf(to, "%s;side%u 5\n", stack, i);
		s += sprintf(s, ";some_longer_name_%u", i);
	}
	sprintf(to, "%s 5\n", stack);
	folded(&p, text);
	out = shown(&p, &(struct report){ .tree = true, .width = 80 });
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(columns_of(line) <= 80);
	free(out);
	profile_free(&p);
}

static char *
compared(struct diff *d, const struct report *how)
{
	struct sink s;
	char *text;

	sink_open(&s, -1);
	diff_write(&s, d, how, (const char *[]){ "old", "new" });
	text = calloc(1, s.len + 1);
	memcpy(text, s.buf, s.len);
	CHECK_U64(sink_close(&s), 0);
	return text;
}

static void
differences(void)
{
	struct profile before, after;
	struct diff d;
	char *text;

	folded(&before, "a;main;f 50\na;main;g 30\na;main;gone 20\n");
	folded(&after, "b;main;f 150\nb;main;g 30\nb;main;f;f;new_[k] 20\n");
	CHECK(diff_open(&d, (const struct profile *[]){ &before, &after }));
	CHECK_U64(diff_growth(&d), SHARE);
	text = compared(&d, &(struct report){ 0 });
	CHECK_STR(text,
	          "new: 200 samples; before, old: 100 samples; +100.00%\n\n"
	          "      self    before     after  function\n"
	          "   +25.00%    50.00%    75.00%  f\n"
	          "   -20.00%    20.00%     0.00%  gone\n"
	          "   -15.00%    30.00%    15.00%  g\n"
	          "   +10.00%     0.00%    10.00%  new_[k]\n\n"
	          "     total    before     after  function\n"
	          "   +35.00%    50.00%    85.00%  f\n"
	          "   -20.00%    20.00%     0.00%  gone\n"
	          "   -15.00%    30.00%    15.00%  g\n"
	          "   +10.00%     0.00%    10.00%  new_[k]\n");
	free(text);
	CHECK(diff_deltas(&d, &after));
	for (uint32_t i = 0; i < after.tree.n; i++) {
		const char *name = after.function[after.tree.node[i].frame].name;
		uint32_t parent = after.tree.node[i].parent;
		bool inner = parent != NODE_NONE && strcmp(after.function[after.tree.node[parent].frame].name, "f") == 0;

		CHECK_U64(after.delta[i], strcmp(name, "main") == 0  ? 0
		                          : strcmp(name, "g") == 0   ? -15000
		                          : strcmp(name, "new") == 0 ? 10000
		                          : inner                    ? 10000
		                                                     : 35000);
	}
	diff_free(&d);
	profile_free(&before);
	profile_free(&after);
	CHECK_U64(mem_used(), 0);
}

static void
no_difference(void)
{
	struct profile p;
	struct diff d;
	char *text;

	folded(&p, "a;main;f 50\n");
	CHECK(diff_open(&d, (const struct profile *[]){ &p, &p }));
	CHECK_U64(diff_growth(&d), 0);
	text = compared(&d, &(struct report){ 0 });
	CHECK(strstr(text, "function\n no change\n") != NULL);
	CHECK(!strstr(text, "main"));
	free(text);
	diff_free(&d);
	profile_free(&p);
}

static void
growth_is_signed_and_bounded(void)
{
	struct diff d = { .sum = { 200, 100 } };

	CHECK_U64(diff_growth(&d), (uint64_t)-(SHARE / 2));
	d.sum[BEFORE] = 0;
	CHECK_U64(diff_growth(&d), INT64_MAX);
	d.sum[AFTER] = 0;
	CHECK_U64(diff_growth(&d), 0);
	d = (struct diff){ .sum = { UINT64_MAX / 2, UINT64_MAX } };
	CHECK(diff_growth(&d) > SHARE / 100 * 99 && diff_growth(&d) < SHARE / 100 * 101);
}

/* The line of TEXT that ends in WORD, from the COUNTth time on. */
static const char *
line_with(const char *text, const char *word, unsigned count)
{
	const char *at = text - 1;

	while (count-- && at)
		at = strstr(at + 1, word);
	CHECK(at);
	return at ? at : text;
}

/* Of many rows only those that are shown are sorted: they are the first of the whole table, equal ones by name. */
static void
a_few_rows_of_many(void)
{
	enum { ROWS = 6000 };
	char *text = calloc(ROWS, 64), *to = text, *whole, *few;
	struct profile p;

	for (unsigned i = 0; i < ROWS; i++)
		to += sprintf(to, "a;main;f%u;g%u %u\n", i * 7 % ROWS, i * 11 % ROWS, i % 3 == 1 ? 9 : i % 5 + i / 1000 + 1);
	folded(&p, text);
	whole = shown(&p, &(struct report){ 0 });
	for (unsigned top = 1; top < 2000; top = top * 5 + 2) {
		few = shown(&p, &(struct report){ .top = top });
		for (unsigned table = 1; table < 3; table++) {
			const char *a = line_with(few, "function\n", table), *b = line_with(whole, "function\n", table);
			const char *end = a;

			for (unsigned i = 0; i <= top; i++)
				end = strchr(end, '\n') + 1;
			CHECK(!memcmp(a, b, (size_t)(end - a)));
			CHECK(strstr(end, " more functions"));
		}
		free(few);
	}
	free(whole);
	free(text);
	profile_free(&p);
}

static void
without_memory(void)
{
	struct profile p;

	folded(&p, stacks);
	for (size_t left = 0; left < 1 << 16; left += 512) {
		struct rows rows;

		mem_cap(mem_used() + left);
		if (rows_open(&rows, &p, BY_FUNCTION))
			CHECK_U64(rows.n, 5);
		mem_cap(SIZE_MAX);
		rows_free(&rows);
	}
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("report", a_tree);
	RUN("report", small_branches_are_told_together);
	RUN("report", callers);
	RUN("report", callees);
	RUN("report", a_name_or_what_it_looks_like);
	RUN("report", by_module);
	RUN("report", by_comm_and_by_thread);
	RUN("report", by_line);
	RUN("report", small_rows_are_left_out);
	RUN("report", trees_fit_the_terminal);
	RUN("report", differences);
	RUN("report", no_difference);
	RUN("report", growth_is_signed_and_bounded);
	RUN("report", a_few_rows_of_many);
	RUN("report", without_memory);
	return TEST_STATUS;
}
