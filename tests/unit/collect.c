#include "cmd/capture/collect.c"

#include "test.h"

#include <stdlib.h>

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

/* One thread of the profile for each name, where no output tells threads apart. */
static void
threads_of_one_name_are_one(void)
{
	for (unsigned by_name = 0; by_name < 2; by_name++) {
		struct task task[] = {
			{ .pid = 1, .tid = 1, .comm = "worker", .process = &process }, { .pid = 1, .tid = 2, .comm = "worker", .process = &process },
			{ .pid = 3, .tid = 3, .comm = "worker", .process = &process }, { .pid = 3, .tid = 4, .comm = "other", .process = &process },
		};
		struct collector *c = calloc(1, sizeof *c);

		CHECK(c && collector_init(c, MODE_AUTO, 64, false));
		c->by_name = by_name;
		profile_event(&c->profile, &(struct event_info){ "cpu-clock", 1000000, false });
		for (unsigned i = 0; i < 4; i++)
			collect_sample(c, &(struct sample){ .task = &task[i], .of = &sampled, .time = 5 + i, .count = 1 });
		CHECK_U64(c->profile.nthread, by_name ? 2 : 4);
		CHECK_U64(c->profile.thread[0].weight, by_name ? 3 : 1);
		CHECK_U64(c->profile.thread[0].tid, by_name ? 0 : 1);
		CHECK_U64(c->profile.thread[1].weight, 1);
		CHECK_U64(c->profile.samples, 4);
		collector_free(c);
		free(c);
	}
}

int
main(void)
{
	RUN("collect", a_sample_counts_at_once_for_many);
	RUN("collect", threads_of_one_name_are_one);
	return TEST_STATUS;
}
