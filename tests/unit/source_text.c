#include "test.h"
#include "out/profile/source_text.c"

static struct arena arena;

static void
check_line(const struct source_texts *t, const char *file, uint32_t line, const char *want)
{
	size_t n = 0;
	const char *text = source_texts_find(t, file, line, &n);

	CHECK(!text == !want);
	CHECK(!text || !want || (n == strlen(want) && memcmp(text, want, n) == 0));
}

static bool
add(struct source_texts *t, const char *file, uint32_t line, const char *text)
{
	return source_texts_add(t, &arena, file, line, text, strlen(text));
}

static void
over(struct source_texts *t)
{
	source_texts_free(t);
	arena_free(&arena);
	CHECK_U64(mem_used(), 0);
}

static void
a_line_is_found_by_its_file_and_number(void)
{
	struct source_texts t = { .n = 0 };
	char name[32];

	for (uint32_t i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "src/%u.c", i % 50);
		CHECK(add(&t, name, i / 50 + 1, name));
	}
	CHECK(add(&t, "src/7.c", 3, "the first text stays"));
	CHECK_U64(t.n, 500);
	CHECK_U64(t.nfile, 50);
	check_line(&t, "src/7.c", 3, "src/7.c");
	check_line(&t, "src/7.c", 11, NULL);
	check_line(&t, "src/77.c", 3, NULL);
	CHECK(!t.full);
	over(&t);
}

static void
long_lines_are_cut_between_characters(void)
{
	struct source_texts t = { .n = 0 };
	char text[1000];
	size_t n;

	memset(text, 'x', sizeof text);
	memcpy(text + SOURCE_LINE_MOST - 2, "\xe2\x82\xac", 3);
	CHECK(source_texts_add(&t, &arena, "a", 1, text, sizeof text));
	CHECK(source_texts_find(&t, "a", 1, &n));
	CHECK_U64(n, SOURCE_LINE_MOST - 2);
	memset(text, 0x80, sizeof text);   /* no characters at all */
	CHECK(source_texts_add(&t, &arena, "a", 2, text, sizeof text));
	CHECK(source_texts_find(&t, "a", 2, &n));
	CHECK_U64(n, SOURCE_LINE_MOST - 3);
	over(&t);
}

/* Lines of that file until there is no room; their number. */
static uint32_t
fill(struct source_texts *t, const char *file, const char *text)
{
	uint32_t n = t->n;

	for (uint32_t line = 1; add(t, file, line, text);)
		line++;
	CHECK(t->full);
	return t->n - n;
}

static void
a_file_and_all_have_their_bounds(void)
{
	struct source_texts t = { .n = 0 };
	uint32_t n = fill(&t, "a", "0123456789"), empty = fill(&t, "b", "");
	char name[32];

	CHECK(n * 10 <= SOURCE_FILE_MOST && n * 30 > SOURCE_FILE_MOST);
	CHECK(empty < SOURCE_FILE_MOST);
	CHECK(!add(&t, "a", 99999, "0123456789"));
	CHECK(add(&t, "c", 1, "another file has room"));
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "%d", i);
		fill(&t, name, "0123456789");
	}
	CHECK(t.bytes <= SOURCE_ALL_MOST && t.bytes > SOURCE_ALL_MOST - 200);
	CHECK(!add(&t, "d", 1, "nothing has room any more, not even a file's name, which is this long"));
	check_line(&t, "a", 1, "0123456789");
	over(&t);
}

static void
a_copy_has_all_of_it(void)
{
	struct source_texts t = { .n = 0 }, copy = { .n = 0 };

	add(&t, "a", 1, "one");
	add(&t, "b", 2, "");
	source_texts_copy(&copy, &arena, &t);
	source_texts_free(&t);
	check_line(&copy, "a", 1, "one");
	check_line(&copy, "b", 2, "");
	over(&copy);
}

static void
the_memory_cap_leaves_lines_out(void)
{
	struct source_texts t = { .n = 0 };

	mem_cap(mem_used() + (40 << 10));
	fill(&t, "a", "0123456789");
	mem_cap(SIZE_MAX);
	check_line(&t, "a", 1, "0123456789");
	over(&t);
}

int
main(void)
{
	RUN("source_text", a_line_is_found_by_its_file_and_number);
	RUN("source_text", long_lines_are_cut_between_characters);
	RUN("source_text", a_file_and_all_have_their_bounds);
	RUN("source_text", a_copy_has_all_of_it);
	RUN("source_text", the_memory_cap_leaves_lines_out);
	return TEST_STATUS;
}
