#include "test.h"

#include "lib/columns.c"
#include "out/formats.h"
#include "out/report/report_text.h"
#include "out/report/table.c"

#include "profiles.h"

static char *
summary(const struct profile *p, unsigned top, unsigned width, bool colour)
{
	struct sink s;
	char *text;

	sink_open(&s, -1);
	report_summary(&s, p, top, width, colour);
	text = calloc(1, s.len + 1);
	memcpy(text, s.buf, s.len);
	CHECK_U64(sink_close(&s), 0);
	return text;
}

static void
check_golden(void (*make)(struct profile *), const char *name, unsigned width, bool apart)
{
	struct profile p;
	char *text;

	make(&p);
	p.by_thread = apart;
	text = width ? summary(&p, 20, width, false) : made_text(&format_table, &p);
	CHECK(golden(text, name));
	free(text);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

static void a_plain_table(void) { check_golden(made_plain, "plain.txt", 0, false); }
static void threads_apart(void) { check_golden(made_plain, "threads.txt", 0, true); }
static void hostile_names(void) { check_golden(made_hostile, "hostile.txt", 0, false); }
static void an_empty_table(void) { check_golden(made_empty, "empty.txt", 0, false); }
static void events_stand_apart(void) { check_golden(made_events, "events.txt", 0, false); }
static void a_wide_terminal(void) { check_golden(made_plain, "plain-100.txt", 100, false); }
static void a_narrow_terminal(void) { check_golden(made_hostile, "hostile-60.txt", 60, false); }

/* No line is wider than the terminal, and nothing in it can drive it. */
static void
lines_fit_the_terminal(void)
{
	static const unsigned width[] = { 64, 72, 80, 100, 132, 250 };

	for (unsigned w = 0; w < sizeof width / sizeof *width; w++) {
		struct profile p;
		char *text;

		made_hostile(&p);
		text = summary(&p, 20, width[w], false);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			if (line != text)
				CHECK(columns_of(line) <= width[w]);
			for (const char *s = line; *s; s += glyph(s).bytes)
				CHECK(glyph(s).shown);
		}
		free(text);
		profile_free(&p);
	}
}

static void
colour_only_when_asked(void)
{
	struct profile p;
	char *plain, *bright;

	made_plain(&p);
	plain = summary(&p, 20, 90, false);
	bright = summary(&p, 20, 90, true);
	CHECK(!strchr(plain, '\033'));
	CHECK(strstr(bright, "\033[") != NULL);
	for (char *from = bright, *to = bright;; from++) {   /* the same except for colours */
		while (*from == '\033')
			from = strchr(from, 'm') + 1;
		*to++ = *from;
		if (!*from)
			break;
	}
	CHECK_STR(bright, plain);
	free(plain);
	free(bright);
	profile_free(&p);
}

static void
recursion_counts_once(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	made_add(&p, "a", 1, 1, 1, 1, "f|g|f|g|f");
	made_add(&p, "a", 1, 1, 2, 1, "g|f|f");
	made_add(&p, "a", 1, 1, 3, 2, "g");
	made_done(&p, 4);
	text = made_text(&format_table, &p);
	CHECK(strstr(text, "2.00 ms  50.0%     2.00 ms  50.0%  app     f\n") != NULL);
	CHECK(strstr(text, "4.00 ms 100.0%     2.00 ms  50.0%  app     g\n") != NULL);
	free(text);
	profile_free(&p);
}

static void
the_rest_is_counted(void)
{
	struct profile p;
	char *text;

	made_init(&p);
	for (unsigned i = 0; i < 50; i++) {
		char stack[32];

		snprintf(stack, sizeof stack, "main|f%u", i);
		made_add(&p, "a", 1, 1, i, 1, stack);
	}
	made_done(&p, 50);
	text = summary(&p, 20, 80, false);
	CHECK(strstr(text, "and 30 more functions with 60.0%\n") != NULL);
	CHECK(strstr(text, "and 31 more functions\n") != NULL);
	free(text);
	profile_free(&p);
}

static const char *
cut(const char *text, unsigned width)
{
	static char out[256];
	struct sink s;
	unsigned took;

	sink_open(&s, -1);
	took = columns_cut(&s, text, width);
	memcpy(out, s.buf, s.len);
	out[s.len] = 0;
	sink_close(&s);
	CHECK_U64(took, columns_of(out));
	return out;
}

static void
long_names_are_cut_in_the_middle(void)
{
	CHECK_STR(cut("abcdefghij", 0), "abcdefghij");
	CHECK_STR(cut("abcdefghij", 10), "abcdefghij");
	CHECK_STR(cut("abcdefghij", 9), "abcd…ghij");
	CHECK_STR(cut("abcdefghij", 4), "ab…j");
	CHECK_STR(cut("abcdefghij", 1), "…");
	CHECK_STR(cut("äöüäöüäöü", 5), "äö…öü");
	CHECK_STR(cut("漢字漢字漢字", 7), "漢…字");
	CHECK_STR(cut("a\xff\x1b[2J\xe2\x80\xae", 0), "a��[2J�");
}

static const char *
shown(uint64_t v, unsigned places)
{
	static char out[33];
	struct columns_cell c = columns_number(v, places);

	memcpy(out, c.text, c.n);
	out[c.n] = 0;
	return out;
}

static void
numbers_are_readable(void)
{
	CHECK_STR(shown(0, 0), "0");
	CHECK_STR(shown(0, 1), "0.0");
	CHECK_STR(shown(7, 3), "0.007");
	CHECK_STR(shown(999, 0), "999");
	CHECK_STR(shown(1000, 0), "1,000");
	CHECK_STR(shown(1234567, 3), "1,234.567");
	CHECK_STR(shown(UINT64_MAX, 0), "18,446,744,073,709,551,615");
	CHECK_U64(table_permille(1, 3), 333);
	CHECK_U64(table_permille(2, 3), 667);
	CHECK_U64(table_permille(0, 0), 0);
	CHECK_U64(table_permille(UINT64_MAX / 2, UINT64_MAX), 500);
}

int
main(void)
{
	RUN("table", a_plain_table);
	RUN("table", threads_apart);
	RUN("table", hostile_names);
	RUN("table", an_empty_table);
	RUN("table", events_stand_apart);
	RUN("table", a_wide_terminal);
	RUN("table", a_narrow_terminal);
	RUN("table", lines_fit_the_terminal);
	RUN("table", colour_only_when_asked);
	RUN("table", recursion_counts_once);
	RUN("table", the_rest_is_counted);
	RUN("table", long_names_are_cut_in_the_middle);
	RUN("table", numbers_are_readable);
	return TEST_STATUS;
}
