/* Decisions as a table: how a capture begins, what prof sees, and what it then asks of the kernel. */
#include "test.h"
#include "sample/events/pressure.c"

static const struct pressure_given one = {
	.freq = 4999, .events = 1, .cpus = 2, .ring_bytes = 8 << 20, .stacks = true, .chain_may = true, .first = true,
};
static struct pressure p;

static struct pressure_given
with(bool first, uint64_t ring, uint64_t freq)
{
	struct pressure_given g = one;

	g.first = first;
	g.ring_bytes = ring;
	g.freq = freq;
	return g;
}

/* Rounds that come 100 ms apart, each with a ring so full and so many records dropped in all. */
static uint64_t now;

static void
rounds(unsigned n, uint64_t fullest, uint64_t dropped)
{
	while (n--)
		pressure_read(&p, &(struct pressure_round){ .time = now += 100000000, .fullest = fullest, .dropped = dropped, .threads = 8 });
}

static bool
walked(uint64_t walks, uint64_t cut, uint64_t in_fp, uint64_t used)
{
	struct stack_use samples = { walks, cut, in_fp, used }, waits = { 0 };

	return pressure_used(&p, &samples, &waits);
}

static void
rings_are_as_large_as_memory_allows(void)
{
	static const struct { uint64_t memory, freq; uint32_t n; uint64_t bytes; } row[] = {
		{ UINT64_MAX, 0, 2, 8 << 20 },
		{ UINT64_C(24) << 30, 4999, 2, 8 << 20 },
		{ UINT64_C(24) << 30, 99, 2, 2 << 20 },        /* no larger than the rate needs */
		{ UINT64_C(24) << 30, 199, 2, 2 << 20 },
		{ UINT64_C(24) << 30, 499, 2, 4 << 20 },
		{ UINT64_C(24) << 30, 999, 2, 8 << 20 },
		{ UINT64_C(24) << 30, 999, 64, 2 << 20 },      /* 128 MiB for all */
		{ UINT64_C(512) << 20, 0, 2, 8 << 20 },        /* a thirty-second part of it */
		{ UINT64_C(256) << 20, 0, 2, 4 << 20 },
		{ UINT64_C(64) << 20, 99, 2, 1 << 20 },
		{ UINT64_C(1) << 20, 0, 64, 8192 },            /* none smaller than that */
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_U64(pressure_ring(row[i].memory, row[i].n, 8192, row[i].freq), row[i].bytes);
	CHECK_U64(pressure_wakes(8 << 20, true), 4 << 20);
	CHECK_U64(pressure_wakes(8 << 20, false), 2 << 20);
	CHECK_U64(pressure_wakes(1 << 20, true), 256 << 10);
	CHECK_U64(pressure_track(8 << 20, 4096), 128 << 10);
	CHECK_U64(pressure_track(64 << 10, 4096), 16384);
	CHECK(pressure_deep(8 << 20));
	CHECK(!pressure_deep(32 << 10));
}

static void
copies_begin_long(void)
{
	static const struct {
		bool first, fixed, stops, children;
		uint32_t stack;
		uint64_t ring, freq, deep;
		uint32_t want, want_wait;
	} row[] = {
		{ true, false, false, false, 0, 8 << 20, 4999, 0, 65528, 8192 },
		{ true, false, false, false, 0, 8 << 20, 4999, 240 << 10, 8192, 8192 },
		{ true, true, false, false, 30000, 8 << 20, 4999, 0, 30000, 30000 },
		{ false, false, false, true, 0, 8 << 20, 4999, 0, 16384, 8192 },
		{ false, false, true, false, 0, 1 << 20, 999, 0, 16384, 8192 },
		{ true, false, false, false, 0, 1 << 20, 10000, 0, 5240, 5240 },      /* 20 ms of samples */
		{ false, false, false, false, 0, 1 << 20, 10000, 0, 2096, 2096 },     /* 50 ms */
		{ false, false, false, false, 0, 8 << 10, 10000, 0, 1024, 1024 },     /* the least */
		{ false, true, false, false, 60000, 64 << 10, 10000, 0, 16384, 16384 },/* the most, whatever is asked for */
		{ false, false, false, false, 0, 8 << 20, 0, 0, 65528, 8192 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct pressure_given g = with(row[i].first, row[i].ring, row[i].freq);

		g.fixed = row[i].fixed;
		g.stops = row[i].stops;
		g.children = row[i].children;
		g.stack = row[i].stack;
		g.deep = row[i].deep;
		pressure_begin(&p, &g);
		CHECK_U64(p.want.stack, row[i].want);
		CHECK_U64(p.want.wait_stack, row[i].want_wait);
		CHECK_U64(p.want.deep, row[i].deep);
	}
	p.given.stacks = false;
	pressure_begin(&p, &p.given);
	CHECK_U64(p.want.stack, 0);
}

/* 300 threads on two CPUs: the reader may have to wait for 900 ms. */
static void
copies_begin_short_in_a_crowd(void)
{
	static const struct { bool first; uint32_t wanted, want; } row[] = {
		{ false, 0, 65528 }, { false, 16, 65528 }, { false, 300, 4664 }, { false, 1000000, 1024 }, { true, 300, 65528 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct pressure_given g = with(row[i].first, 4 << 20, 999);

		g.wanted = row[i].wanted;
		pressure_begin(&p, &g);
		CHECK_U64(p.want.stack, row[i].want);
	}
}

static void
copies_follow_the_need(void)
{
	static const struct { uint64_t walks, cut, in_fp, used; bool changed; uint32_t want; bool chain; } row[] = {
		{ 999, 0, 0, 3000, false, 65528, false },     /* not enough is known */
		{ 1000, 0, 0, 3000, true, 16384, false },
		{ 1000, 0, 0, 3000, false, 16384, false },    /* four times as many for the next change */
		{ 4000, 0, 0, 3000, false, 16384, false },    /* there is no less */
		{ 300, 1, 0, 16000, false, 16384, false },    /* one may be cut */
		{ 1000, 4, 0, 16000, false, 16384, false },   /* and one in two hundred */
		{ 300, 2, 0, 16000, true, 65528, false },
		{ 300, 2, 1, 65000, false, 65528, false },
		{ 300, 2, 2, 65000, true, 65528, true },      /* the longest are too short */
		{ 70000, 0, 0, 16000, false, 65528, true },   /* half would be too short for twice that */
		{ 70000, 0, 0, 7000, true, 16384, true },
	};

	pressure_begin(&p, &one);
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		CHECK_U64(walked(row[i].walks, row[i].cut, row[i].in_fp, row[i].used), row[i].changed);
		CHECK_U64(p.want.stack, row[i].want);
		CHECK_U64(p.want.chain, row[i].chain);
	}
	pressure_begin(&p, &one);
	p.given.fixed = true;
	CHECK(!walked(5000, 0, 0, 100));
	CHECK_U64(p.want.stack, 65528);
	pressure_begin(&p, &one);
	p.given.chain_may = false;
	CHECK(!walked(300, 2, 2, 65000));
	CHECK(!p.want.chain);
}

static void
copies_of_waits_follow_theirs(void)
{
	static const struct { uint64_t walks, cut, used; uint32_t want; } row[] = {
		{ 999, 0, 500, 8192 },
		{ 1000, 0, 500, 1024 },
		{ 10, 2, 1024, 4096 },
		{ 10, 2, 4096, 16384 },
		{ 10, 2, 4096, 65528 },
		{ 1000, 0, 4000, 8192 },
	};

	pressure_begin(&p, &one);
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct stack_use samples = { 0 }, waits = { row[i].walks, row[i].cut, 0, row[i].used };

		CHECK(!pressure_used(&p, &samples, &waits));
		CHECK_U64(p.want.wait_stack, row[i].want);
		CHECK_U64(p.want.stack, 65528);
	}
}

/* prof gives up what costs least first, one thing at a time. */
static void
less_is_taken_in(void)
{
	static const struct { uint64_t fullest, dropped; uint32_t wait; uint64_t deep; uint32_t stack; unsigned slower; } row[] = {
		{ 74, 0, 8192, 245760, 8192, 0 },
		{ 75, 0, 2048, 245760, 8192, 0 },
		{ 75, 0, 1024, 245760, 8192, 0 },
		{ 75, 0, 1024, 122880, 8192, 0 },
		{ 0, 1, 1024, 61440, 8192, 0 },           /* something was dropped */
		{ 0, 1, 1024, 61440, 8192, 0 },           /* but nothing since */
		{ 75, 1, 1024, 0, 8192, 0 },
		{ 75, 1, 1024, 0, 4096, 0 },
		{ 95, 1, 1024, 0, 1024, 0 },              /* an eighth of it, at least the least */
		{ 95, 1, 1024, 0, 1024, 1 },
		{ 95, 1, 1024, 0, 1024, 2 },
	};
	struct pressure_given g = one;

	g.waits = true;
	g.deep = 245760;
	pressure_begin(&p, &g);
	now = 0;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		pressure_read(&p, &(struct pressure_round){ .time = now += 50000000, .fullest = row[i].fullest, .dropped = row[i].dropped,
		                                            .may_slow = true });
		CHECK_U64(p.want.wait_stack, row[i].wait);
		CHECK_U64(p.want.deep, row[i].deep);
		CHECK_U64(p.want.stack, row[i].stack);
		CHECK_U64(p.want.slower, row[i].slower);
	}
	for (unsigned i = 0; i < 20; i++)
		pressure_read(&p, &(struct pressure_round){ .time = now += 50000000, .fullest = 100, .may_slow = true });
	CHECK_U64(p.want.slower, 6);
}

