#include "test.h"

#include "lib/codec/deflate.h"
#include "out/read.c"
#include "out/formats.h"
#include "out/profile/profile_names.h"

#include "profiles.h"

static struct sink file;

/* The profile as FORMAT writes it, packed if PACK is so. */
static void
write_file(const struct format *format, const struct profile *p, bool pack)
{
	struct deflater d;
	struct sink to;

	sink_open(&file, -1);
	if (!pack) {
		format->write(&file, p);
		return;
	}
	CHECK(deflate_open(&d, &file, DEFLATE_GZIP));
	deflate_sink(&to, &d);
	format->write(&to, p);
	sink_close(&to);
	deflate_close(&d);
}

/* How the file folds, or what is wrong with it, and where. */
static char *
outcome_as(const char *name, size_t n, const struct format *want)
{
	const struct format *format = &format_table;
	struct profile p;
	uint64_t where = 99;
	const char *why;
	char *text;

	profile_init(&p);
	why = profile_read(&p, name, cur_of(file.buf, n, false), &format, &where);
	profile_name(&p, NULL, NULL);
	CHECK(format == want);
	if (why) {
		text = calloc(1, 300);
		snprintf(text, 300, "%s at %d", why, (int)where);
	} else
		text = made_text(&format_folded, &p);
	profile_free(&p);
	return text;
}

static char *
outcome(size_t n, const struct format *want)
{
	return outcome_as("-", n, want);
}

/* A thread may be called as a line of another format begins. */
static void
a_name_says_which_of_several(void)
{
	static const char text[] = "1 2 3.0: cy:;main;work 1656\n1 2 3.0: cy:;main;rest 4\n";
	char *got;

	file.len = 0;
	sink_str(&file, text);
	got = outcome_as("x.folded", file.len, &format_folded);
	CHECK_STR(got, "1 2 3.0: cy:;main;rest 4\n1 2 3.0: cy:;main;work 1656\n");
	free(got);
	got = outcome_as("x.collapsed", file.len, &format_folded);
	free(got);
	file.len = 0;
	sink_str(&file, "[unknown];main;work 5\n");   /* a thread without a name */
	got = outcome_as("-", file.len, &format_folded);
	CHECK_STR(got, "[unknown];main;work 5\n");
	free(got);
	file.len = 0;
	sink_str(&file, text);
	got = outcome_as("x.pb", file.len, &format_script);   /* which it cannot be */
	free(got);
	sink_close(&file);
}

/* prof knows each format by the file's bytes, packed or not. */
static void
each_format_is_told_by_its_bytes(void)
{
	unsigned readers = 0;

	for (const struct format *const *f = formats; *f; f++) {
		struct profile p;
		char *want, *got;

		if (!(*f)->read)
			continue;
		readers++;
		made_init(&p);
		made_add(&p, "app", 7, 7, 1, 1, "main|work");
		made_add(&p, "app", 7, 7, 2, 1, "main|work");
		made_add(&p, "app", 7, 7, 3, 1, "main|rest");
		made_done(&p, 10);
		want = made_text(&format_folded, &p);
		for (unsigned pack = 0; pack < 2; pack++) {
			write_file(*f, &p, pack);
			got = outcome(file.len, *f);
			CHECK_STR(got, want);
			free(got);
			sink_close(&file);
		}
		free(want);
		profile_free(&p);
	}
	CHECK(readers >= 3);
	CHECK_U64(mem_used(), 0);
}

static void
check_text(const char *bytes, const struct format *format, const char *want)
{
	char *got;

	sink_open(&file, -1);
	sink_str(&file, bytes);
	got = outcome(file.len, format);
	CHECK_STR(got, want);
	free(got);
	sink_close(&file);
}

static void
what_is_none_is_said(void)
{
	struct profile p;
	char *got;

	check_text("", NULL, "empty at 0");
	check_text("\x7f""ELF", NULL, "prof cannot read this; it reads its own pages and flame graphs, folded stacks, pprof, speedscope's JSON, perf script's text, and perf.data at 0");
	check_text("<!DOCTYPE html>\n", &format_html, "prof did not write this page: it holds no profile at 0");
	check_text("a;b 1\na;b 2\na;b\n", &format_folded, "the line does not end with a count at 3");
	made_plain(&p);
	write_file(&format_pprof, &p, true);
	got = outcome(file.len / 2, NULL);
	CHECK(strstr(got, " at ") && !strstr(got, " at 0"));   /* an offset among the packed bytes */
	free(got);
	got = outcome(file.len, &format_pprof);
	free(got);
	sink_close(&file);
	profile_free(&p);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("read", each_format_is_told_by_its_bytes);
	RUN("read", a_name_says_which_of_several);
	RUN("read", what_is_none_is_said);
	return TEST_STATUS;
}
