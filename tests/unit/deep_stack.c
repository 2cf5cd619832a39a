/* Parts of stacks beyond the kernel's copy: to which sample they belong, and what prof learns from a walk. */
#include "test.h"
#include "sample/events/deep_stack.c"
#include "sample/events/pressure.h"

#include <stdlib.h>

enum { CPU = 1, CPUS = 2, SKIPPED = 5 * DEEP_PAGE };

static _Alignas(DEEP_PAGE) struct deep_told told;
static struct deep d;
static uint8_t bytes[DEEP_MOST], stack[DEEP_PAGE];

static void
begin(void)
{
	d.told = NULL;   /* it is no mapping */
	deep_close(&d);
	CHECK(make_room(&d, CPUS));
	memset(&told, 0, sizeof told);
	d.told = &told;
}

/* N pages from FROM on, but those behind HOLE come SKIPPED bytes later. */
static void
part(int32_t tid, uint64_t number, uint64_t from, uint64_t n, uint8_t fill, uint64_t hole)
{
	struct deep_head head = { .number = number };
	struct record r = { .type = RECORD_PART, .cpu = CPU, .tid = tid, .part = { (const uint8_t *)&head, bytes, n * DEEP_PAGE } };

	for (uint64_t i = 0; i < n && i < DEEP_PART_PAGES; i++)
		head.page[i] = from + i * DEEP_PAGE + (i >= hole ? SKIPPED : 0);
	memset(bytes, fill, n * DEEP_PAGE);
	deep_part(&d, &r);
}

static struct pieces
rest(int32_t tid)
{
	return deep_rest(&d, &(struct record){ .cpu = CPU, .tid = tid }, NULL);
}

static void
parts(void)
{
	struct pieces r;

	begin();
	part(7, 0, 0x5000, DEEP_PART_PAGES, 1, DEEP_PART_PAGES);
	part(7, 1, 0x5000 + DEEP_PART, 1, 2, 1);
	r = rest(7);
	CHECK_U64(r.n, 1);
	CHECK_U64(r.piece->lo, 0x5000);
	CHECK_U64(r.piece->size, DEEP_PART + DEEP_PAGE);
	CHECK_U64(r.piece->bytes[DEEP_PART - 1], 1);
	CHECK_U64(r.piece->bytes[DEEP_PART], 2);
	CHECK_U64(rest(7).n, 0);   /* given once */

	part(7, 0, 0x5000, 3, 1, 2);   /* with a hole */
	r = rest(7);
	CHECK_U64(r.n, 2);
	CHECK_U64(r.piece[0].size, 2 * DEEP_PAGE);
	CHECK_U64(r.piece[1].lo, 0x5000 + 2 * DEEP_PAGE + SKIPPED);
	CHECK_U64(r.piece[1].size, DEEP_PAGE);

	part(7, 0, 0x5000, 1, 1, 1);
	CHECK_U64(rest(8).n, 0);   /* another's */

	part(7, 0, 0x5000, 1, 1, 1);   /* its sample was lost */
	part(7, 0, 0x5000, 1, 2, 1);
	part(9, 0, 0x6000, 1, 3, 1);   /* another thread follows */
	r = rest(9);
	CHECK_U64(r.n, 1);
	CHECK_U64(r.piece->bytes[0], 3);

	part(7, 0, 0x5000, 1, 1, 1);   /* a part is lost: prof does not take the later ones */
	part(7, 2, 0x9000, 1, 2, 1);
	r = rest(7);
	CHECK_U64(r.n, 1);
	CHECK_U64(r.piece->size, DEEP_PAGE);
	part(7, 1, 0x9000, 1, 2, 1);
	CHECK_U64(rest(7).n, 0);
}

/* prof has kept parts of the last moment, and the next moment has lost a part. The two moments never form one sample. */
static void
parts_of_two_moments(void)
{
	begin();
	part(7, 0, 0x5000, 1, 1, 1);
	deep_forget(&d, CPU);
	part(7, 1, 0x6000, 1, 2, 1);
	part(7, 2, 0x7000, 1, 2, 1);
	CHECK_U64(rest(7).n, 0);
	part(7, 0, 0x5000, 1, 1, 1);
	CHECK_U64(rest(7).n, 1);
	part(7, 1, 0x6000, 1, 2, 1);
	CHECK_U64(rest(7).n, 0);
}

