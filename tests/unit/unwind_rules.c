/* Steps by tables that plain rules cannot do, and rules that lie. */
#include "unwind/unwind.c"

#include "walked.h"

static void
equal_rules_are_kept_once(void)
{
	uint32_t rules, found;

	set_up(MODE_AUTO, 512);
	words[3] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	rules = unwinder->rules;
	found = unwinder->found;
	go(ret(PLAIN) + 1, 0, WORDS);
	go(ret(PLAIN) + 2, 0, WORDS);
	CHECK(walk.n == 2 && walk.by_cfi == 1 && rules == 2 && unwinder->rules == rules);
	CHECK_U64(unwinder->found, found + 2);
	space_renew(&space);   /* found again by its code */
	go(ret(PLAIN) + 2, 0, WORDS);
	CHECK(walk.n == 2 && walk.by_cfi == 1);
	CHECK_U64(unwinder->found, found + 2);
	tear_down();
}

static void
epilogues_have_popped_fp(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned full = 0; full < 2; full++) {
		unwinder->full_always = full;
		words[1] = 0xdead;                /* where rbp was, not copied any more */
		words[2] = ret(FRAMED);
		words[8] = slot(200);
		words[9] = ret(ROOT);
		regs.r[RBP] = slot(8);
		go(ret(EPILOGUE), 2, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == FRAMED);
	}
	tear_down();
}

static void
lies_end_the_walk(void)
{
	set_up(MODE_AUTO, 512);
	go(ret(LIAR), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 1);
	regs.r[RBP] = STACK;
	go(ret(FAR), 0, WORDS);   /* as far as a rule can say */
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	tear_down();
}

static void
registers_that_were_not_carried_along(void)
{
	for (unsigned full = 0; full < 2; full++) {
		set_up(MODE_AUTO, 512);
		unwinder->full_always = full;
		words[2] = slot(40);              /* PLAIN's caller's rbx */
		words[3] = ret(BY_RBX);
		words[40] = 0xb;                  /* cfa = rbx + 32 */
		words[43] = ret(BY_RBX);
		words[44] = 0;
		go(ret(PLAIN), 0, WORDS);
		CHECK(in(1) == BY_RBX && in(2) == BY_RBX);
		CHECK(walk.end == WALK_STACK_SHORT || walk.end == WALK_BAD_RULE);   /* rbx is 0xb */
		CHECK_U64(walk.n, 3);
		tear_down();
	}
}

/* libunwind takes the steps that are too much for our own rules; it hands all registers on. */
static void
the_second_opinion(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(REMEMBERS);        /* LEAF: cfa = rsp + 16 */
	words[2 + 2] = slot(20);          /* REMEMBERS: rbx at cfa - 16 */
	words[2 + 3] = ret(BY_RBX);
	words[20 + 3] = ret(ROOT);        /* cfa = rbx + 32 */
	go(ret(LEAF), 0, WORDS);
	CHECK_U64(walk.n, 4);
	CHECK(in(0) == LEAF && in(1) == REMEMBERS && in(2) == BY_RBX && in(3) == ROOT);
	CHECK(walk.end == WALK_ROOT && walk.by_cfi == 2 && walk.by_libunwind == 1);
	words[2 + 3] = 0x1234;            /* no code */
	go(ret(LEAF), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 2 && !walk.by_libunwind);
	tear_down();
}

static void
the_leaf_has_all_registers(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBX] = slot(10);
	words[13] = ret(ROOT);
	go(ret(BY_RBX), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
a_leaf_without_a_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RDI] = ret(PLAIN);
	words[3] = ret(ROOT);
	go(ret(VFORK), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == PLAIN);
	regs.r[RDI] = ret(VFORK);         /* itself, for ever */
	go(ret(VFORK), 0, WORDS);
	CHECK(walk.end == WALK_LOOP);
	tear_down();
}

static void
a_lost_register_is_missed(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(BY_RBX);
	go(ret(LOSES_RBX), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 2);
	tear_down();
}

static void
realigned_and_plt(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[7] = slot(12);              /* *(rbp - 8) is the CFA */
	words[11] = ret(PLAIN);
	words[12 + 3] = ret(ROOT);
	words[0] = ret(REALIGNED);
	go(BIAS + TEXT + PLT * FUNCTION, 0, WORDS);        /* cfa = rsp + 8 */
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == REALIGNED && in(2) == PLAIN);
	words[1] = words[0];
	words[0] = 0;
	go(BIAS + TEXT + PLT * FUNCTION + 11, 0, WORDS);   /* cfa = rsp + 16 */
	CHECK(walk.end == WALK_ROOT && walk.n == 4);
	tear_down();
}

int
main(void)
{
	RUN("unwind_rules", equal_rules_are_kept_once);
	RUN("unwind_rules", epilogues_have_popped_fp);
	RUN("unwind_rules", lies_end_the_walk);
	RUN("unwind_rules", registers_that_were_not_carried_along);
	RUN("unwind_rules", the_second_opinion);
	RUN("unwind_rules", the_leaf_has_all_registers);
	RUN("unwind_rules", a_leaf_without_a_frame);
	RUN("unwind_rules", a_lost_register_is_missed);
	RUN("unwind_rules", realigned_and_plt);
	return TEST_STATUS;
}
