#include "test.h"

#include "sample/events/lent_event.c"

static bool
lent(uint32_t type, uint64_t config, uint64_t count)
{
	struct event e = { .type = type, .config = config, .is_time = type == PERF_TYPE_SOFTWARE && config <= PERF_COUNT_SW_TASK_CLOCK };
	struct capture c = { .count = count, .event = &e, .nevent = 1 };

	return !lent_event_refused(&c, &e);
}

static void
what_is_known_is_lent(void)
{
	struct event e = { .type = PERF_TYPE_HARDWARE, .precise = 1 };
	struct capture c = { .event = &e, .nevent = 1 };

	CHECK(lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0) && lent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0));
	CHECK(lent(PERF_TYPE_HW_CACHE, 0x10000, 0) && lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1));
	CHECK(!lent(PERF_TYPE_RAW, 0x1c4, 0) && !lent(PERF_TYPE_TRACEPOINT, 1, 0) && !lent(PERF_TYPE_BREAKPOINT, 0, 0));
	CHECK(!lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, 0) && !lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0));
	for (uint32_t type = PERF_TYPE_MAX; type < 40; type++)   /* probes, and what else sysfs has */
		CHECK(!lent(type, 0, 0));
	CHECK(lent_event_refused(&c, &e));
	e = (struct event){ .type = PERF_TYPE_SOFTWARE, .config1 = 1 };
	CHECK(lent_event_refused(&c, &e));
}

static void
least_periods(void)
{
	CHECK(!lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 99999) && lent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 100000));
	CHECK(!lent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1) && lent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 100000));
}

/* Whatever is asked for, samples times bytes are bounded. */
static void
bytes_a_second(void)
{
	static const uint64_t counts[] = { 0, 100000, 1000000, 1 };

	for (unsigned n = 1; n <= 5; n++)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
			for (uint64_t freq = 1; freq <= LENT_RATE; freq *= 10) {
				struct event e = { .type = PERF_TYPE_SOFTWARE, .is_time = counts[i] > 1 };
				struct capture c = { .count = counts[i], .event = &e, .nevent = n };
				uint64_t rate = !counts[i] ? freq : e.is_time ? 1000000000 / counts[i] : 100000;
				uint32_t bytes = lent_event_stack(&c, &e, counts[i] ? 0 : freq, 65528);

				CHECK(bytes % 8 == 0 && bytes <= 65528 && bytes * rate * n <= SECOND_BYTES);
			}
	CHECK_U64(lent_event_stack(&(struct capture){ .nevent = 1 }, &(struct event){ .is_time = true }, 999, 65528), 65528);
	CHECK_U64(lent_event_stack(&(struct capture){ .nevent = 1 }, &(struct event){ .waits = true }, 0, 65528), WAIT_BYTES);
}

/* No CPU, and nobody else's thread. */
static void
threads_alone(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000, .exclude_kernel = 1 };

	errno = 0;
	CHECK(lent_event_open(&a, -1, 0) < 0 && errno == EPERM);
	CHECK(lent_event_open(&a, INT32_MAX, 0) < 0 && errno == ESRCH);
	if (getuid())
		CHECK(lent_event_open(&a, 1, 0) < 0 && errno == EPERM);
}

int
main(void)
{
	RUN("lent_event", what_is_known_is_lent);
	RUN("lent_event", least_periods);
	RUN("lent_event", bytes_a_second);
	RUN("lent_event", threads_alone);
	return TEST_STATUS;
}