/* prof leaves out pages for which there is no room. */
static void
most(void)
{
	struct pieces r;

	begin();
	for (uint64_t i = 0; i < DEEP_ROOM / DEEP_PART + 2; i++)
		part(7, i, 0x5000 + i * DEEP_PART, DEEP_PART_PAGES, 1, DEEP_PART_PAGES);
	r = rest(7);
	CHECK_U64(r.n, 1);
	CHECK_U64(r.piece->size, DEEP_ROOM);
	part(7, 0, 0x5000, 2 * DEEP_PART_PAGES, 1, 1);
	CHECK_U64(rest(7).n, 2);
	CHECK_U64(deep_rest(&d, &(struct record){ .cpu = 9999 }, NULL).n, 0);
}

/* An interpreter's frames, then all from sp on. */
static void
room_for_frames_and_stack(void)
{
	enum { STACK_PAGES = DEEP_MOST / DEEP_PAGE + DEEP_AGAIN };
	struct pieces r;

	begin();
	part(7, 0, 0x100000, DEEP_PART_PAGES, 1, DEEP_PART_PAGES);
	for (uint64_t i = 0, n; i < STACK_PAGES; i += n) {
		n = STACK_PAGES - i < DEEP_PART_PAGES ? STACK_PAGES - i : DEEP_PART_PAGES;
		part(7, 1 + i / DEEP_PART_PAGES, 0x500000 + i * DEEP_PAGE, n, 2, n);
	}
	r = rest(7);
	CHECK_U64(r.n, 2);
	CHECK_U64(r.piece[0].size, DEEP_PART);
	CHECK_U64(r.piece[1].size, STACK_PAGES * DEEP_PAGE);
}

/* As long as events with shorter copies are open, the BPF program reads from the end of those copies. */
static void
copies_of_two_lengths(void)
{
	begin();
	deep_copied(&d, 8192, true);
	CHECK_U64(told.copied, 8192);
	deep_copied(&d, 12288, true);
	CHECK_U64(told.copied, 8192);
	deep_copied(&d, 12288, false);
	CHECK_U64(told.copied, 12288);
	deep_copied(&d, 4096, true);
	CHECK_U64(told.copied, 4096);
}

static const struct pieces none;

static void
learn(uint64_t sp, uint64_t size, const struct pieces *p, uint64_t used, bool cut)
{
	deep_learn(&d, &(struct piece){ sp, size, stack }, p, &(struct walked){ .sp = sp, .end = sp + used }, 1, NULL, 0, cut);
}

/* x264's first samples: deep stacks, and one that was cut at its innermost frame by other reasons. */
static void
one_short_walk_changes_nothing(void)
{
	const uint64_t sp = 0x7ffffff00000, room = STACK_BEFORE_DEEP, *top = &told.top[deep_place(sp, DEEP_REGION)];
	struct piece piece = { sp + room, 2 * DEEP_PAGE, stack };
	const struct pieces rest = { &piece, 1 };

	begin();
	told.copied = room;
	learn(sp, room, &rest, room + DEEP_PAGE + 4000, false);
	learn(sp, room, &rest, 0, false);
	CHECK(*top > sp + room);
}

static void
learns(void)
{
	const uint64_t sp = 0x7ffffff00000, room = STACK_BEFORE_DEEP;
	const struct pieces large = { &(struct piece){ sp + room, DEEP_PART, bytes }, 1 };
	uint64_t *top;

	begin();
	told.copied = room;
	top = &told.top[deep_place(sp, DEEP_REGION)];
	learn(sp, room, &none, 3000, false);
	CHECK_U64(*top, sp + 3000 + BEYOND);
	learn(sp - 4096, room, &none, 7096, false);   /* the same end */
	CHECK_U64(*top, sp + 3000 + BEYOND);
	learn(sp, room, &none, room, true);   /* there is more after all */
	CHECK_U64(*top, 0);
	learn(sp, room, &large, 40000, false);
	CHECK_U64(*top, sp + 40000 + BEYOND);
	/* Other stacks at that place are short: after a while prof reads less for them. */
	for (unsigned i = 0; i < PATIENCE; i++)
		learn(sp, room, &large, 1000, false);
	CHECK_U64(*top, sp + 40000 + BEYOND);
	learn(sp, room, &large, 1000, false);
	CHECK_U64(*top, TOP_NONE);
	learn(sp, room, &none, 20000, false);
	CHECK_U64(*top, TOP_NONE);
	learn(sp, room, &none, room, true);
	CHECK_U64(*top, 0);
}

