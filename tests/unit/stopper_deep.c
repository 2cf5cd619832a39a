/* Stacks that the stopper reads beyond their copy: this process's own memory stands for the thread's. */
#include "test.h"
#include "sample/ptrace/stopper_deep.c"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALL = 100, COPY = 16 * DEEP_PAGE };

static struct deep_told told;
static struct deep_copy copy;
static uint8_t *memory;

static uint64_t
at(uint64_t off)
{
	return (uint64_t)(uintptr_t)(memory + off);
}

static void
take(uint64_t top)
{
	told.top[deep_place(at(100), DEEP_REGION)] = top;
	deep_take(&copy, &told, (int32_t)getpid(), at(100), COPY);
}

static void
begin(void)
{
	memset(&told, 0, sizeof told);
	told.most = DEEP_MOST;
	for (uint64_t i = 0; i < ALL; i++)
		memset(memory + i * DEEP_PAGE, (int)i, DEEP_PAGE);
}

static void
it_reads_to_where_stacks_end(void)
{
	begin();
	take(at(20 * DEEP_PAGE + 8) & ~UINT64_C(7));
	CHECK_U64(copy.pages, 5);
	for (uint64_t i = 0; i < 5; i++) {
		CHECK_U64(copy.page[i], at((16 + i) * DEEP_PAGE));
		CHECK_U64(copy.bytes[i * DEEP_PAGE], 16 + i);
	}
	take(at(COPY) | DEEP_FLAGS);   /* the copy is enough */
	CHECK_U64(copy.pages, 0);
	take(8);
	CHECK_U64(copy.pages, 0);
	take(0);   /* not known */
	CHECK_U64(copy.pages, DEEP_STOPPED / DEEP_PAGE);
	CHECK_U64(copy.page[59], at(75 * DEEP_PAGE));
}

static void
it_reads_no_more_than_it_may(void)
{
	begin();
	told.most = 3 * DEEP_PAGE + 1;
	take(0);
	CHECK_U64(copy.pages, 3);
	told.most = 0;
	take(0);
	CHECK_U64(copy.pages, 0);
	told.most = UINT64_MAX;
	take(UINT64_MAX);
	CHECK_U64(copy.pages, DEEP_STOPPED / DEEP_PAGE);
	deep_take(&copy, &told, (int32_t)getpid(), at(90 * DEEP_PAGE), 0);   /* memory ends */
	CHECK_U64(copy.pages, ALL - 90);
	deep_take(&copy, &told, (int32_t)getpid(), UINT64_MAX - 5, DEEP_PAGE);
	CHECK_U64(copy.pages, 0);
}

static void
array(uint64_t lo, uint64_t hi)
{
	told.hole[deep_hole_place(at(lo * DEEP_PAGE))] = (struct deep_hole){ at(lo * DEEP_PAGE), at(hi * DEEP_PAGE) };
}

static void
it_leaves_arrays_out(void)
{
	begin();
	array(18, 90);
	take(0);
	CHECK_U64(copy.pages, 12);
	CHECK_U64(copy.page[1], at(17 * DEEP_PAGE));
	CHECK_U64(copy.page[2], at(90 * DEEP_PAGE));
	CHECK_U64(copy.bytes[2 * DEEP_PAGE], 90);
	begin();
	array(3, 95);   /* begins in the copy */
	take(0);
	CHECK_U64(copy.pages, 5);
	CHECK_U64(copy.page[0], at(95 * DEEP_PAGE));
	begin();
	for (uint64_t i = 16; i < ALL; i += 2)   /* lies: one page each */
		array(i, i + 1);
	take(0);
	CHECK(copy.pages <= PIECES);
	begin();
	array(16, 10);
	take(at(18 * DEEP_PAGE));
	CHECK_U64(copy.pages, 2);
	told.hole[deep_hole_place(at(16 * DEEP_PAGE))] = (struct deep_hole){ at(16 * DEEP_PAGE), UINT64_MAX };
	take(0);
	CHECK_U64(copy.pages, 0);
}

/* The last part is small, and would find room again. */
static void
nothing_follows_a_part_that_found_no_room(void)
{
	static struct perf_event_mmap_page page;
	enum { RING = 1 << 18, USED = 80000 };
	static uint8_t ring[RING];
	struct emit e = { .page = &page, .data = ring, .size = RING, .head = USED, .put = USED, .wake = -1 };
	const uint64_t word[16] = { 0 };

	begin();
	told.most = 2 * DEEP_PART + DEEP_PAGE;
	take(0);
	CHECK_U64(copy.pages, 2 * DEEP_PART_PAGES + 1);
	deep_tell(&copy, &e, word, 0);
	CHECK_U64((e.head - USED) / DEEP_PAGE, DEEP_PART_PAGES);
}

int
main(void)
{
	/* In one region, and with nothing behind. */
	uint8_t *room = mmap(NULL, 4 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memory = (uint8_t *)(((uintptr_t)room + (1 << 20)) >> DEEP_REGION << DEEP_REGION);
	mprotect(memory, ALL * DEEP_PAGE, PROT_READ | PROT_WRITE);
	RUN("stopper_deep", it_reads_to_where_stacks_end);
	RUN("stopper_deep", it_reads_no_more_than_it_may);
	RUN("stopper_deep", it_leaves_arrays_out);
	RUN("stopper_deep", nothing_follows_a_part_that_found_no_room);
	return TEST_STATUS;
}
