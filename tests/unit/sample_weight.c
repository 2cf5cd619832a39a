/* Simulates threads that each begin with a whole period: their samples must count for the time that they ran. */
#include "test.h"
#include "sample/sample_weight.c"

enum { MS = 1000000 };

static struct weights w;
static uint64_t samples, random_state;

static uint64_t
below(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % n;
}

/* A thread of that name that runs for NS, of which the first SEEN are visible. */
static void
ran(const char *name, uint64_t ns, uint64_t seen)
{
	struct task t = { .comm = "" };

	strcpy(t.comm, name);
	for (uint64_t at = w.first; at <= ns; at += w.first)
		if (at <= seen)
			samples += weigh_sample(&w, &t, w.first);
	weigh_end(&w, &t, ns);
}

static void
begin(uint64_t period, bool whole)
{
	w = (struct weights){ 0 };
	weigh_init(&w, period, whole);
	samples = 0;
	random_state = 1;
}

/* THREADS of LO to HI ns, of each of which prof sees the part VISIBLE (percent); and the expected result. */
static uint64_t
many(unsigned threads, uint64_t lo, uint64_t hi, unsigned visible)
{
	uint64_t now = 0, seen = 0;

	for (unsigned i = 0; i < threads; i++) {
		uint64_t ns = lo + below(hi - lo + 1);

		ran("kid", ns, ns * visible / 100);
		now += 2 * ns;
		seen += ns * visible / 100;
		weigh_first(&w, now);
	}
	return seen / w.period;
}

static void
short_threads(void)
{
	static const struct { uint64_t period, lo, hi; } cases[] = {
		{ MS, MS / 2, MS / 2 }, { MS, MS / 3, MS }, { MS, 5 * MS, 5 * MS }, { MS, MS / 10, 40 * MS },
		{ 10 * MS, MS / 2, MS / 2 }, { 10 * MS, 5 * MS, 6 * MS }, { 10 * MS, 20 * MS, 30 * MS }, { MS / 5, MS / 2, MS },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned part = 0; part < 2; part++) {
			uint64_t expected;

			begin(cases[i].period, !part);
			expected = many(2000, cases[i].lo, cases[i].hi, part ? 70 : 100);
			CHECK(samples + weigh_left(&w) + expected / (part ? 8 : 50) + 5 >= expected);
			CHECK(samples <= expected + expected / (part ? 8 : 50) + 5);
			CHECK(samples + expected / 10 + 10 >= expected);
		}
}

/* Long ones alone are as without weights. */
static void
long_threads(void)
{
	struct task t = { .comm = "long" };

	begin(MS, true);
	for (unsigned i = 0; i < 1000; i++) {
		CHECK_U64(weigh_sample(&w, &t, MS + 1), 1);
		CHECK_U64(weigh_first(&w, (uint64_t)i * MS), 0);
	}
	CHECK_U64(w.first, MS + 1);
	w = (struct weights){ 0 };
	CHECK_U64(weigh_sample(&w, &t, 4711), 1);
	CHECK_U64(weigh_left(&w), 0);
}

/* The period is short while there are short threads, and for a while after that. */
static void
period_follows(void)
{
	uint64_t t = 0;

	begin(10 * MS, false);
	many(300, MS, MS, 100);
	CHECK(w.first >= 100000 && w.first <= MS / 2);
	t = w.looked;
	weigh_first(&w, t + 200 * MS);
	CHECK(w.first <= MS / 2);
	weigh_first(&w, t + 2000 * MS);
	CHECK_U64(w.first, 10 * MS + 1);
}

/* A sample that tells the period that the events were opened with is of one of them, and has the one asked for last. */
static void
opened_ones(void)
{
	struct task t = { .comm = "root" };

	begin(10 * MS, true);
	w.first = 2 * MS;
	for (unsigned i = 0; i < 50; i++)
		samples += weigh_sample(&w, &t, 10 * MS);
	CHECK_U64(samples, 10);
}

/* The time of threads' ends is shared out among the threads that end. */
static void
ends(void)
{
	begin(MS, true);
	many(100, MS / 2, MS / 2, 100);
	weigh_account(&w, 60 * MS);   /* 100 us more for each */
	CHECK(w.last >= 90000 && w.last <= 110000);
	samples = 0;
	many(1000, MS / 2, MS / 2, 100);
	CHECK(samples >= 570 && samples <= 630);
	weigh_account(&w, 10 * MS);
	CHECK_U64((uint64_t)w.last, 0);
}

int
main(void)
{
	RUN("sample_weight", short_threads);
	RUN("sample_weight", long_threads);
	RUN("sample_weight", period_follows);
	RUN("sample_weight", opened_ones);
	RUN("sample_weight", ends);
	return TEST_STATUS;
}