/* An address that is neither in the copy nor after it lies in a hole, or after a hole that was larger before. */
static void
learns_holes(void)
{
	const uint64_t sp = 0x7ffffff00000, room = STACK_BEFORE_DEEP, end = 50000;
	const struct pieces some = { &(struct piece){ sp + room, DEEP_PAGE, bytes }, 1 };
	uint64_t *top;

	begin();
	told.copied = room;
	top = &told.top[deep_place(sp, DEEP_REGION)];
	learn(sp, room, &none, room + 8, true);   /* the program knew nothing yet */
	CHECK_U64(*top, 0);
	told.hole[3] = (struct deep_hole){ sp + room, sp + end + 1 };
	told.hole[4] = (struct deep_hole){ sp + room, sp + end };
	learn(sp, room, &some, end, true);
	CHECK_U64(*top, DEEP_HOLED);
	CHECK(!told.hole[3].lo && told.hole[4].lo && told.tries == TRIES);
	learn(sp, DEEP_PAGE, &none, end, true);   /* the kernel's copy ends in it */
	CHECK_U64(*top, DEEP_HOLED | DEEP_EARLY);
	learn(sp, DEEP_PAGE, &some, end, false);
	CHECK(*top - DEEP_FLAGS <= sp + end + BEYOND + DEEP_FLAGS && *top >= sp + end + BEYOND);
	CHECK_U64(*top & DEEP_FLAGS, DEEP_HOLED | DEEP_EARLY);
}

/* A large array that the program has touched fills the room for parts: from then on prof reads below and above it. */
static void
learns_arrays(void)
{
	const uint64_t sp = 0x7ffffff00000, room = STACK_BEFORE_DEEP, lo = sp + 5 * DEEP_PAGE, end = sp + (1 << 20) + 64;
	const struct pieces full = { &(struct piece){ sp, DEEP_MOST, bytes }, 1 };
	const struct walked w = { sp, end, lo - 8 };
	const struct deep_hole *hole = &told.hole[deep_hole_place(lo)];

	begin();
	told.copied = room;
	told.most = DEEP_MOST + DEEP_PAGE;
	deep_learn(&d, &(struct piece){ sp, room, stack }, &full, &w, 1, &sp, 1, true);
	CHECK_U64(hole->lo, 0);   /* there was room for more */
	told.most = DEEP_MOST;
	deep_learn(&d, &(struct piece){ sp, room, stack }, &full, &w, 1, &sp, 1, true);
	CHECK_U64(hole->lo, lo);
	CHECK_U64(hole->hi, sp + (1 << 20));
	CHECK_U64(told.top[deep_place(sp, DEEP_REGION)] & DEEP_EARLY, 0);
	told.copied = 6 * DEEP_PAGE;   /* it begins in the copy */
	deep_learn(&d, &(struct piece){ sp, room, stack }, &full, &w, 1, &sp, 1, true);
	CHECK_U64(told.top[deep_place(sp, DEEP_REGION)] & DEEP_EARLY, DEEP_EARLY);
}

/* Frames of R: each has some pages that no walk wants, but other walks may have wanted these.  After many walks that does not count any
 * more. */
