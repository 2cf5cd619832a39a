#include "test.h"

#include "out/formats.h"
#include "out/profile/filter.c"

#include "profiles.h"

static struct arena arena;

static struct regex *
re(const char *pattern)
{
	const char *why;
	struct regex *r = regex_new(&arena, pattern, &why);

	CHECK(r != NULL);
	return r;
}

/* The rest of the profile is WANT as folded stacks. */
static void
check(void (*make)(struct profile *), const struct filter *f, const char *want)
{
	struct profile from, to;
	char *text;

	make(&from);
	CHECK(filter_any(f));
	CHECK(filter_copy(&to, &from, f));
	profile_free(&from);   /* nothing of it is needed any more */
	text = made_text(&format_folded, &to);
	CHECK_STR(text, want);
	free(text);
	profile_free(&to);
	arena_free(&arena);
	CHECK_U64(mem_used(), 0);
}

static void
nothing_asked_for_is_all(void)
{
	struct profile from, to;
	char *a, *b;

	CHECK(!filter_any(&(struct filter){ 0 }));
	made_plain(&from);
	CHECK(filter_copy(&to, &from, &(struct filter){ 0 }));
	a = made_text(&format_folded, &from);
	b = made_text(&format_folded, &to);
	CHECK_STR(b, a);
	CHECK_U64(to.samples, from.samples);
	CHECK_U64(to.nthread, from.nthread);
	CHECK_U64(to.end, from.end);
	CHECK_STR(to.command, "./app --fast");
	CHECK_STR(to.exporter, "prof@test");
	CHECK_STR(to.event[0].name, "cpu-clock");
	for (uint32_t t = 0; t < from.nthread; t++) {
		struct run_reader one, two;
		struct run x, y;

		runs_open(&one, &from, &from.thread[t]);
		runs_open(&two, &to, &to.thread[t]);
		while (runs_next(&one, &x)) {
			CHECK(runs_next(&two, &y));
			CHECK(x.start == y.start && x.span == y.span && x.weight == y.weight && x.samples == y.samples);
		}
		CHECK(!runs_next(&two, &y));
	}
	free(a);
	free(b);
	profile_free(&from);
	profile_free(&to);
}

static void
focus(void)
{
	check(made_plain, &(struct filter){ .focus = { re("^main$") }, .nfocus = 1 },
	      "app;_start;main;read_file;do_syscall_64_[k];copy_to_user_[k] 4\napp;_start;main;work;hash_round 7\n"
	      "app;_start;main;work;small_[i] 3\n");
	check(made_plain, &(struct filter){ .focus = { re("_\\[k\\]") }, .nfocus = 1 },
	      "app;_start;main;read_file;do_syscall_64_[k];copy_to_user_[k] 4\n");
	check(made_plain, &(struct filter){ .focus = { re("main"), re("small") }, .nfocus = 2 },   /* both */
	      "app;_start;main;work;small_[i] 3\n");
	check(made_plain, &(struct filter){ .focus = { re("nowhere") }, .nfocus = 1 }, "");
}

static void
ignore(void)
{
	check(made_plain, &(struct filter){ .ignore = { re("main"), re("^fib$") }, .nignore = 2 },
	      "gzip;[truncated];deflate 3\nkworker 1\n");
	check(made_plain, &(struct filter){ .focus = { re("main") }, .nfocus = 1, .ignore = { re("work") }, .nignore = 1 },
	      "app;_start;main;read_file;do_syscall_64_[k];copy_to_user_[k] 4\n");
}

static void
threads(void)
{
	check(made_plain, &(struct filter){ .thread = { re("^gzip"), re("kworker") }, .nthread = 2 },
	      "gzip;[truncated];deflate 3\nkworker 1\n");
	check(made_plain, &(struct filter){ .thread = { re(" 100/101$") }, .nthread = 1 },
	      "app;clone;start_thread;fib;fib 2\napp;clone;start_thread;fib;fib;fib 14\n");
}

