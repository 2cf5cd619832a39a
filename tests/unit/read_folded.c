#include "test.h"

#include "out/format/folded_read.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

/* What is wrong with the text, and in which line. */
static const char *
read_text(struct profile *p, const char *text, size_t n, unsigned *line)
{
	struct cursor c = cur_of(text, n, false);
	const char *why = folded_read(p, &c);

	*line = 1;
	for (const char *s = text; s < (const char *)c.pos; s++)
		*line += *s == '\n';
	profile_name(p, NULL, NULL);
	return why;
}

/* Reads TEXT and writes it again. */
static void
check_again(const char *text, const char *want)
{
	struct profile p;
	unsigned line;
	char *again;

	profile_init(&p);
	CHECK(!read_text(&p, text, strlen(text), &line));
	again = made_text(&format_folded, &p);
	CHECK_STR(again, want ? want : text);
	free(again);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
check_wrong(const char *text, const char *want, unsigned where)
{
	struct profile p;
	unsigned line;

	profile_init(&p);
	CHECK_STR(read_text(&p, text, strlen(text), &line), want);
	CHECK_U64(line, where);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
what_is_written_is_read(void)
{
	check_again("a;f;g 3\nb;f 2\nb;f;h x;i 1\n", NULL);
	check_again("a 5\na;read_[k] 2\na;small_[i] 1\n", NULL);
	check_again("", NULL);
	check_again("b;z 1\r\n\r\na;y 2\r\n", "a;y 2\nb;z 1\n");
	check_again("a;f 1\na;f 2\n\n# a comment\na;g 0\na;f 4", "a;f 7\n");
	check_again("a;f\t3\na;g 4 \n", "a;f 3\na;g 4\n");
	check_again("a;;f; 1\n;a;g 2\n", "a;f 1\na;g 2\n");
}

static void
goldens_are_read(void)
{
	static const char *const files[] = { "plain.folded", "hostile.folded" };

	for (unsigned i = 0; i < 2; i++) {
		static char text[1 << 20];
		char path[256];
		FILE *f;

		snprintf(path, sizeof path, "tests/data/golden/%s", files[i]);
		f = fopen(path, "r");
		CHECK(f != NULL);
		text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
		if (f)
			fclose(f);
		check_again(text, NULL);
	}
}

static struct profile parsed;

static const struct profile *
parse(const char *text)
{
	unsigned line;

	profile_free(&parsed);
	CHECK(!read_text(&parsed, text, strlen(text), &line));
	return &parsed;
}

static const struct function *
function(const struct profile *p, const char *name)
{
	static const struct function none = { .name = "", .module = "", .kind = (enum function_kind)99 };

	for (uint32_t i = 0; i < p->nfunction; i++)
		if (strcmp(p->function[i].name, name) == 0)
			return &p->function[i];
	return &none;
}

static void
suffixes_and_marks_say_the_kind(void)
{
	const struct profile *p = parse("a;main;inl_[i];sys_[k];[truncated];[elided];[kernel];[unknown];[waits for the GIL];jit_[j];[lib.so+0x1f];[vdso];"
	                                "x[k];odd_[x];[nf+0x1]_[k] 1\n");

	CHECK_U64(function(p, "main")->kind, FUNCTION_USER);
	CHECK_U64(function(p, "inl")->kind, FUNCTION_INLINED);
	CHECK_U64(function(p, "sys")->kind, FUNCTION_KERNEL);
	CHECK_STR(function(p, "sys")->module, "[kernel]");
	CHECK_U64(function(p, "jit")->kind, FUNCTION_JIT);
	CHECK_U64(function(p, "[truncated]")->kind, FUNCTION_MARK);
	CHECK_U64(function(p, "[elided]")->kind, FUNCTION_MARK);
	CHECK_U64(function(p, "[kernel]")->kind, FUNCTION_MARK);
	CHECK_U64(function(p, "[unknown]")->kind, FUNCTION_MARK);
	CHECK_U64(function(p, "[waits for the GIL]")->kind, FUNCTION_MARK);
	CHECK_U64(function(p, "[lib.so+0x1f]")->kind, FUNCTION_USER);
	CHECK_STR(function(p, "[lib.so+0x1f]")->module, "lib.so");
	CHECK_STR(function(p, "[vdso]")->module, "vdso");
	CHECK_U64(function(p, "x[k]")->kind, FUNCTION_USER);
	CHECK_U64(function(p, "odd_[x]")->kind, FUNCTION_USER);
	CHECK_U64(function(p, "[nf+0x1]")->kind, FUNCTION_KERNEL);
	CHECK_STR(function(p, "[nf+0x1]")->module, "nf");
	CHECK(p->timeless);
	CHECK_U64(p->samples, 1);
	profile_free(&parsed);
}

static void
roots_are_threads_where_they_can_be(void)
{
	const struct profile *p = parse("python3;f 1\nworker-1;f 2\n");

	CHECK_U64(p->nthread, 2);
	CHECK_STR(p->thread[1].comm, "worker-1");   /* not each has a number */
	CHECK(!p->by_process);
	p = parse("python3-12;f 1\nworker-1-13;f 2\n");
	CHECK(p->by_process && !p->by_thread);
	CHECK_STR(p->thread[1].comm, "worker-1");
	CHECK_U64(p->thread[1].pid, 13);
	p = parse("python3-12/13;f 1\nx-7/7;f 2\n");
	CHECK(p->by_thread && !p->by_process);
	CHECK_STR(p->thread[0].comm, "python3");
	CHECK_U64(p->thread[0].pid, 12);
	CHECK_U64(p->thread[0].tid, 13);
	p = parse("main;f 1\n<module> (x.py:1);g 2\n");   /* no thread is called so */
	CHECK_U64(p->nthread, 1);
	CHECK_STR(p->thread[0].comm, "");
	CHECK_U64(function(p, "main")->kind, FUNCTION_USER);
	profile_free(&parsed);
	check_again("python3-12;f 1\nworker-1-13;f 2\n", NULL);
	check_again("python3-12/13;f 1\nx-0/0;f 3\n", NULL);
	check_again("a-12/13;f 1\na-12;f 3\na-0;f 3\n", "a-0;f 3\na-12;f 3\na-12/13;f 1\n");
	check_again("a-12/13;f 1\na-12/14;f 2\n", NULL);
	check_again("main;f 1\nstd::sort;g 2\n", NULL);
	check_again("0123456789abcdef;g 2\nmain 1\n", NULL);
	check_again("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4;f 1\n", NULL);
	p = parse("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4;f 1\n");
	CHECK(*p->thread[0].comm);
	profile_free(&parsed);
}

static void
events_stand_behind_the_root(void)
{
	const struct profile *p = parse("a;[cpu-clock];f 3\na;[page-faults];f 5\nb;[cpu-clock] 1\n");

	CHECK_U64(p->nevent, 2);
	CHECK_STR(p->event[0].name, "cpu-clock");
	CHECK_STR(p->event[1].name, "page-faults");
	CHECK_U64(p->nthread, 3);
	p = parse("a;[unknown];f 3\na;[libc.so.6];f 5\n");
	CHECK_U64(p->nevent, 1);
	CHECK_STR(p->event[0].name, "samples");
	p = parse("a;[odd];f 3\nb;[odd];g 5\n");   /* one event would not be told */
	CHECK_U64(p->nevent, 1);
	profile_free(&parsed);
	check_again("a;[cpu-clock];f 3\na;[page-faults];f 5\nb;[cpu-clock] 1\n", NULL);
	check_again("a;[odd];f 3\nb;[odd];g 5\n", NULL);
}

static void
several_files_are_one_profile(void)
{
	struct profile p;
	unsigned line;
	char *text;

	profile_init(&p);
	CHECK(!read_text(&p, "a-1;f 1\nb-2;g 2\n", 16, &line));
	CHECK(!read_text(&p, "a-1;f 4\n", 8, &line));
	CHECK(!read_text(&p, "a;f 8\n", 6, &line));
	CHECK_U64(p.nevent, 1);
	text = made_text(&format_folded, &p);
	CHECK_STR(text, "a;f 8\na-1;f 5\nb-2;g 2\n");
	free(text);
	profile_free(&p);
	profile_init(&p);   /* a number that means nothing beside threads without */
	CHECK(!read_text(&p, "a;f 8\n", 6, &line));
	CHECK(!read_text(&p, "a-1;f 4\n", 8, &line));
	text = made_text(&format_folded, &p);
	CHECK_STR(text, "a;f 8\na-1;f 4\n");
	free(text);
	profile_free(&p);
}

static void
what_is_wrong_is_told_with_its_line(void)
{
	check_wrong("a;f 1\na;g\n", "the line does not end with a count", 2);
	check_wrong("a;f 1\na;g x\n", "the line does not end with a count", 2);
	check_wrong("12\n", "the line does not end with a count", 1);
	check_wrong("a;f 1\n\na;g -5\n", "the line does not end with a count", 3);
	check_wrong("a;f 1\na;g 1.5\n", "the count has decimals; some tools write them for other units, so multiply the counts first", 2);
	check_wrong("a;f 99999999999999999999\n", "the count is too large", 1);
	check_wrong("a;f 1\na;f 4000000000000000000\n", "the sum of the counts is too large", 2);
	check_wrong("a;f 2000000000000000000\na;f 2000000000000000000\n", "the sum of the counts is too large", 2);
}

static void
not_text(void)
{
	struct profile p;
	unsigned line;

	profile_init(&p);
	CHECK_STR(read_text(&p, "a;f 1\na;g\0h 2\n", 14, &line), "this is not a line of text");
	CHECK_U64(line, 2);
	profile_free(&p);
}

static void
deep_stacks_keep_both_ends(void)
{
	enum { FRAMES = 5000 };
	static char text[FRAMES * 8];
	char *to = text + sprintf(text, "a");
	uint32_t stack[DEPTH_MAX + 1], n;
	const struct profile *p;

	for (unsigned i = 0; i < FRAMES; i++)
		to += sprintf(to, ";f%u", i);
	sprintf(to, " 1\na;f0;f1 2\n");
	p = parse(text);
	CHECK_U64(p->samples, 3);
	for (uint32_t i = 0; i < p->tree.n; i++) {
		if (strcmp(p->function[p->tree.node[i].frame].name, "f4999"))
			continue;
		n = tree_stack(&p->tree, i, stack, DEPTH_MAX + 1);
		CHECK_U64(n, DEPTH_MAX);
		CHECK_STR(p->function[stack[0]].name, "f0");
		CHECK_STR(p->function[stack[DEPTH_MAX / 2 - 2]].name, "f2046");
		CHECK_STR(p->function[stack[DEPTH_MAX / 2 - 1]].name, "[elided]");
		CHECK_STR(p->function[stack[DEPTH_MAX / 2]].name, "f2952");
		CHECK_STR(p->function[stack[DEPTH_MAX - 1]].name, "f4999");
	}
	profile_free(&parsed);
}

static bool
is(const char *text)
{
	return folded_is(cur_of(text, strlen(text), false));
}

static void
what_looks_like_it(void)
{
	CHECK(is("a;b 1\n"));
	CHECK(is("a 1"));
	CHECK(is("\n\na;b 1\r\n"));
	CHECK(is("a;b 1.5\n"));                      /* to be refused with its line */
	CHECK(is("a;b 99999999999999999999999\n"));
	CHECK(!is(""));
	CHECK(!is("hello\nworld\n"));
	CHECK(!is("{\"a\": 1\n}"));
	CHECK(!is("prog  12/12  1.000000:    1 cpu-clock:\n"));
	CHECK(!folded_is(cur_of("a\0b 1\n", 6, false)));
}

/* A file may be written anew between the two looks at it. */
static void
the_text_changes(void)
{
	char text[] = "a;[x];f 1\na;[yy];f 2\n";
	struct cursor all = cur_of(text, strlen(text), false), c = all;
	struct profile p;
	struct reading r = { .p = &p };
	struct line line;
	const char *why = NULL;

	profile_init(&p);
	CHECK(!look(&r, &c) && r.events);
	text[3] = ';';
	CHECK(next_line(&all, &line, &why));
	CHECK_STR(read_line(&r, &line), "a line has no event");
	vec_free(&r.text, &r.text_cap, 1);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void
without_memory(void)
{
	static char text[1 << 16];
	char *to = text;
	struct profile p;
	unsigned line;

	for (unsigned i = 0; i < 3000; i++)
		to += sprintf(to, "a;f%u;g 1\n", i);
	for (size_t cap = 1 << 12; cap < 1 << 20; cap += 1 << 13) {
		const char *why;

		mem_cap(cap);
		profile_init(&p);
		why = read_text(&p, text, strlen(text), &line);
		CHECK(!why || strstr(why, "memory") || strstr(why, "events"));
		profile_free(&p);
		CHECK_U64(mem_used(), 0);
	}
	mem_cap(SIZE_MAX);
}

int
main(void)
{
	RUN("read_folded", what_is_written_is_read);
	RUN("read_folded", goldens_are_read);
	RUN("read_folded", suffixes_and_marks_say_the_kind);
	RUN("read_folded", roots_are_threads_where_they_can_be);
	RUN("read_folded", events_stand_behind_the_root);
	RUN("read_folded", several_files_are_one_profile);
	RUN("read_folded", what_is_wrong_is_told_with_its_line);
	RUN("read_folded", not_text);
	RUN("read_folded", deep_stacks_keep_both_ends);
	RUN("read_folded", what_looks_like_it);
	RUN("read_folded", the_text_changes);
	RUN("read_folded", without_memory);
	return TEST_STATUS;
}
