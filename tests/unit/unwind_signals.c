/* Walks through signals' frames. */
#include "unwind/unwind.c"

#include "walked.h"

static void
a_described_signal_frame(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(SIGNAL);           /* the handler is PLAIN */
	words[4 + 1] = BIAS + TEXT + FRAMED * FUNCTION;   /* the first instruction: exact, not one less */
	words[4 + 2] = slot(30);          /* rbp */
	words[4 + 5] = slot(20);          /* rsp */
	words[31] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == SIGNAL && in(2) == FRAMED);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + FRAMED * FUNCTION);
	words[4 + 2] = 0x1000;            /* on another stack, which was not copied */
	words[4 + 5] = 0x2000;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 3);
	tear_down();
}

static void
a_signal_frame_of_a_plain_rule(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN_SIGNAL);
	words[7] = BIAS + TEXT + ROOT * FUNCTION;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + ROOT * FUNCTION);
	tear_down();
}

static void
handlers_are_not_called(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(2);
	words[2] = 7;
	words[3] = ret(TRAMPOLINE);       /* follows no call */
	words[4 + 5 + 15] = slot(60);
	words[4 + 5 + 16] = ret(ROOT);
	go(0x10100, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == TRAMPOLINE && walk.by_fp == 1);
	tear_down();
}

static void
a_bare_signal_frame(void)
{
	set_up(MODE_CFI, 512);
	words[3] = ret(TRAMPOLINE);       /* the ucontext at word 4, its registers 40 bytes on */
	words[4 + 5 + 11] = slot(100);    /* rbx */
	words[4 + 5 + 15] = slot(60);     /* rsp */
	words[4 + 5 + 16] = ret(BY_RBX);  /* rip */
	words[103] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(1) == TRAMPOLINE && in(2) == BY_RBX);
	CHECK_U64(codes.code[walk.code[2]].vaddr, TEXT + BY_RBX * FUNCTION + RET);   /* exact */
	memmove(words, words + 4, 200 * 8);
	words[5 + 11] = slot(96);
	go(ret(TRAMPOLINE), 0, WORDS);    /* interrupted in the trampoline itself, at either instruction */
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	go(ret(TRAMPOLINE) + 7, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	go(ret(TRAMPOLINE) + 9, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	tear_down();
}

/* sp is the frame's already, pc not yet the handler's: where the return address should be, the frame has a zero. */
static void
a_signal_frame_in_the_making(void)
{
	set_up(MODE_CFI, 512);
	words[0] = ret(TRAMPOLINE);
	words[3] = 0;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 1);
	words[0] = ret(ROOT);             /* so it is a stack's end, as coroutines have it */
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	/* pc comes from the signal's frame already, sp is still there */
	words[0] = words[3] = 0;
	words[21] = ret(PLAIN);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 1);
	words[21] = ret(FRAMED);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	tear_down();
}

int
main(void)
{
	RUN("unwind_signals", a_described_signal_frame);
	RUN("unwind_signals", a_signal_frame_of_a_plain_rule);
	RUN("unwind_signals", handlers_are_not_called);
	RUN("unwind_signals", a_bare_signal_frame);
	RUN("unwind_signals", a_signal_frame_in_the_making);
	return TEST_STATUS;
}
