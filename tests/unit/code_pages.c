/* Pages of code that a process made: what prof reads from the process, and when. */
#include "test.h"

#include "unwind/derive/code_pages.c"
#include "unwind/derive/code_source.h"

enum { BASE = 0x100000, PAGES = 2000 };
#define MS UINT64_C(1000000)

static uint8_t memory[PAGES * PAGE];
static unsigned reads;
static uint64_t hole;              /* a page that cannot be read */

static size_t
read_memory(struct space *s, uint64_t addr, void *to, size_t n)
{
	uint64_t end = hole > addr ? hole : BASE + sizeof memory;

	(void)s;
	reads++;
	if (addr < BASE || addr >= end || (addr >= hole && addr < hole + PAGE))
		return 0;
	n = n < end - addr ? n : (size_t)(end - addr);
	memcpy(to, memory + (addr - BASE), n);
	return n;
}

static struct arena arena;
static struct code_pages pages;
static struct space space;

static void
begin(void)
{
	memset(memory, 0x90, sizeof memory);
	arena = (struct arena){ 0 };
	pages = (struct code_pages){ .arena = &arena };
	hole = reads = 0;
	space_init(&space);
	space.read = read_memory;
	code_pages_compare(&pages, &space, 1000 * MS);
	space.compared = 1000 * MS;
}

static void
end(void)
{
	space_free(&space);
	arena_free(&arena);
}

/* How many bytes can be read at the OFF'th byte of memory; they must be the memory's. */
static size_t
have(uint64_t off)
{
	struct cursor c = code_pages_of_space(&pages, &space, BASE + off);

	CHECK(!cur_left(&c) || memcmp(c.pos, memory + off, cur_left(&c)) == 0);
	return cur_left(&c);
}

static void
neighbours_come_along(void)
{
	begin();
	CHECK_U64(have(10 * PAGE), PAGE + EDGE);
	CHECK_U64(have(9 * PAGE + 5), PAGE + EDGE - 5);
	CHECK_U64(have(11 * PAGE + 5), PAGE + EDGE - 5);
	CHECK_U64(have(10 * PAGE + 7), PAGE + EDGE - 7);
	CHECK_U64(reads, 1);
	hole = BASE + 20 * PAGE;
	CHECK_U64(have(19 * PAGE), PAGE);              /* nothing behind it */
	CHECK_U64(have(21 * PAGE), PAGE + EDGE);       /* nor before it */
	reads = 0;
	CHECK_U64(have(20 * PAGE), 0);
	CHECK(reads > 0);
	reads = 0;
	CHECK_U64(have(20 * PAGE + 100), 0);           /* prof remembers that, too */
	CHECK_U64(reads, 0);
	end();
}

static void
pages_in_a_row_are_kept(void)
{
	begin();
	for (unsigned i = 130; i < 450; i++)
		CHECK(have(i * PAGE));
	reads = 0;
	for (unsigned i = 130; i < 450; i++)
		CHECK(have(i * PAGE));
	CHECK_U64(reads, 0);
	end();
}

static void
changes_are_seen(void)
{
	uint32_t epoch;

	begin();
	for (unsigned i = 0; i < 30; i++)
		have(i * PAGE);
	epoch = space.epoch;
	reads = 0;
	code_pages_compare(&pages, &space, 1400 * MS);
	CHECK_U64(reads, 0);
	code_pages_compare(&pages, &space, 1600 * MS);
	CHECK(reads >= 10 && reads <= 12);             /* for thirty-one pages */
	CHECK_U64(space.epoch, epoch);
	memory[17 * PAGE + 99] = 1;
	code_pages_compare(&pages, &space, 1700 * MS);
	CHECK_U64(space.epoch, epoch);
	code_pages_compare(&pages, &space, 2200 * MS);
	CHECK(space.epoch != epoch);
	reads = 0;
	for (unsigned i = 0; i < 30; i++)              /* the rules go, the pages stay */
		CHECK_U64(have(i * PAGE), PAGE + EDGE);
	CHECK_U64(reads, 0);
	end();
}

/* Most processes make no code: there is nothing to compare. */
static void
only_code_that_was_read_is_compared(void)
{
	struct space other;

	begin();
	have(PAGE);
	space_init(&other);
	other.read = read_memory;
	code_pages_compare(&pages, &other, 2000 * MS);
	CHECK_U64(other.compared, 0);
	code_pages_of_space(&pages, &other, BASE + 5 * PAGE);
	CHECK_U64(other.compared, 2000 * MS);
	code_pages_compare(&pages, &other, 2600 * MS);
	CHECK_U64(other.compared, 2600 * MS);
	space_free(&other);
	end();
}

