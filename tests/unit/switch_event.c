/* What a sample of sched:sched_waking says, and what stands in for sched:sched_switch. */
#include "test.h"
#include "sample/events/switch_event.c"

/* The tracepoint's fields: common_flags at 2, comm at 8, pid at 24, as far as SIZE. */
static bool
woken(uint8_t flags, size_t size, int32_t *tid, bool *interrupt)
{
	uint8_t bytes[32] = { 0 };
	int32_t pid = 4711;

	bytes[2] = flags;
	memcpy(bytes + 8, "a comm", 7);
	memcpy(bytes + 24, &pid, sizeof pid);
	return switch_event_woken(cur_of(bytes, size, false), tid, interrupt);
}

static void
waking(void)
{
	int32_t tid = 0;
	bool interrupt = true;

	CHECK(woken(1, 32, &tid, &interrupt) && tid == 4711 && !interrupt);
	CHECK(woken(8, 28, &tid, &interrupt) && tid == 4711 && interrupt);     /* hard */
	CHECK(woken(16, 28, &tid, &interrupt) && tid == 4711 && interrupt);    /* soft */
	CHECK(!woken(1, 27, &tid, &interrupt));
	CHECK(!woken(1, 0, &tid, &interrupt));
}

static void
other(void)
{
	struct event e = { .type = PERF_TYPE_TRACEPOINT, .config = 77 };

	CHECK(switch_event_other(&e));
	CHECK(e.type == PERF_TYPE_SOFTWARE && e.config == PERF_COUNT_SW_CONTEXT_SWITCHES);
	CHECK(!switch_event_other(&e));
	e = switch_event();
	CHECK(e.waits && !e.wakes && e.user && e.kernel);
}

static void
no_such_tracepoint(void)
{
	char text[64];
	uint64_t id;

	CHECK(!tracefs_id("sched", "no_such_event", &id) && !tracefs_format("sched", "no_such_event", text, sizeof text));
}

int
main(void)
{
	RUN("switch_event", waking);
	RUN("switch_event", other);
	RUN("switch_event", no_such_tracepoint);
	return TEST_STATUS;
}