/* Samples at 1 to 10 ms, 31 to 34 ms, … */
static void
times_within(void)
{
	enum { MS = 1000000 };

	check(made_plain, &(struct filter){ .from = 31 * MS, .to = 33 * MS },
	      "app;_start;main;read_file;do_syscall_64_[k];copy_to_user_[k] 2\n");
	check(made_plain, &(struct filter){ .from = 33 * MS },
	      "app;_start;main;read_file;do_syscall_64_[k];copy_to_user_[k] 2\nkworker 1\n");
	check(made_plain, &(struct filter){ .to = 3 * MS }, "app;_start;main;work;hash_round 2\n");
	check(made_plain, &(struct filter){ .from = 49 * MS, .to = 50 * MS }, "");
	check(made_plain, &(struct filter){ .from = 50 * MS, .to = 51 * MS }, "kworker 1\n");
}

static void
runs_are_cut_where_time_ends(void)
{
	enum { MS = 1000000 };
	struct run r = { .start = 10 * MS, .span = 9 * MS, .weight = 20, .samples = 10 };
	struct run all = r, one = { .start = 10 * MS, .weight = 7, .samples = 1 };

	CHECK(within(&(struct filter){ .from = 13 * MS - 1, .to = 16 * MS }, &r));
	CHECK_U64(r.start, 13 * MS);
	CHECK_U64(r.samples, 3);
	CHECK_U64(r.span, 2 * MS);
	CHECK_U64(r.weight, 6);
	r = all;
	CHECK(within(&(struct filter){ .from = 10 * MS, .to = 20 * MS }, &r));
	CHECK_U64(r.samples, 10);
	CHECK(!within(&(struct filter){ .from = 20 * MS }, &r));
	CHECK(!within(&(struct filter){ .to = 10 * MS }, &r));
	CHECK(within(&(struct filter){ .from = 10 * MS, .to = 10 * MS + 1 }, &one));
	CHECK_U64(one.weight, 7);
	CHECK(!within(&(struct filter){ .from = 10 * MS + 1 }, &one));
}

static void
one_event(void)
{
	check(made_events, &(struct filter){ .events = 2 }, "app;[page-faults];touch_page 100\n");
}

/* Nobody can learn from the rest what the filter has left out. */
static void
nothing_else_stays(void)
{
	struct profile from, to;

	made_plain(&from);
	CHECK(filter_copy(&to, &from, &(struct filter){ .focus = { re("deflate") }, .nfocus = 1 }));
	CHECK_U64(to.nfunction, 2);
	CHECK_U64(to.tree.n, 2);
	CHECK_U64(to.nthread, 1);
	profile_free(&from);
	profile_free(&to);
	arena_free(&arena);
}

/* At the memory cap functions have no number. */
static void
without_functions(void)
{
	struct profile from, to;

	made_plain(&from);
	for (uint32_t i = 0; i < from.nsite; i++)
		from.site[i].function = UINT32_MAX;
	CHECK(filter_copy(&to, &from, &(struct filter){ .from = 1 }));
	CHECK_U64(to.samples, from.samples);
	CHECK_U64(to.nfunction, 0);
	profile_free(&from);
	profile_free(&to);
}

static void
without_memory(void)
{
	struct profile from, to;
	unsigned failed = 0;

	made_plain(&from);
	for (size_t left = 0; left < 1 << 20; left += 4096) {
		mem_cap(mem_used() + left);
		failed += !filter_copy(&to, &from, &(struct filter){ .from = 1 });
		mem_cap(SIZE_MAX);
		profile_free(&to);
	}
	CHECK(failed > 2 && failed < 250);
	profile_free(&from);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("filter", nothing_asked_for_is_all);
	RUN("filter", focus);
	RUN("filter", ignore);
	RUN("filter", threads);
	RUN("filter", times_within);
	RUN("filter", runs_are_cut_where_time_ends);
	RUN("filter", one_event);
	RUN("filter", nothing_else_stays);
	RUN("filter", without_functions);
	RUN("filter", without_memory);
	return TEST_STATUS;
}
