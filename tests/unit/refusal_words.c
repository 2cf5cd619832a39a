/* prof makes sentences of what the kernel refused. */
#include "test.h"
#include "sample/rights/refusal_words.c"

#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "sample/events/event.h"

static struct event event = { .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .user = true };
static const struct capture capture = { .target = TARGET_COMMAND, .event = &event, .nevent = 1, .freq = 99 };

static void
words_stay(void)
{
	struct refusal r = { .what = "-G x: there is no such cgroup", .mend = "m", .last = "l" };

	refusal_words(&r, &capture);
	CHECK_STR(r.what, "-G x: there is no such cgroup");
	CHECK_STR(r.mend, "m");
	CHECK_STR(r.last, "l");
}

/* prof says each refusal once; after that it has forgotten it. */
static void
notes_become_words(void)
{
	struct refusal r = { .of = REFUSED_RING, .err = EPERM, .last = "l" };

	refusal_words(&r, &capture);
	CHECK(r.of == REFUSED_NOTHING && strstr(r.what, "perf_event_mlock_kb") && strstr(r.mend, "sysctl kernel.perf_event_mlock_kb"));
	CHECK_STR(r.last, "l");
	r = (struct refusal){ .of = REFUSED_EVENT, .err = EMFILE };
	refusal_words(&r, &capture);
	CHECK(r.of == REFUSED_NOTHING && strstr(r.what, "cannot profile the command (") && strstr(r.what, "descriptors"));
	r = (struct refusal){ .of = REFUSED_TRACE, .err = EBUSY, .pid = getpid(), .last = "l" };
	refusal_words(&r, &capture);
	CHECK(r.of == REFUSED_NOTHING && strstr(r.what, "traces it already, and only one process can"));
	CHECK_STR(r.last, "l");
}

/* The event that the kernel refused is named, whatever stands before it. */
static void
names_the_refused_event(void)
{
	struct event events[] = { { .name = "kprobe:f", .type = 9 }, { .name = "cycles", .type = PERF_TYPE_HARDWARE }, { .name = "page-faults", .type = PERF_TYPE_SOFTWARE } };
	const struct capture several = { .target = TARGET_COMMAND, .event = events, .nevent = 3, .freq = 99,
	                                 .pid = (const int32_t[]){ getpid() }, .npid = 1 };
	struct refusal r = { .of = REFUSED_EVENT, .err = ENOENT, .event = 2 };

	refusal_words(&r, &several);
	CHECK_STR(r.what, "cannot profile the command: this machine has no counter that can sample 'cycles' (virtual machines often have none)");
	CHECK_STR(r.mend, "leave cycles out of -e, or write cpu-clock in its place");
	r = (struct refusal){ .of = REFUSED_EVENT, .err = ENOENT, .event = 3 };
	refusal_words(&r, &several);
	CHECK_STR(r.what, "cannot profile the command: this kernel has no event 'page-faults'");
	r = (struct refusal){ .of = REFUSED_EVENT, .err = ENOENT, .event = 1 };
	refusal_words(&r, &several);
	CHECK(strstr(r.what, "the kernel has no function as in 'kprobe:f'"));
}

int
main(void)
{
	RUN("refusal_words", words_stay);
	RUN("refusal_words", notes_become_words);
	RUN("refusal_words", names_the_refused_event);
	return TEST_STATUS;
}