/* How much the BPF program may read beyond a copy. */
static void
deep_samples_fit(void)
{
	static const struct { uint64_t freq, ring, deep; } row[] = {
		{ 99, 2 << 20, 737280 },
		{ 999, 8 << 20, 737280 },
		{ 999, 4 << 20, 466033 },         /* nine of them */
		{ 99, 1 << 20, 524288 },
		{ 999, 1 << 20, 245760 },         /* as much in any ring */
		{ 0, 8 << 20, 245760 },           /* nobody knows how often samples come */
	};
	struct pressure_given g = one;

	g.deep = 737280;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		g.freq = row[i].freq;
		g.ring_bytes = row[i].ring;
		pressure_begin(&p, &g);
		CHECK_U64(p.want.deep, row[i].deep);
	}
	g.deep = 0;
	pressure_begin(&p, &g);
	CHECK_U64(p.want.deep, 0);
	g.deep = 737280;                  /* what it may, less and more, is never more than that */
	g.ring_bytes = 4 << 20;
	g.freq = 999;
	pressure_begin(&p, &g);
	CHECK(less_deep(&p) && less_deep(&p) && p.want.deep == 466033 / 4);
	while (more_deep(&p))
		CHECK(p.want.deep <= 466033);
	CHECK_U64(p.want.deep, 466033);
}

