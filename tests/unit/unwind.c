/* Walks: where they begin and end, the quick way and the full way, deep stacks and chains. */
#include "unwind/unwind.c"

#include "walked.h"

static void
plain_frames_to_the_root(void)
{
	set_up(MODE_AUTO, 512);
	words[1] = ret(PLAIN);            /* LEAF: cfa = rsp + 16 */
	words[0] = slot(20);              /* its caller's rbp */
	words[2 + 3] = ret(FRAMED);       /* PLAIN: cfa = rsp + 32 */
	words[20] = 0x1234;
	words[21] = ret(ROOT);            /* FRAMED: cfa = rbp + 16 */
	go(ret(LEAF), 0, WORDS);
	CHECK_U64(walk.n, 4);
	CHECK(in(0) == LEAF && in(1) == PLAIN && in(2) == FRAMED && in(3) == ROOT);
	CHECK(walk.end == WALK_ROOT && walk.by_cfi == 3 && !walk.by_fp && !walk.by_code);
	CHECK_U64(walk.used, 22 * 8);
	CHECK_U64(codes.code[walk.code[0]].vaddr, TEXT + LEAF * FUNCTION + RET);        /* exact */
	CHECK_U64(codes.code[walk.code[1]].vaddr, TEXT + PLAIN * FUNCTION + RET - 1);   /* the call */
	tear_down();
}

static void
a_zero_return_address_is_a_root(void)
{
	set_up(MODE_CFI, 512);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	tear_down();
}

/* The stack of a vfork's child, whose parent runs again and writes to the stack that both share. */
static void
but_not_of_the_vdso(void)
{
	set_up(MODE_AUTO, 512);
	program->kind = MODULE_IMAGE;
	program->name = "[vdso]";
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end != WALK_ROOT && walk.n == 1);
	program->name = "program";
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	tear_down();
}

static void
the_entry_point_is_a_root(void)
{
	set_up(MODE_CFI, 512);
	words[3] = ret(ENTRY);
	words[4] = 0xdead;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == ENTRY);
	tear_down();
}

static void
the_copy_ends(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN);
	go(ret(PLAIN), 0, 7);             /* the next return address is in word 7 */
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 2 && !walk.fp_at_cut);
	CHECK_U64(walk.used, 8 * 8);
	go(ret(PLAIN), 0, 0);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	CHECK_U64(walk.used, 4 * 8);
	regs.r[RBP] = slot(100);
	go(ret(FRAMED), 0, 101);          /* half of the frame record */
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut);
	CHECK_U64(walk.used, 102 * 8);
	go(ret(FRAMED), 0, 102);
	CHECK(walk.end == WALK_ROOT);     /* the return address is zero */
	tear_down();
}

static void
other_modes(void)
{
	for (enum walk_mode mode = MODE_AUTO; mode <= MODE_FP; mode++) {
		set_up(mode, 512);
		regs.r[RBP] = slot(8);
		words[8] = slot(20);
		words[9] = ret(PLAIN);
		words[13] = ret(ROOT);
		words[20] = 0;
		words[21] = ret(ROOT);
		go(ret(BARE), 0, WORDS);
		CHECK(walk.end == (mode == MODE_CFI ? WALK_NO_RULE : WALK_ROOT));
		CHECK_U64(walk.n, mode == MODE_CFI ? 1 : 3);
		CHECK_U64(walk.by_fp, mode == MODE_CFI ? 0 : mode == MODE_FP ? 2 : 1);
		/* not what can be a return address */
		words[9] = mode == MODE_FP ? 0xdead : ret(PLAIN) + 3;
		words[13] = words[21] = 0;
		go(ret(BARE), 0, WORDS);
		CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
		/* down the stack, or not aligned */
		words[9] = ret(ROOT);
		go(ret(BARE), 10, WORDS);
		CHECK(walk.end == WALK_NO_RULE);
		tear_down();
	}
}

/* A return address of 0 ends a coroutine's stack, but not the stack of a thread whose outermost function is known further up. */
static void
zero_return_addresses(void)
{
	set_up(MODE_AUTO, 512);
	thread = 7;
	words[3] = 0;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	words[3] = ret(PLAIN);
	words[7] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	words[3] = 0;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_BAD_RULE && walk.n == 1);
	words[43] = 0;                    /* another stack */
	go(ret(PLAIN), 40, WORDS);
	CHECK(walk.end == WALK_ROOT);
	thread = 8;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT);
	thread = 0;
	tear_down();
}

static void
nothing_mapped(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = 0x6666;
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 2 && walk.code[1] == CODE_UNKNOWN);
	words[3] = 3;                     /* no code of any process */
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 1);
	go(0x666, 0, WORDS);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 1 && walk.code[0] == CODE_UNKNOWN);
	CHECK_U64(unwind_code(unwinder, &space, 0x666), CODE_UNKNOWN);
	CHECK_U64(codes.code[unwind_code(unwinder, &space, 0x10300)].vaddr, 0x10300);
	tear_down();
}

