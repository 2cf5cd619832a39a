#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "cmd/options/options.c"

static const struct option table[] = {
	{ 'F', "freq=HZ", "" }, { 'g', "", "" }, { 'q', "quiet", "" }, { 300, "max-stack=N", "" }, { 0 },
};

static struct options
opened(int argc, char **argv)
{
	struct options o;

	options_open(&o, table, argc, argv);
	return o;
}

#define WORDS(...) (char *[]){ "record", __VA_ARGS__, NULL }
#define COUNT(...) (int)(sizeof WORDS(__VA_ARGS__) / sizeof(char *) - 1)
#define OPEN(...) opened(COUNT(__VA_ARGS__), WORDS(__VA_ARGS__))

static void
values_attached_and_apart(void)
{
	struct options o = OPEN("-F99", "-F", "98", "--freq=97", "--freq", "96", "cmd", "-q");
	const char *want[] = { "99", "98", "97", "96" };

	for (int i = 0; i < 4; i++) {
		CHECK_U64(options_next(&o), 'F');
		CHECK_STR(o.value, want[i]);
	}
	CHECK_U64(options_next(&o), OPTION_END);
	CHECK_STR(o.argv[o.at], "cmd");
	CHECK(!o.dashes);
}

static void
letters_bundled(void)
{
	struct options o = OPEN("-gqF7", "--", "-q");

	CHECK_U64(options_next(&o), 'g');
	CHECK_U64(options_next(&o), 'q');
	CHECK_U64(options_next(&o), 'F');
	CHECK_STR(o.value, "7");
	CHECK_U64(options_next(&o), OPTION_END);
	CHECK(o.dashes);
	CHECK_STR(o.argv[o.at], "-q");
}

static void
bad_ones_are_said(void)
{
	struct options unknown_long = OPEN("--feq=9"), no_value = OPEN("-F"), too_much = OPEN("--quiet=1"), letter = OPEN("-gz");

	CHECK(options_next(&unknown_long) == OPTION_BAD);
	CHECK(options_next(&no_value) == OPTION_BAD);
	CHECK(options_next(&too_much) == OPTION_BAD);
	CHECK_U64(options_next(&letter), 'g');
	CHECK(options_next(&letter) == OPTION_BAD);
}

/* prof's message on stderr about this option. */
static const char *
said_of(const struct option *options, char *word)
{
	static char text[200];
	struct options o;
	int kept = dup(STDERR_FILENO), fd = memfd_create("said", 0);
	ssize_t n;

	options_open(&o, options, 2, (char *[]){ "record", word, NULL });
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	options_next(&o);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	close(kept);
	return text;
}

static void
the_nearest_is_said(void)
{
	static const struct option others[] = { { 1, "fred", "" }, { 2, "qui", "" }, { 3, "max", "" }, { 0 } };

	CHECK_STR(said_of(table, "--max-stak=9"), "prof: unknown option '--max-stak=9': did you mean --max-stack?\n");
	CHECK_STR(said_of(others, "--maxs=9"), "prof: unknown option '--maxs=9': did you mean --max?\n");
	CHECK_STR(said_of(table, "--="), "prof: unknown option '--=': see prof help record\n");
	CHECK_STR(said_of(table, "-z"), "prof: unknown option '-z': see prof help record\n");
}

static bool
number(char *text, uint64_t *v)
{
	struct options o = OPEN("-F", text);

	options_next(&o);
	return option_number(&o, 1, 1000, v);
}

static bool
seconds(char *text, uint64_t *v)
{
	struct options o = OPEN("-F", text);

	options_next(&o);
	return option_time(&o, 1000000000, v);
}

static void
numbers(void)
{
	uint64_t v = 0;

	CHECK(number("1", &v) && v == 1);
	CHECK(number("1000", &v) && v == 1000);
	CHECK(!number("0", &v) && !number("1001", &v) && !number("-1", &v) && !number("", &v) && !number("9x", &v));
	CHECK(!number("99999999999999999999999", &v));
}

static void
times(void)
{
	uint64_t v = 0;

	CHECK(seconds("1", &v) && v == 1000000000);
	CHECK(seconds("0.25", &v) && v == 250000000);
	CHECK(seconds(".5", &v) && v == 500000000);
	CHECK(seconds("2.", &v) && v == 2000000000);
	CHECK(seconds("0.0000000019", &v) && v == 1);
	CHECK(!seconds("0", &v) && !seconds("-1", &v) && !seconds("1e3", &v) && !seconds(".", &v) && !seconds("", &v));
	CHECK(!seconds("1000000001", &v) && !seconds("99999999999999999999999999", &v));
}

static unsigned
pids(char *text, int32_t *pid, unsigned max)
{
	struct options o = OPEN("-F", text);

	options_next(&o);
	return option_pids(&o, pid, max);
}

static void
lists_of_pids(void)
{
	int32_t pid[3];

	CHECK_U64(pids("1,22,333", pid, 3), 3);
	CHECK(pid[0] == 1 && pid[1] == 22 && pid[2] == 333);
	CHECK(!pids("1,22,333,4", pid, 3) && !pids("1,", pid, 3) && !pids(",1", pid, 3) && !pids("0", pid, 3));
	CHECK(!pids("-1", pid, 3) && !pids("2147483648", pid, 3) && !pids("x", pid, 3) && !pids("", pid, 3));
}

int
main(void)
{
	RUN("options", values_attached_and_apart);
	RUN("options", letters_bundled);
	RUN("options", bad_ones_are_said);
	RUN("options", the_nearest_is_said);
	RUN("options", numbers);
	RUN("options", times);
	RUN("options", lists_of_pids);
	return TEST_STATUS;
}