/* Most changes open the events again, and the rings still hold records of the old ones. So prof makes one step, and then waits. */
static void
one_step_a_time(void)
{
	pressure_begin(&p, &one);
	now = 1000000000;
	rounds(1, 80, 0);
	CHECK_U64(p.want.stack, 32760);
	pressure_read(&p, &(struct pressure_round){ .time = now + 20000000, .fullest = 80 });
	CHECK_U64(p.want.stack, 32760);
	pressure_read(&p, &(struct pressure_round){ .time = now + 20000001, .fullest = 80 });
	CHECK_U64(p.want.stack, 16376);
	/* What the BPF program reads changes at once. */
	p.given.deep = 245760;
	pressure_begin(&p, &(struct pressure_given){ .freq = 999, .events = 1, .cpus = 2, .ring_bytes = 8 << 20, .stacks = true, .deep = 245760 });
	for (uint64_t deep = 122880; deep > 61440 / 2; deep /= 2) {
		pressure_read(&p, &(struct pressure_round){ .time = now++, .fullest = 80 });
		CHECK_U64(p.want.deep, deep);
	}
	CHECK_U64(p.want.stack, 8192);
}

static void
more_is_read_again_when_it_is_calm(void)
{
	struct pressure_given g = one;

	g.deep = 245760;
	pressure_begin(&p, &g);
	now = 0;
	rounds(4, 90, 0);
	CHECK_U64(p.want.deep, 0);
	rounds(16, 10, 0);   /* the pause has become longer with each step: 800 ms, twice */
	CHECK_U64(p.want.deep, 0);
	rounds(1, 10, 0);
	CHECK_U64(p.want.deep, 61440);
	rounds(40, 10, 0);
	CHECK_U64(p.want.deep, 245760);
}