static void
a_new_epoch_is_another_place(void)
{
	struct map m = { .lo = BIAS + TEXT, .hi = BIAS + TEXT + 0x1000, .exec = true, .file = 9 };

	set_up(MODE_AUTO, 512);
	words[3] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT);
	m.module = module_lost(&modules, "/gone", "cannot be opened");
	CHECK(space_add(&space, &m));
	go(ret(PLAIN), 0, 2);
	CHECK(walk.end == WALK_NO_MODULE && walk.n == 1);
	CHECK_U64(codes.code[walk.code[0]].module, m.module->id);
	tear_down();
}

static void
coroutines_begin_where_they_would_return_to(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = ret(PLAIN);
	words[3] = BIAS + TEXT;           /* a function's first instruction, which follows no call and no return */
	go(ret(PLAIN), 0, 30);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	for (unsigned i = 0; i < 2; i++) {   /* code that raises an exception: its table is false by now */
		go(BIAS + TEXT + PLAIN * FUNCTION + RAISES + 2 * i, 0, 30);
		CHECK(walk.end != WALK_ROOT && walk.n == 1);
	}
	tear_down();
}

/* V8 makes frames of its interpreter out of one of optimized code. */
static void
frames_that_v8_made_return_to_its_interpreter(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[3] = BIAS + TEXT + ENTERS * FUNCTION;
	words[8] = slot(40);
	words[9] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(2) == ROOT);
	words[9] = ret(ROOT) + 1;         /* no return address */
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

static void
no_progress_ends_the_walk(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(4);               /* its caller's frame lies below */
	words[9] = ret(FRAMED);
	words[4] = slot(4);
	words[5] = ret(FRAMED);
	go(ret(FRAMED), 0, WORDS);
	CHECK(walk.end == WALK_LOOP && walk.n == 2);
	tear_down();
}

static uint32_t seed;

static uint32_t
any(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Stacks of return addresses (in odd words) and of pointers a little upward (in even ones), so that walks get far. */
static void
random_stack(void)
{
	static const uint8_t some[] = { PLAIN, FRAMED, LEAF, BY_RBX, REALIGNED, FP_IN_R12, LOSES_RBX, SETS_R12, SIGNAL, PUSHES,
	                                BARE, ALLOCA, SAVES_FP, STRIPPED };

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i % 2 ? ret(some[any(sizeof some)]) : slot((i + 2 + 2 * any(12)) & ~1u);
	for (unsigned i = 0; i < 17; i++)
		regs.r[i] = slot(2 * any(20));
}

static void
the_quick_walk_is_the_full_walk(void)
{
	static struct walk quick;
	unsigned far = 0, by_rbx = 0;

	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned first = i % (ENTRY - 1) + 1;

		seed = i;
		random_stack();
		unwinder->full_always = false;
		go(ret(first), 0, WORDS);
		quick = walk;
		unwinder->full_always = true;
		go(ret(first), 0, WORDS);
		CHECK(walk.n == quick.n && walk.end == quick.end && walk.used == quick.used &&
		      !memcmp(walk.code, quick.code, walk.n * sizeof *walk.code));
		CHECK(walk.by_cfi == quick.by_cfi && walk.by_fp == quick.by_fp && walk.by_code == quick.by_code);
		far += walk.n > 5;
		for (uint32_t k = 1; k + 1 < walk.n; k++)
			by_rbx += in(k) == BY_RBX;
	}
	CHECK(far > 1000 && by_rbx > 1000);   /* else this tests nothing */
	tear_down();
}

/* Walks one stack again and again, with a changed word or from another depth: the walk must not trust what it remembers of the last
 * one. */
static void
the_trail_is_not_believed(void)
{
	static const uint8_t plain[] = { PLAIN, FRAMED, LEAF, SAVES_FP, ALLOCA, PUSHES, STRIPPED };
	static struct walk quick;
	unsigned far = 0, derived = 0;

	set_up(MODE_AUTO, 512);
	seed = 1;
	for (unsigned i = 0; i < 40000; i++) {
		unsigned sp = 2 * any(8), at = any(WORDS);

		if (i % 100 == 0) {
			random_stack();
			for (unsigned k = 1; k < WORDS; k += 2)
				words[k] = ret(plain[any(i % 200 ? sizeof plain : 4)]);
		}
		if (i % 3 == 0)
			words[at] = at % 2 ? ret(plain[any(i / 100 % 2 ? sizeof plain : 4)]) : slot((at + 2 + 2 * any(12)) & ~1u);
		unwinder->full_always = false;
		go(ret(PLAIN), sp, WORDS);
		quick = walk;
		unwinder->full_always = true;
		go(ret(PLAIN), sp, WORDS);
		far += walk.n > 20;
		derived += walk.n > 10 && walk.by_fp > 2 && walk.by_code > 2;
		CHECK(walk.n == quick.n && walk.end == quick.end && !memcmp(walk.code, quick.code, walk.n * sizeof *walk.code));
		CHECK(walk.by_cfi == quick.by_cfi && walk.by_fp == quick.by_fp && walk.by_code == quick.by_code);
	}
	CHECK(far > 1000 && derived > 1000);
	tear_down();
}

