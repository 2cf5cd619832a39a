#include "test.h"
#include "cmd/stat/stat_ratio.c"

static struct event event[8];
static double value[8];
static struct stat_values all = { .event = event, .value = value, .seconds = 2 };

static void
counted(const char *name, double n)
{
	event[all.n] = (struct event){ .name = name, .user = true, .kernel = true };
	value[all.n++] = n;
}

static void
begin(void)
{
	all.n = 0;
}

/* The words of event E's ratio, which must be RATIO. */
static const char *
words(unsigned e, double ratio)
{
	double got = -1;
	const char *w = stat_ratio(&all, e, &got);

	CHECK(!w || fabs(got - ratio) < 1e-9 * ratio + 1e-12);
	return w ? w : "none";
}

static void
a_part_is_of_its_whole(void)
{
	begin();
	counted("cycles", 1000);
	counted("instructions", 2500);
	counted("branches", 400);
	counted("branch-misses", 10);
	CHECK_STR(words(1, 2.5), "insn per cycle");
	CHECK_STR(words(3, 2.5), "% of all branches");
	CHECK_STR(words(0, 0), "none");
	CHECK_STR(words(2, 0), "none");
}

static void
other_names_are_the_same_event(void)
{
	begin();
	counted("cpu-cycles:u", 1000);
	counted("instructions:u", 500);
	counted("branch-instructions", 200);
	counted("branch-misses", 50);
	CHECK_STR(words(1, 0.5), "insn per cycle");
	CHECK_STR(words(3, 25), "% of all branches");
}

static void
only_the_same_side_is_compared(void)
{
	begin();
	counted("cycles:u", 1000);
	event[0].kernel = false;
	counted("instructions", 2000);
	CHECK_STR(words(1, 0), "none");
	counted("cycles", 4000);
	CHECK_STR(words(1, 0.5), "insn per cycle");
}

static void
what_was_not_counted_has_no_ratio(void)
{
	begin();
	counted("cycles", (double)NAN);
	counted("instructions", 2000);
	CHECK_STR(words(0, 0), "none");
	CHECK_STR(words(1, 0), "none");
	value[0] = 0;
	CHECK_STR(words(1, 0), "none");
}

static void
rates_go_by_the_clock(void)
{
	begin();
	counted("task-clock", 1e9);
	event[0].is_time = true;
	counted("page-faults", 3);
	counted("context-switches", 4000);
	counted("branches", 7e6);
	counted("instructions", 3e9);
	counted("cycles", 2e9);
	event[5].is_cycles = true;
	CHECK_STR(words(0, 0.5), "CPUs utilized");
	CHECK_STR(words(1, 3), "/sec");
	CHECK_STR(words(2, 4), "K/sec");
	CHECK_STR(words(3, 7), "M/sec");
	CHECK_STR(words(4, 1.5), "insn per cycle");
	CHECK_STR(words(5, 2), "GHz");
	value[5] = (double)NAN;
	CHECK_STR(words(4, 3), "G/sec");
}

static void
a_unit_of_its_own_needs_none(void)
{
	begin();
	counted("task-clock", 1e9);
	event[0].is_time = true;
	counted("power/energy-pkg/", 12);
	event[1].unit = "Joules";
	CHECK_STR(words(1, 0), "none");
}

static void
no_time_has_no_cpus(void)
{
	begin();
	counted("task-clock", 1e9);
	event[0].is_time = true;
	all.seconds = 0;
	CHECK_STR(words(0, 0), "none");
	all.seconds = 2;
}

int
main(void)
{
	RUN("stat_ratio", a_part_is_of_its_whole);
	RUN("stat_ratio", other_names_are_the_same_event);
	RUN("stat_ratio", only_the_same_side_is_compared);
	RUN("stat_ratio", what_was_not_counted_has_no_ratio);
	RUN("stat_ratio", rates_go_by_the_clock);
	RUN("stat_ratio", a_unit_of_its_own_needs_none);
	RUN("stat_ratio", no_time_has_no_cpus);
	return TEST_STATUS;
}
