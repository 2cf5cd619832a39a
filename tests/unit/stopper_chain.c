/* An interpreter's frames that the stopper copies: this process's own memory stands for the thread's. */
#include "test.h"
#include "sample/ptrace/stopper_chain.c"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 64, BACK = 8 };

static struct deep_told told;
static struct chain_copy copy;
static uint8_t *memory;

static uint64_t
at(uint64_t off)
{
	return (uint64_t)(uintptr_t)(memory + off);
}

static void
put(uint64_t off, uint64_t v)
{
	memcpy(memory + off, &v, sizeof v);
}

/* The state is at the beginning of memory; its word is FRAME. */
static void
begin(uint64_t frame)
{
	int32_t tid = (int32_t)getpid();

	memset(memory, 0, PAGES * DEEP_PAGE);
	put(0, frame);
	told.chain[tid & ((1 << DEEP_CHAINS) - 1)] = (struct deep_chain){ (uint64_t)tid, at(0), DEEP_NO_THEN, BACK };
}

static void
take(uint64_t stack, uint64_t size)
{
	chain_take(&copy, &told.chain[(int32_t)getpid() & ((1 << DEEP_CHAINS) - 1)], NULL, (int32_t)getpid(), 0, &(struct piece){ at(stack), size, memory + stack });
}

static void
pages_of_all_frames_are_copied_once(void)
{
	begin(at(3 * DEEP_PAGE));
	put(3 * DEEP_PAGE + BACK, at(3 * DEEP_PAGE + 512));
	put(3 * DEEP_PAGE + 512 + BACK, at(2 * DEEP_PAGE - 64));   /* lies in two pages */
	take(0, 0);
	CHECK_U64(copy.pages, 4);
	CHECK_U64(copy.head.page[0], at(0));
	CHECK_U64(copy.head.page[1], at(3 * DEEP_PAGE));
	CHECK_U64(copy.head.page[2], at(DEEP_PAGE));
	CHECK_U64(copy.head.page[3], at(2 * DEEP_PAGE));
	CHECK(!memcmp(copy.bytes + DEEP_PAGE, memory + 3 * DEEP_PAGE, DEEP_PAGE));
}

static void
what_is_in_the_stack_is_not_copied_again(void)
{
	begin(at(4 * DEEP_PAGE + 8));
	put(4 * DEEP_PAGE + 8 + BACK, at(6 * DEEP_PAGE));
	take(4 * DEEP_PAGE, DEEP_PAGE);
	CHECK_U64(copy.pages, 2);
	CHECK_U64(copy.head.page[1], at(6 * DEEP_PAGE));
}

static void
a_struct_may_lie_between(void)
{
	begin(at(DEEP_PAGE));
	told.chain[getpid() & ((1 << DEEP_CHAINS) - 1)].then = 16;
	put(DEEP_PAGE + 16, at(9 * DEEP_PAGE));
	take(0, 0);
	CHECK_U64(copy.pages, 3);
	CHECK_U64(copy.head.page[2], at(9 * DEEP_PAGE));
}

static void
chains_that_lie_end(void)
{
	begin(at(DEEP_PAGE));
	put(DEEP_PAGE + BACK, at(DEEP_PAGE));   /* its own caller */
	take(0, 0);
	CHECK_U64(copy.pages, 2);
	put(DEEP_PAGE + BACK, at(PAGES * DEEP_PAGE));   /* not mapped */
	take(0, 0);
	CHECK_U64(copy.pages, 2);
	put(DEEP_PAGE + BACK, UINT64_MAX - 4);
	take(0, 0);
	CHECK_U64(copy.pages, 2);
	for (uint64_t i = 1; i < PAGES; i++)
		put(i * DEEP_PAGE + BACK, at((i + 1) * DEEP_PAGE));
	take(0, 0);
	CHECK_U64(copy.pages, DEEP_PART_PAGES);
}

/* The thread has no chain of its own, but its process has a word for all threads: here 16 bytes below the thread pointer, and the state
 * is in page 5. */
