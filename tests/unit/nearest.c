#include "test.h"

#include "lib/nearest.c"

static const char *const names[] = { "cycles", "cpu-clock", "page-faults", "cs", NULL };

static void
finds_the_typo(void)
{
	CHECK_STR(nearest("cylces", names, ""), "cycles");
	CHECK_STR(nearest("cycle", names, ""), "cycles");
	CHECK_STR(nearest("cpuclock", names, ""), "cpu-clock");
	CHECK_STR(nearest("page-fualts", names, ""), "page-faults");
}

static void
ends_where_told(void)
{
	static const char *const forms[] = { "freq=HZ", "quiet", "pid=PID,...", NULL };

	CHECK_STR(nearest("feq=9999", forms, "="), "freq=HZ");
	CHECK_STR(nearest("qiet", forms, "="), "quiet");
	CHECK(!nearest("HZ", forms, "="));
}

static void
says_nothing_when_far(void)
{
	char longer[200];

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	CHECK(!nearest("tracepoint", names, ""));
	CHECK(!nearest("", names, ""));
	CHECK(!nearest("xy", names, ""));
	CHECK(!nearest(longer, names, ""));
}

static unsigned
edits(const char *a, const char *b)
{
	return distance(a, strlen(a), b, strlen(b));
}

static void
distances(void)
{
	CHECK_U64(edits("cycles", "cycles"), 0);
	CHECK_U64(edits("cylces", "cycles"), 1);
	CHECK_U64(edits("", "cs"), 2);
	CHECK_U64(edits("kitten", "sitting"), 3);
	CHECK_U64(edits("ABC", "abc"), 0);
}

int
main(void)
{
	RUN("nearest", finds_the_typo);
	RUN("nearest", ends_where_told);
	RUN("nearest", distances);
	RUN("nearest", says_nothing_when_far);
	return TEST_STATUS;
}