/* An ordinary reader's copies begin short and become longer where it has been early. */
static void
room_is_found(void)
{
	struct pressure_given g = with(false, 1 << 20, 10000);

	pressure_begin(&p, &g);
	now = 0;
	CHECK_U64(p.want.stack, 2096);
	CHECK(!walked(10, 5, 0, 2000));   /* nothing is known of how late it comes */
	CHECK_U64(p.want.stack, 2096);
	rounds(8, 20, 0);
	CHECK(!walked(10, 5, 0, 2000));   /* 20 ms at most, with more threads than CPUs */
	CHECK_U64(p.want.stack, 2096);
	p.given.freq = 1000;
	rounds(8, 20, 0);
	walked(10, 5, 0, 2000);
	CHECK_U64(p.want.stack, 8384);
	rounds(8, 60, 0);   /* it comes late */
	walked(10, 5, 0, 2000);
	CHECK_U64(p.want.stack, 8384);
}

/* A real-time reader that could not run for once gets its long copies back: it is woken when a ring is half full. */
static void
room_is_found_again(void)
{
	pressure_begin(&p, &one);
	now = 0;
	rounds(1, 100, 5);
	CHECK_U64(p.want.stack, 8184);
	rounds(20, 51, 5);
	walked(10, 5, 0, 2000);
	CHECK_U64(p.want.stack, 32736);
	rounds(20, 51, 5);
	walked(10, 5, 0, 2000);
	CHECK_U64(p.want.stack, 65472);
	rounds(20, 70, 5);   /* that late it keeps them, and gets no longer ones */
	walked(10, 5, 0, 2000);
	CHECK_U64(p.want.stack, 65472);
}

static void
what_is_refused_stays(void)
{
	struct intake is;

	pressure_begin(&p, &one);
	is = p.want;
	CHECK(walked(1000, 0, 0, 3000));
	CHECK_U64(p.want.stack, 16384);
	pressure_refused(&p, &is);
	CHECK_U64(p.want.stack, 65528);
	CHECK(!walked(10, 0, 0, 3000));   /* and is not asked for again at once */
	CHECK_U64(p.want.stack, 65528);
	rounds(1, 10, 0);
	CHECK_U64(p.want.stack, 65528);
}

/* Seconds of samples at 999 Hz that cost CPU time each, while prof takes one of so many of them. */
static uint64_t
seconds(unsigned n, uint64_t each)
{
	static uint64_t samples, cpu;
	uint64_t used = 0;

	for (; n; n--)
		for (unsigned i = 0; i < 2; i++) {
			uint64_t cost = 500 * each / p.want.one_of;

			used += cost;
			pressure_read(&p, &(struct pressure_round){ .time = now += 500000000, .samples = samples += 500, .cpu = cpu += cost });
		}
	return used;
}

static void
prof_is_no_load(void)
{
	static const struct { uint64_t freq, budget; } row[] = { { 99, 18495000 }, { 999, 22995000 }, { 4999, 42995000 } };

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_U64(pressure_budget(1000000000, row[i].freq), row[i].budget);
	pressure_begin(&p, &one);
	now = 1000000000;
	seconds(60, 20000);
	CHECK_U64(p.want.one_of, 1);
	CHECK(seconds(2, 120000) <= 250000000);   /* a short capture has all samples */
	CHECK_U64(p.want.one_of, 1);
	seconds(8, 120000);
	for (unsigned i = 0; i < 10; i++)
		CHECK(seconds(60, 120000) <= 60 * UINT64_C(23000000) + 250000000);
	CHECK(p.want.one_of >= 4 && p.want.one_of <= 8);
	CHECK(seconds(10, 120000) >= 8 * 23000000);   /* and no fewer than it may */
	seconds(20, 100000000);
	CHECK_U64(p.want.one_of, 64);
	seconds(600, 7000);
	CHECK_U64(p.want.one_of, 1);
	/* What it did not use for long it may not use at once. */
	seconds(600, 0);
	CHECK(seconds(10, 120000) <= 10 * UINT64_C(23000000) + 2 * 250000000);
	/* A helper's time is gone with it. */
	pressure_begin(&p, &one);
	for (uint64_t cpu = 9; cpu; cpu--)
		pressure_read(&p, &(struct pressure_round){ .time = now += 500000000, .cpu = cpu });
	CHECK_U64(p.want.one_of, 1);
}

