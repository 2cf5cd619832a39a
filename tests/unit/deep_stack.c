/* Parts of stacks beyond the kernel's copy: which sample they are of, and what is learned from a walk. */
#include "test.h"
#include "sample/events/deep_stack.c"
#include "sample/events/pressure.h"

#include <stdlib.h>

enum { CPU = 1, CPUS = 2 };

static _Alignas(DEEP_PAGE) struct deep_told told;
static struct deep d;
static uint8_t bytes[DEEP_MOST];

static void
begin(void)
{
	static const struct ring rings[] = { { .cpu = 0 }, { .cpu = CPU } };

	d.told = NULL;   /* it is no mapping */
	deep_close(&d);
	CHECK(make_room(&d, rings, CPUS));
	memset(&told, 0, sizeof told);
	d.told = &told;
}

static void
part(int32_t tid, uint64_t from, uint64_t size, uint8_t fill)
{
	struct record r = { .type = RECORD_PART, .cpu = CPU, .tid = tid, .part = { from, size, bytes } };

	memset(bytes, fill, size);
	deep_part(&d, &r);
}

static struct rest
rest(int32_t tid, uint64_t sp, uint64_t size)
{
	return deep_rest(&d, &(struct record){ .cpu = CPU, .tid = tid }, sp, size);
}

static void
parts(void)
{
	struct rest r;

	begin();
	part(7, 0x5000, DEEP_PART, 1);
	part(7, 0x5000 + DEEP_PART, DEEP_PAGE, 2);
	r = rest(7, 0x1010, 0x4000);
	CHECK_U64(r.lo, 0x5000);
	CHECK_U64(r.size, DEEP_PART + DEEP_PAGE);
	CHECK_U64(r.bytes[DEEP_PART - 1], 1);
	CHECK_U64(r.bytes[DEEP_PART], 2);
	CHECK_U64(rest(7, 0x1010, 0x4000).size, 0);   /* given once */

	part(7, 0x5000, DEEP_PAGE, 1);
	CHECK_U64(rest(8, 0x1010, 0x4000).size, 0);   /* another's */
	part(7, 0x5000, DEEP_PAGE, 1);
	CHECK_U64(rest(7, 0x1010, 0x3fef).size, 0);   /* a gap, */
	part(7, 0x5000, DEEP_PAGE, 1);
	CHECK_U64(rest(7, 0x1010, 0x3ff0).size, DEEP_PAGE);   /* none, */
	part(7, 0x5000, DEEP_PAGE, 1);
	CHECK_U64(rest(7, 0x1010, 0x5000).size, 0);   /* nothing more than there is */

	part(7, 0x5000, DEEP_PAGE, 1);   /* its sample was lost */
	part(7, 0x5000, DEEP_PAGE, 2);
	part(9, 0x6000, DEEP_PAGE, 3);   /* another thread follows */
	r = rest(9, 0x2000, 0x4000);
	CHECK_U64(r.size, DEEP_PAGE);
	CHECK_U64(r.bytes[0], 3);
}

/* More parts than there is room for begin anew. */
static void
most(void)
{
	begin();
	for (uint64_t i = 0; i < 2 * DEEP_PARTS + 1; i++)
		part(7, 0x5000 + i * DEEP_PART, DEEP_PART, 1);
	CHECK_U64(rest(7, 0x5000 + 2 * DEEP_MOST - 0x10, 0x10).size, DEEP_PART);
	CHECK_U64(deep_rest(&d, &(struct record){ .cpu = 9999 }, 0, 0).size, 0);
}

static void
learns(void)
{
	const uint64_t sp = 0x7ffffff00000;
	const struct rest none = { 0 }, large = { .lo = sp + STACK_BEFORE_DEEP, .size = DEEP_PART };
	uint64_t *top;

	begin();
	top = &told.top[region(sp)];
	deep_learn(&d, sp, &none, 3000, false);
	CHECK_U64(*top, sp + 3000 + BEYOND);
	deep_learn(&d, sp - 4096, &none, 7096, false);   /* the same end */
	CHECK_U64(*top, sp + 3000 + BEYOND);
	deep_learn(&d, sp, &none, STACK_BEFORE_DEEP, true);   /* there is more after all */
	CHECK_U64(*top, 0);
	deep_learn(&d, sp, &large, 40000, false);
	CHECK_U64(*top, sp + 40000 + BEYOND);
	/* Other stacks there are short: what is read for them is too much, if not at once. */
	for (unsigned i = 0; i < PATIENCE; i++)
		deep_learn(&d, sp, &large, 1000, false);
	CHECK_U64(*top, sp + 40000 + BEYOND);
	deep_learn(&d, sp, &large, 1000, false);
	CHECK_U64(*top, TOP_NONE);
	deep_learn(&d, sp, &none, 20000, false);
	CHECK_U64(*top, TOP_NONE);
	deep_learn(&d, sp, &none, STACK_BEFORE_DEEP, true);
	CHECK_U64(*top, 0);
}

int
main(void)
{
	RUN("deep_stack", parts);
	RUN("deep_stack", most);
	RUN("deep_stack", learns);
	return TEST_STATUS;
}