static void
a_threads_own_word_leads_to_its_frames(void)
{
	const int32_t tid = (int32_t)getpid();
	const struct deep_chain other = { (uint64_t)tid + 1, at(0), DEEP_NO_THEN, BACK };
	struct deep_chain all = { -(uint64_t)tid, -UINT64_C(16), 0, 0 };

	begin(0);
	put(DEEP_PAGE - 16, at(5 * DEEP_PAGE + 32));
	put(5 * DEEP_PAGE + 32, at(10 * DEEP_PAGE));
	put(5 * DEEP_PAGE + 40, 2 * DEEP_PAGE / 8);
	put(5 * DEEP_PAGE + 48, at(11 * DEEP_PAGE + 512));
	put(11 * DEEP_PAGE + 512 + 8, at(10 * DEEP_PAGE + 16));
	chain_take(&copy, &other, &all, tid, at(DEEP_PAGE), &(struct piece){ .lo = 0 });
	CHECK_U64(copy.pages, 3);
	CHECK_U64(copy.head.page[0], at(5 * DEEP_PAGE + 48) | 1);
	CHECK_U64(copy.head.page[1], at(11 * DEEP_PAGE));
	CHECK_U64(copy.head.page[2], at(10 * DEEP_PAGE));
	CHECK_U64(copy.head.thread, at(DEEP_PAGE));
	chain_take(&copy, &other, &all, tid, 0, &(struct piece){ .lo = 0 });
	CHECK_U64(copy.pages, 0);
	put(DEEP_PAGE - 16, UINT64_MAX - 3);   /* lies */
	chain_take(&copy, &other, &all, tid, at(DEEP_PAGE), &(struct piece){ .lo = 0 });
	CHECK_U64(copy.pages, 0);
	all.tid = 0;   /* nobody's */
	chain_take(&copy, &other, &all, tid, at(DEEP_PAGE), &(struct piece){ .lo = 0 });
	CHECK_U64(copy.pages, 0);
}

/* An array of frames in pages 20 to 22, whose values are in pages 10 to 12, and a bit of page 13. */
static void
pages_of_an_array_and_its_values_are_copied(void)
{
	struct deep_chain *c = &told.chain[getpid() & ((1 << DEEP_CHAINS) - 1)];

	begin(at(20 * DEEP_PAGE + 512));
	c->then = at(10 * DEEP_PAGE + 64);
	c->back = at(23 * DEEP_PAGE - 256);
	put(20 * DEEP_PAGE + 512 + 8, at(13 * DEEP_PAGE + 16));
	take(0, 0);
	CHECK_U64(copy.pages, 8);
	CHECK_U64(copy.head.page[1], at(20 * DEEP_PAGE));
	CHECK_U64(copy.head.page[3], at(22 * DEEP_PAGE));
	CHECK_U64(copy.head.page[4], at(13 * DEEP_PAGE));
	CHECK_U64(copy.head.page[7], at(10 * DEEP_PAGE));
	put(20 * DEEP_PAGE + 512 + 8, UINT64_MAX);   /* lies */
	take(0, 0);
	CHECK_U64(copy.pages, 4);
	c->back = UINT64_MAX;
	put(20 * DEEP_PAGE + 512 + 8, 0);
	take(0, 0);
	CHECK_U64(copy.pages, DEEP_PART_PAGES);
	c->then = 0;
	c->back = at(20 * DEEP_PAGE);   /* no frame at all */
	take(0, 0);
	CHECK_U64(copy.pages, 2);
}

static void
another_threads_chain_is_not_followed(void)
{
	begin(at(DEEP_PAGE));
	told.chain[getpid() & ((1 << DEEP_CHAINS) - 1)].tid += 1 << DEEP_CHAINS;
	take(0, 0);
	CHECK_U64(copy.pages, 0);
}

int
main(void)
{
	memory = mmap(NULL, (PAGES + 1) * DEEP_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(memory + PAGES * DEEP_PAGE, DEEP_PAGE);
	RUN("stopper_chain", pages_of_all_frames_are_copied_once);
	RUN("stopper_chain", what_is_in_the_stack_is_not_copied_again);
	RUN("stopper_chain", a_struct_may_lie_between);
	RUN("stopper_chain", chains_that_lie_end);
	RUN("stopper_chain", pages_of_an_array_and_its_values_are_copied);
	RUN("stopper_chain", a_threads_own_word_leads_to_its_frames);
	RUN("stopper_chain", another_threads_chain_is_not_followed);
	return TEST_STATUS;
}