/* Which pages were read, and whether they have stayed. */
static void
pages_that_stay_are_known(void)
{
	struct code_extent one, two, far;

	begin();
	code_pages_note(&pages);
	CHECK(!code_pages_noted(&pages, &one));        /* none */
	have(10 * PAGE);
	CHECK(code_pages_noted(&pages, &one));
	code_pages_note(&pages);
	have(21 * PAGE);
	code_pages_barren(&pages, &space, BASE + 20 * PAGE);
	CHECK(code_pages_noted(&pages, &two) && two.lo == BASE + 20 * PAGE && two.hi == BASE + 21 * PAGE);
	CHECK(code_pages_same(&pages, &space, &one) && code_pages_same(&pages, &space, &two));
	memory[20 * PAGE + 100] = 1;
	code_pages_compare(&pages, &space, 2000 * MS);
	CHECK(code_pages_same(&pages, &space, &one) && !code_pages_same(&pages, &space, &two));
	space_renew(&space);                           /* prof keeps none of its pages */
	CHECK(!code_pages_same(&pages, &space, &one));
	code_pages_note(&pages);
	hole = BASE + 30 * PAGE;
	have(30 * PAGE);
	CHECK(code_pages_noted(&pages, &one));
	hole = 0;
	code_pages_compare(&pages, &space, 2002 * MS);
	have(30 * PAGE);                               /* it has bytes now */
	CHECK(!code_pages_same(&pages, &space, &one));
	code_pages_note(&pages);
	have(10 * PAGE);
	have(1000 * PAGE);
	CHECK(!code_pages_noted(&pages, &far));
	code_pages_note(&pages);
	pages.credit = 0;
	have(500 * PAGE);
	CHECK(!code_pages_noted(&pages, &far));
	end();
}

/* prof still compares other pages if one page cannot be read any more, or not yet. */
static void
holes_are_passed_over(void)
{
	uint32_t epoch;

	begin();
	for (unsigned i = 0; i < 9; i++)
		have(i * PAGE);
	epoch = space.epoch;
	hole = BASE + 3 * PAGE;
	memory[3 * PAGE] = memory[5 * PAGE] = 1;
	code_pages_compare(&pages, &space, 1600 * MS);
	CHECK(space.epoch != epoch);
	CHECK(code_pages_of_space(&pages, &space, BASE + 5 * PAGE).pos[0] == 1);
	CHECK(code_pages_of_space(&pages, &space, BASE + 3 * PAGE).pos[0] == 0x90);
	end();
}

/* prof looks again at bytes that were no code, once in a millisecond. */
static void
code_comes_later(void)
{
	begin();
	memset(memory + 5 * PAGE, 0, PAGE);
	CHECK(*code_pages_of_space(&pages, &space, BASE + 5 * PAGE).pos == 0);
	memory[5 * PAGE] = 0x55;
	code_pages_compare(&pages, &space, 1001 * MS);
	CHECK(*code_pages_of_space(&pages, &space, BASE + 5 * PAGE).pos == 0x55);
	memory[5 * PAGE + 64] = 0x55;
	reads = 0;
	CHECK(*code_pages_of_space(&pages, &space, BASE + 5 * PAGE + 64).pos == 0);
	CHECK_U64(reads, 0);
	code_pages_compare(&pages, &space, 1002 * MS);
	CHECK(*code_pages_of_space(&pages, &space, BASE + 5 * PAGE + 64).pos == 0x55);
	CHECK_U64(reads, 1);
	for (unsigned t = 3; t < 400; t++) {           /* where none comes, less and less often */
		code_pages_compare(&pages, &space, (1000 + t) * MS);
		have(5 * PAGE + 512);
	}
	CHECK(reads > 5 && reads < 16);
	end();
}

/* prof reads a page later if it could not read it at first, whether somebody asks for it or not; then it makes new rules. */
static void
pages_come_later(void)
{
	uint32_t epoch;

	begin();
	hole = BASE + 5 * PAGE;
	CHECK_U64(have(5 * PAGE), 0);
	epoch = space.epoch;
	hole = 0;
	code_pages_compare(&pages, &space, 1002 * MS);
	CHECK_U64(have(5 * PAGE), PAGE + EDGE);
	code_pages_compare(&pages, &space, 1003 * MS);
	CHECK(space.epoch != epoch);
	CHECK_U64(have(5 * PAGE), PAGE + EDGE);
	hole = BASE + 20 * PAGE;
	CHECK_U64(have(20 * PAGE), 0);
	epoch = space.epoch;
	hole = 0;
	code_pages_compare(&pages, &space, 1600 * MS);
	code_pages_compare(&pages, &space, 1601 * MS);
	CHECK(space.epoch != epoch);
	reads = 0;
	CHECK_U64(have(20 * PAGE), PAGE + EDGE);
	CHECK_U64(reads, 0);
	hole = BASE + 30 * PAGE;
	have(30 * PAGE);
	reads = 0;
	for (unsigned t = 0; t < 100000; t += 2) {     /* where none comes, less and less often */
		code_pages_compare(&pages, &space, (1602 + t) * MS);
		have(30 * PAGE + 512);
	}
	CHECK(reads > 100);
	reads = 0;
	for (unsigned t = 100000; t < 110000; t += 100) {
		pages.now = (1602 + t) * MS;
		have(30 * PAGE + 512);
	}
	CHECK(reads >= 6 && reads <= 18);
	end();
}

