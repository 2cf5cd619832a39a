#include "cmd/capture/collect.c"

#include "test.h"

static const struct event sampled;
static struct process process;

/* A sample that stands for many, as after a long sleep with --idle, takes no longer than any other. */
static void
a_sample_counts_at_once_for_many(void)
{
	struct task task = { .pid = 1, .tid = 1, .comm = "idle", .process = &process };
	static struct collector c;

	CHECK(collector_init(&c, MODE_AUTO, 64, false));
	profile_event(&c.profile, &(struct event_info){ "cpu-clock", 1000000, false });
	collect_sample(&c, &(struct sample){ .task = &task, .of = &sampled, .time = 5, .count = UINT64_C(1) << 40 });
	collect_sample(&c, &(struct sample){ .task = &task, .of = &sampled, .time = 6 });   /* a later sample counts, too */
	CHECK_U64(c.profile.samples, UINT64_C(1) << 40);
	CHECK_U64(c.profile.thread[0].weight, UINT64_C(1) << 40);
	CHECK_U64(c.profile.dropped, 0);
	collector_free(&c);
}

int
main(void)
{
	RUN("collect", a_sample_counts_at_once_for_many);
	return TEST_STATUS;
}
