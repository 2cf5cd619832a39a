#include "test.h"
#include "lib/work.c"
#include "lib/cursor.h"

static uint8_t bytes[1 << 16];

/* How many bytes are read one by one until the end, as the cursor tells it. */
static size_t
read_all(unsigned times)
{
	size_t n = 0;

	for (unsigned i = 0; i < times; i++) {
		struct cursor c = cur_of(bytes, sizeof bytes, false);

		while (cur_left(&c)) {
			cur_u8(&c);
			n += !c.bad;
		}
	}
	return n;
}

static void
steps_end_cursors(void)
{
	struct work w = { 0 };

	CHECK_U64(read_all(1), sizeof bytes);   /* of nobody's file: no bound */
	work_begin(&w);
	CHECK_U64(read_all(200), STEPS_FIRST + 0u);
	CHECK(work_over());
	work_end();
	CHECK(w.over && !w.left);
	CHECK_U64(read_all(1), sizeof bytes);
}

static void
a_larger_file_may_take_more(void)
{
	struct work w = { 0 };

	work_begin(&w);
	work_allow(sizeof bytes * 100);
	CHECK_U64(read_all(200), sizeof bytes * 200);
	work_end();
	CHECK(!w.over);
}

static void
what_is_known_is_answered_when_it_is_over(void)
{
	struct work w = { .begun = true, .over = "was too much" };

	work_begin(&w);
	work_allow(1 << 30);
	CHECK_U64(read_all(1), STEPS_EACH + 0u);
	work_end();
	CHECK_STR(w.over, "was too much");
}

static void
a_file_within_is_part_of_it(void)
{
	struct work w = { 0 }, within = { 0 };

	work_begin(&w);
	work_begin(&within);
	read_all(1000);
	work_end();
	CHECK(!within.over && work_over());
	work_end();
	CHECK(w.over && !within.begun);
}

static void
memory_is_bounded(void)
{
	struct work w = { 0 };
	struct arena a = { 0 };

	work_begin(&w);
	CHECK(arena_alloc(&a, 8 << 20) && !arena_alloc(&a, MEMORY_FIRST) && work_over());
	work_end();
	CHECK(w.over && w.held >= 8 << 20);
	CHECK(arena_alloc(&a, MEMORY_FIRST));   /* of nobody's file */
	arena_free(&a);
}

static void
time_is_bounded(void)
{
	struct work w = { 0 };

	work_begin(&w);
	work_look();
	CHECK(!work_over());
	w.used = PATIENCE + 1;
	work_look();
	CHECK(work_over() && patience == PATIENCE / 2);
	CHECK_U64(read_all(1), 0);
	work_end();
	CHECK(w.over);
}

/* The handler that looks may interrupt work_begin. */
static void
a_look_may_come_while_work_begins(void)
{
	work_look();
	depth = 1;
	work_look();
	depth = 0;
	CHECK(!work_over() && !work_busy());
}

int
main(void)
{
	RUN("work", steps_end_cursors);
	RUN("work", a_larger_file_may_take_more);
	RUN("work", what_is_known_is_answered_when_it_is_over);
	RUN("work", a_file_within_is_part_of_it);
	RUN("work", memory_is_bounded);
	RUN("work", time_is_bounded);
	RUN("work", a_look_may_come_while_work_begins);
	return TEST_STATUS;
}
