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

int
main(void)
{
	RUN("priority", a_part_of_a_cpu);
	return TEST_STATUS;
}