static void
learns_arrays_of_frames(void)
{
	const uint64_t sp = 0x7ffffff00000, end = sp + DEEP_MOST + 64;
	const struct pieces full = { &(struct piece){ sp, DEEP_MOST, bytes }, 1 }, some = { &(struct piece){ sp, DEEP_PAGE, bytes }, 1 };
	const struct piece copy = { sp, STACK_BEFORE_DEEP, stack };
	const struct walked w = { sp, end, end - 100 };
	const uint64_t frame[] = { sp + 8, sp + 3 * DEEP_PAGE + 80, sp + 4 * DEEP_PAGE, 0, sp + 4 * DEEP_PAGE + 8, sp + 12 * DEEP_PAGE + 8 };
	const uint64_t other[] = { sp + 8, sp + 8 * DEEP_PAGE + 100 };
	const struct deep_hole *first = &told.hole[deep_hole_place(sp + DEEP_PAGE)], *second = &told.hole[deep_hole_place(sp + 5 * DEEP_PAGE)],
	                       *third = &told.hole[deep_hole_place(sp + 9 * DEEP_PAGE)];

	begin();
	told.most = DEEP_MOST;
	memset(d.known, 0, sizeof *d.known);
	deep_learn(&d, &copy, &some, &(struct walked){ sp, sp + 9 * DEEP_PAGE, sp }, 1, other, 2, false);
	deep_learn(&d, &copy, &full, &w, 1, frame, 6, true);
	CHECK(first->lo == sp + DEEP_PAGE && first->hi == sp + 3 * DEEP_PAGE);
	CHECK(second->lo == sp + 5 * DEEP_PAGE && second->hi == sp + 8 * DEEP_PAGE);
	CHECK(third->lo == sp + 9 * DEEP_PAGE && third->hi == sp + 11 * DEEP_PAGE);   /* below 12 there are saved registers */
	memset(told.hole, 0, sizeof told.hole);
	deep_learn(&d, &copy, &some, &w, 1, frame, 6, true);   /* there was room for more */
	CHECK_U64(first->lo, 0);
	d.known->walks[deep_place(sp, DEEP_REGION)] += (WANTED_FOR + 1) * WANTED_EACH;
	deep_learn(&d, &copy, &full, &w, 1, frame, 6, true);
	CHECK(second->lo == sp + 5 * DEEP_PAGE && second->hi == sp + 11 * DEEP_PAGE);
}

/* Another stack is there now: the array begins in the kernel's copy, and nothing can be read behind it. */
static void
forgets_arrays_that_a_walk_wants(void)
{
	const uint64_t sp = 0x7ffffff00000, room = STACK_BEFORE_DEEP;
	struct deep_hole *hole = &told.hole[3];

	begin();
	told.copied = room;
	told.top[deep_place(sp, DEEP_REGION)] = sp + room + 8;
	*hole = (struct deep_hole){ sp + DEEP_PAGE, sp + room + (1 << 20) };
	learn(sp, room, &none, room + 8, true);   /* perhaps it lacked only what is beyond the top */
	CHECK(hole->lo);
	learn(sp, room, &none, room + 8, true);
	CHECK_U64(hole->lo, 0);
	CHECK_U64(told.top[deep_place(sp, DEEP_REGION)], 0);
}

/* If the walk goes to another stack, prof tells the BPF program which word holds that stack's sp. */
static void
learns_turns(void)
{
	const uint64_t sp = 0x500000010000, left = sp + 512, other = 0x7ffffff00000;
	const struct walked way[] = { { .sp = sp, .end = left }, { .sp = other, .end = other + 3000 } };
	const struct piece copy = { sp, sizeof stack, stack };
	const uint64_t word = other, near = other - 16;

	begin();
	told.copied = sizeof stack;
	memset(stack, 0, sizeof stack);
	deep_learn(&d, &copy, &none, way, 2, NULL, 0, false);
	CHECK(!(told.top[deep_place(sp, DEEP_REGION)] & DEEP_TURNS));
	memcpy(stack + 480, &near, sizeof near);   /* it is counted from that, */
	deep_learn(&d, &copy, &none, way, 2, NULL, 0, false);
	CHECK_U64(told.turn[deep_place(sp, DEEP_NEAR)], sp + 480);
	memcpy(stack + 800, &word, sizeof word);   /* or there, */
	deep_learn(&d, &copy, &none, way, 2, NULL, 0, false);
	CHECK_U64(told.turn[deep_place(sp, DEEP_NEAR)], sp + 480);
	memset(stack + 480, 0, sizeof near);       /* once the first was by chance */
	deep_learn(&d, &copy, &none, way, 2, NULL, 0, false);
	CHECK_U64(told.turn[deep_place(sp, DEEP_NEAR)], sp + 800);
	CHECK_U64(told.turn[(1 << DEEP_REGIONS) + deep_place(sp, DEEP_REGION)], sp + 800);
	CHECK(told.top[deep_place(sp, DEEP_REGION)] & DEEP_TURNS);
	CHECK_U64(told.top[deep_place(other, DEEP_REGION)], other + 3000 + BEYOND);
}

/* A fiber's memory may be another fiber's later. */
static void
the_chain_is_the_last_one(void)
{
	const struct deep_chain *c = &told.chain[7];

	begin();
	deep_chain(&d, 7, 0x1000, 0x20000, 0x30000);
	CHECK(c->tid == 7 && c->at == 0x1000 && c->then == 0x20000 && c->back == 0x30000 && told.chains == 1);
	deep_chain(&d, 7, 0x1000, 0x40000, 0x50000);
	CHECK(c->tid == 7 && c->at == 0x1000 && c->then == 0x40000 && c->back == 0x50000);
}