static void
the_reader_sleeps(void)
{
	static const struct { uint64_t since, calm; bool write, stops; int64_t ms; } row[] = {
		{ 0, 0, false, false, 5 },
		{ 199999999, 0, false, false, 5 },
		{ 200000000, 0, false, false, 50 },
		{ 5000000000, 0, false, false, 50 },
		{ 5000000000, 1000000000, false, false, 200 },
		{ 5000000000, 1000000000, true, false, 50 },
		{ 5000000000, 1000000000, false, true, 50 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		p.given.stops = row[i].stops;
		CHECK_U64(pressure_sleep(&p, row[i].since, row[i].calm, row[i].write), row[i].ms * 1000000);
	}
}

static void
programs_that_come_wake_it(void)
{
	pressure_begin(&p, &one);
	CHECK_U64(pressure_nap(&p, 4), 258000);
	rounds(1, 0, 0);
	CHECK_U64(pressure_nap(&p, 0), 281250);
	rounds(50, 0, 0);
	CHECK_U64(pressure_nap(&p, 0), 4000000);
	pressure_read(&p, &(struct pressure_round){ .time = now, .new = true });
	CHECK_U64(pressure_nap(&p, 0), 250000);
	p.want.one_of = 2;   /* prof takes too much CPU time: it wakes less often */
	CHECK_U64(pressure_nap(&p, 0), 1000000);
}

static void
spare_time(void)
{
	pressure_begin(&p, &one);
	CHECK_U64(pressure_spare(&p, 1000000), 0);   /* programs may come */
	rounds(50, 0, 0);
	CHECK_U64(pressure_spare(&p, 1000000), UINT64_C(8388608) * 1000000 / 66040);
	p.given.waits = true;
	CHECK_U64(pressure_spare(&p, 1000000), 0);
	p.given.waits = false;
	p.given.first = false;
	CHECK_U64(pressure_spare(&p, 1000000), 0);   /* it is not known how long it waits for a CPU */
	pressure_awake(&p, 1000000, 250000);         /* a quarter of the time it had one; eight threads want the two */
	CHECK_U64(pressure_spare(&p, 1000000), UINT64_C(8388608) * 1000000 / 66040 / 4 * 2 / 10 / 1000 * 250);
	rounds(1, 51, 0);
	CHECK_U64(pressure_spare(&p, 1000000), 0);
}

static void
registers_behind_a_stack_have_room(void)
{
	struct pressure p;
	struct pressure_given g = one;

	g.fixed = true;
	g.stack = 65528;
	pressure_begin(&p, &g);
	CHECK_U64(p.want.stack, 65528);
	CHECK_U64(p.want.wait_stack, 65528);
	g.behind = true;
	pressure_begin(&p, &g);
	CHECK(p.want.stack <= 65536 - 2048);
	CHECK(p.want.wait_stack <= 65536 - 2048);
}

int
main(void)
{
	RUN("pressure", rings_are_as_large_as_memory_allows);
	RUN("pressure", copies_begin_long);
	RUN("pressure", copies_begin_short_in_a_crowd);
	RUN("pressure", registers_behind_a_stack_have_room);
	RUN("pressure", copies_follow_the_need);
	RUN("pressure", copies_of_waits_follow_theirs);
	RUN("pressure", less_is_taken_in);
	RUN("pressure", one_step_a_time);
	RUN("pressure", more_is_read_again_when_it_is_calm);
	RUN("pressure", room_is_found);
	RUN("pressure", room_is_found_again);
	RUN("pressure", what_is_refused_stays);
	RUN("pressure", prof_is_no_load);
	RUN("pressure", the_reader_sleeps);
	RUN("pressure", programs_that_come_wake_it);
	RUN("pressure", deep_samples_fit);
	RUN("pressure", spare_time);
	return TEST_STATUS;
}