/* Code in very many pages: prof counts what is beyond its budget, and reads it later. */
static void
there_is_a_budget(void)
{
	uint32_t epoch, read, left;

	begin();
	for (unsigned i = 1; i < 1999; i++)
		have((i * 7 % 1999) * PAGE);
	CHECK(reads >= CREDIT / 2 && reads <= CREDIT + 2);
	CHECK(pages.left > 0);
	read = reads, left = pages.left, epoch = space.epoch;
	CHECK_U64(have(1500 * PAGE) + have(1503 * PAGE) + have(1506 * PAGE), 0);
	CHECK_U64(pages.left, left + 3);
	CHECK_U64(reads, read);
	code_pages_compare(&pages, &space, 1200 * MS);
	CHECK(space.epoch != epoch);                   /* prof made rules without bytes */
	CHECK_U64(have(1500 * PAGE), PAGE + EDGE);
	for (unsigned t = 0; t < 1000; t++) {          /* at 999 Hz, without end */
		code_pages_compare(&pages, &space, (1201 + t) * UINT64_C(1000000));
		for (unsigned i = 0; i < 10; i++)
			have(((t * 10 + i) * 11 % 1999) * PAGE);
	}
	CHECK(reads - read <= 1000);
	end();
}

/* A process with more code than the budget reads: prof still compares what it has kept, some of it each time. */
static void
changes_are_seen_while_pages_are_missing(void)
{
	const uint64_t kept = BASE + 17 * PAGE;
	uint32_t read = 0;

	begin();
	CHECK_U64(have(17 * PAGE), PAGE + EDGE);
	for (unsigned t = 0; t < 6000; t++) {
		code_pages_compare(&pages, &space, (1000 + t) * MS);
		for (unsigned i = 0; i < 10; i++) {
			uint64_t page = BASE + ((t * 10 + i) * 11 % 1999) * PAGE;

			if (set_of(&pages, page) != set_of(&pages, kept))   /* else it would take the place of the kept one */
				code_pages_of_space(&pages, &space, page);
		}
		if (t == 1000) {
			memory[17 * PAGE + 99] = 1;
			read = reads;
		}
	}
	CHECK(pages.left > 1000);
	CHECK(reads - read <= 5 * 500);
	CHECK(find(&pages, kept, space.epoch)->bytes[EDGE + 99] == 1);
	end();
}

/* prof remembers that no function begins in a page, as long as the page stays the same. */
static void
barren_pages_are_known(void)
{
	uint8_t *barren;

	begin();
	CHECK(!code_pages_barren(&pages, &space, BASE + 10 * PAGE));
	have(10 * PAGE);
	CHECK((barren = code_pages_barren(&pages, &space, BASE + 10 * PAGE)) && !*barren);
	*barren = 1;
	code_pages_compare(&pages, &space, 1600 * MS);
	CHECK((barren = code_pages_barren(&pages, &space, BASE + 10 * PAGE)) && *barren == 1);
	memory[10 * PAGE + 1000] = 0x55;
	code_pages_compare(&pages, &space, 2200 * MS);
	CHECK((barren = code_pages_barren(&pages, &space, BASE + 10 * PAGE)) && !*barren);
	end();
}

/* Code that leads nowhere: prof leaves some of it for later. */
static void
what_is_in_vain_has_a_budget(void)
{
	struct code_source src = { .pages = { .arena = &arena } };
	unsigned n = 0;

	begin();
	code_compare(&src, &space, 1000 * MS);
	for (; n < 1000 && code_has_time(&src); n++)
		code_in_vain(&src, 6000);
	CHECK(n > 100 && n < 300);
	CHECK_U64(src.pages.left, 1);
	code_compare(&src, &space, 1000 * MS + 1);
	CHECK(!code_has_time(&src));
	code_compare(&src, &space, 1020 * MS);
	CHECK(code_has_time(&src));
	for (unsigned t = n = 0; t < 1000; t++) {      /* a second of samples */
		code_compare(&src, &space, (1021 + t) * MS);
		if (code_has_time(&src))
			n++, code_in_vain(&src, 6000);
	}
	CHECK(n > 30 && n < 100);
	code_compare(&src, &space, 10000 * MS);
	CHECK_U64(src.in_vain, 0);
	code_in_vain(&src, UINT64_MAX);
	CHECK(!code_has_time(&src));
	code_compare(&src, &space, 20000 * MS);
	CHECK(code_has_time(&src));
	end();
}

int
main(void)
{
	RUN("code_pages", neighbours_come_along);
	RUN("code_pages", pages_in_a_row_are_kept);
	RUN("code_pages", changes_are_seen);
	RUN("code_pages", only_code_that_was_read_is_compared);
	RUN("code_pages", pages_that_stay_are_known);
	RUN("code_pages", holes_are_passed_over);
	RUN("code_pages", code_comes_later);
	RUN("code_pages", pages_come_later);
	RUN("code_pages", there_is_a_budget);
	RUN("code_pages", changes_are_seen_while_pages_are_missing);
	RUN("code_pages", barren_pages_are_known);
	RUN("code_pages", what_is_in_vain_has_a_budget);
	return TEST_STATUS;
}
