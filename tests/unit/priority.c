/* How nice prof becomes while it is not real-time, by what it got of a CPU. */
#include "test.h"
#include "sample/events/priority.c"

static void
a_part_of_a_cpu(void)
{
	static const struct { int nice, before; uint64_t elapsed, ran; int want; } row[] = {
		{ 0, 0, 10000000, 10000000, 0 },          /* it has a CPU to itself */
		{ 0, 0, 10000000, 6000000, 0 },           /* one other thread */
		{ 0, 0, 10000000, 5000000, 0 },           /* the part that it wants */
		{ 0, 0, 10000000, 2500000, -4 },          /* half of that */
		{ 0, 0, 1000000000, 6600000, -20 },       /* one of 150 threads */
		{ 0, 0, 1000000000, 0, -20 },
		{ -17, 0, 10000000, 5500000, -17 },
		{ -20, 0, 10000000, 3700000, -20 },       /* 150 threads leave it that much */
		{ -20, 0, 10000000, 8000000, -17 },       /* the crowd has gone, or there was none */
		{ -2, 0, 10000000, 10000000, 0 },
		{ 5, 5, 10000000, 9000000, 5 },           /* never nicer than before */
		{ 5, 5, 10000000, 1250000, -2 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_U64(nice_for(row[i].nice, row[i].before, row[i].elapsed, row[i].ran), row[i].want);
}

/* Each row: ms between two looks, how long the process ran and waited, as far as the kernel had counted, whether it wanted a CPU at both. */
static void
kept_from_its_cpu(void)
{
	static const struct { uint64_t elapsed, ran, waited; bool before, now, ordinary, want; } row[] = {
		{ 100, 3, 0, false, false, false, false },
		{ 100, 2, 8, false, true, false, false },    /* it has just been woken */
		{ 100, 0, 0, false, true, false, false },
		{ 100, 0, 0, true, true, false, true },      /* it has wanted one for all that time */
		{ 100, 99, 0, true, true, false, false },    /* it had one for all that time */
		{ 200, 10, 140, false, false, false, true },
		{ 100, 30, 63, true, true, true, false },    /* an ordinary one beside 150 others */
		{ 100, 2, 97, true, true, true, true },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct guard before = { .looked = 7000000, .ran = 5000000, .waited = 6000000, .wants = row[i].before };
		struct guard now = { .looked = before.looked + row[i].elapsed * 1000000, .ran = before.ran + row[i].ran * 1000000,
		                     .waited = before.waited + row[i].waited * 1000000, .wants = row[i].now };

		CHECK_U64(is_kept(&before, &now, row[i].ordinary), row[i].want);
	}
}

int
main(void)
{
	RUN("priority", a_part_of_a_cpu);
	RUN("priority", kept_from_its_cpu);
	return TEST_STATUS;
}