static void
both_ends_of_a_deep_stack(void)
{
	for (unsigned max = 2; max < 12; max++) {
		set_up(MODE_AUTO, max);
		for (unsigned i = 0; i < 10; i++)
			words[4 * i + 3] = ret(PLAIN);
		words[43] = ret(SAVES_FP);
		words[47] = ret(ROOT);        /* 11 PLAIN, SAVES_FP, ROOT: 13 */
		go(ret(PLAIN), 0, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == max && walk.elided);
		CHECK(walk.code[max / 2] == CODE_ELIDED && in(0) == PLAIN);
		if (max > 2)
			CHECK(in(max - 1) == ROOT);
		if (max > 4)
			CHECK(in(max - 2) == SAVES_FP && (max - 3 == max / 2 || in(max - 3) == PLAIN));
		tear_down();
	}
	set_up(MODE_AUTO, 13);
	for (unsigned i = 0; i < 11; i++)
		words[4 * i + 3] = ret(PLAIN);
	words[47] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.n == 13 && !walk.elided);
	tear_down();
}

static void
the_kernels_chain_goes_on(void)
{
	/* FRAMED under FRAMED under FRAMED: rbp at words 8, 30, 50, and the copy ends at 32. */
	uint64_t chain[] = { ret(FRAMED), ret(FRAMED), ret(FRAMED), ret(FRAMED), ret(ROOT) };

	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(30);
	words[9] = ret(FRAMED);
	words[30] = slot(50);
	words[31] = ret(FRAMED);
	go_with(ret(FRAMED), 0, 32, NULL, 0);
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut && walk.n == 3);
	go_with(ret(FRAMED), 0, 32, chain, 5);
	CHECK(walk.end == WALK_ROOT && walk.n == 5 && walk.by_chain == 2 && walk.by_cfi == 2);
	chain[3] = ret(PLAIN);            /* does not keep frame pointers, so the walk must not trust what follows */
	go_with(ret(FRAMED), 0, 32, chain, 5);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 4 && walk.by_chain == 1);
	words[8] = slot(29);              /* the walk leaves the kernel's chain */
	chain[3] = ret(FRAMED);
	regs.r[RBP] = slot(11);
	words[11] = slot(13);
	words[13] = slot(60);
	words[3] = ret(FRAMED);           /* SAVES_FP: rbp at -24 */
	words[1] = slot(8);
	go_with(ret(SAVES_FP), 0, 20, chain, 5);
	CHECK(walk.by_chain == 0 && walk.end != WALK_ROOT);
	tear_down();
}

static void
a_chain_alone(void)
{
	const uint64_t chain[] = { ret(LEAF), ret(FRAMED), ret(ROOT), ret(PLAIN) }, lost[] = { ret(LEAF), 0x666, ret(ROOT) };

	set_up(MODE_FP, 512);
	unwind_chain(unwinder, &space, chain, 4, 0, &walk);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(2) == ROOT && walk.by_chain == 2);
	CHECK_U64(codes.code[walk.code[0]].vaddr, TEXT + LEAF * FUNCTION + RET);
	CHECK_U64(codes.code[walk.code[1]].vaddr, TEXT + FRAMED * FUNCTION + RET - 1);
	unwind_chain(unwinder, &space, chain, 2, 0, &walk);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	unwind_chain(unwinder, &space, lost, 3, 0, &walk);
	CHECK(walk.end == WALK_NO_MAP && walk.n == 2 && walk.code[1] == CODE_UNKNOWN);
	tear_down();
}

static void
full_memory_degrades(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(PLAIN);
	words[7] = ret(ROOT);
	mem_cap(mem_used());
	for (unsigned i = 0; i < 100; i++)
		go(ret(PLAIN) + i % 8, 0, WORDS);
	CHECK(walk.n >= 1);
	mem_cap(SIZE_MAX);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3);
	mem_cap(mem_used() + 1000);
	CHECK(!unwinder_new(&arch_x86_64, &modules, &codes, MODE_AUTO, 10));
	mem_cap(SIZE_MAX);
	tear_down();
}

int
main(void)
{
	RUN("unwind", plain_frames_to_the_root);
	RUN("unwind", a_zero_return_address_is_a_root);
	RUN("unwind", but_not_of_the_vdso);
	RUN("unwind", the_entry_point_is_a_root);
	RUN("unwind", the_copy_ends);
	RUN("unwind", other_modes);
	RUN("unwind", zero_return_addresses);
	RUN("unwind", nothing_mapped);
	RUN("unwind", a_new_epoch_is_another_place);
	RUN("unwind", frames_that_v8_made_return_to_its_interpreter);
	RUN("unwind", coroutines_begin_where_they_would_return_to);
	RUN("unwind", no_progress_ends_the_walk);
	RUN("unwind", the_quick_walk_is_the_full_walk);
	RUN("unwind", the_trail_is_not_believed);
	RUN("unwind", both_ends_of_a_deep_stack);
	RUN("unwind", the_kernels_chain_goes_on);
	RUN("unwind", a_chain_alone);
	RUN("unwind", full_memory_degrades);
	return TEST_STATUS;
}