/* What a process says of its threads takes no place of what a sample showed. */
static void
a_guess_takes_no_other_chains_place(void)
{
	const struct deep_chain *c = &told.chain[7];

	begin();
	deep_chain_guess(&d, 0, 0x1000, 0x2000, 8);
	deep_chain_guess(&d, -1, 0x1000, 0x2000, 8);
	CHECK(!told.chains);
	deep_chain_guess(&d, 7, 0x1000, 0x2000, 8);
	CHECK(c->tid == 7 && c->at == 0x1000 && c->then == 0x2000 && c->back == 8 && told.chains == 1);
	deep_chain_guess(&d, 7, 0x3000, 0x2000, 8);
	deep_chain_guess(&d, 7 + (1 << DEEP_CHAINS), 0x3000, 0x2000, 8);
	CHECK(c->tid == 7 && c->at == 0x1000);
	deep_chain(&d, 7 + (1 << DEEP_CHAINS), 0x3000, 0x2000, 8);
	CHECK(c->tid == 7 + (1 << DEEP_CHAINS) && c->at == 0x3000);
}

/* Threads of the process that had a chain of their own go by the process's word, too. */
static void
a_word_for_all_threads(void)
{
	const struct deep_chain *c = &told.chain[7];

	begin();
	deep_chain(&d, 8, 0x1000, 0x20000, 0x30000);
	deep_chain(&d, 9, 0x1000, 0x20000, 0x30000);
	deep_chains(&d, 7, 8, -UINT64_C(16));
	CHECK(c->tid == -UINT64_C(7) && c->at == -UINT64_C(16) && told.chains == 1);
	CHECK(!told.chain[8].tid && told.chain[9].tid == 9);
	deep_chains(&d, 7, 7, -UINT64_C(16));
	CHECK(c->tid == -UINT64_C(7));
}

/* The first part tells where the program began, and whose thread pointer that was. */
static void
parts_tell_of_the_thread(void)
{
	struct deep_head head = { .page = { 0x5010 | 1, 0x9000 }, .thread = 0x7f0000001000 };
	struct record r = { .type = RECORD_PART, .cpu = CPU, .tid = 7, .part = { (const uint8_t *)&head, bytes, 2 * DEEP_PAGE } };
	struct deep_thread of = { 0 };
	struct pieces p;

	begin();
	deep_part(&d, &r);
	head = (struct deep_head){ .page = { 0xa000 }, .number = 1, .thread = 0x7f0000001000 };
	r.part.size = DEEP_PAGE;
	deep_part(&d, &r);
	p = deep_rest(&d, &(struct record){ .cpu = CPU, .tid = 7 }, &of);
	CHECK_U64(p.n, 2);
	CHECK_U64(p.piece[0].lo, 0x5000);
	CHECK_U64(p.piece[1].size, 2 * DEEP_PAGE);
	CHECK_U64(of.pointer, 0x7f0000001000);
	CHECK_U64(of.at, 0x5010);
	part(7, 0, 0x5000, 1, 1, 1);
	deep_rest(&d, &(struct record){ .cpu = CPU, .tid = 7 }, &of);
	CHECK(!of.pointer && !of.at);
}

int
main(void)
{
	RUN("deep_stack", parts);
	RUN("deep_stack", parts_of_two_moments);
	RUN("deep_stack", most);
	RUN("deep_stack", room_for_frames_and_stack);
	RUN("deep_stack", copies_of_two_lengths);
	RUN("deep_stack", learns);
	RUN("deep_stack", one_short_walk_changes_nothing);
	RUN("deep_stack", learns_holes);
	RUN("deep_stack", learns_arrays);
	RUN("deep_stack", learns_arrays_of_frames);
	RUN("deep_stack", forgets_arrays_that_a_walk_wants);
	RUN("deep_stack", learns_turns);
	RUN("deep_stack", the_chain_is_the_last_one);
	RUN("deep_stack", a_guess_takes_no_other_chains_place);
	RUN("deep_stack", a_word_for_all_threads);
	RUN("deep_stack", parts_tell_of_the_thread);
	return TEST_STATUS;
}
