/* Walks through code of files that no table describes. */
#include "unwind/unwind.c"

#include "walked.h"

/* Code that moves the return address further down the stack, as V8's calls of C++ do. */
static void
instructions_move_the_return_address(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[8] = slot(20);
	words[9] = ret(PLAIN);
	words[15] = ret(ROOT);
	go(ret(MOVES), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == PLAIN);
	go(ret(LOSES), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

static void
instructions_tell(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = 0x77;
	words[0] = words[1] = words[2] = 0x1111;
	words[3] = 1;                     /* rbx */
	words[4] = slot(20);              /* rbp */
	words[5] = ret(FRAMED);
	words[20] = 5;
	words[21] = ret(ROOT);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED);
	/* the block behind the return has the state of the branch to it */
	go(BIAS + TEXT + PUSHES * FUNCTION + 0x2a, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	go(BIAS + TEXT + PUSHES * FUNCTION + 0x2a + 5, 4, WORDS);   /* rbx is popped, rbp not */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	go(BIAS + TEXT + PUSHES * FUNCTION + 1, 4, WORDS);          /* rbp is pushed */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	regs.r[RBP] = slot(20);
	go(BIAS + TEXT + PUSHES * FUNCTION, 5, WORDS);              /* nothing is */
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	tear_down();
}

/* Like a file that is too large to read in its mapping: first whole, then cut short. */
static void
a_large_files_code(void)
{
	int fd = memfd_create("large", 0);

	set_up(MODE_AUTO, 512);
	CHECK(write(fd, program->file.data, program->file.size) == (ssize_t)program->file.size);
	program->file.fd = fd;
	words[4] = slot(20);
	words[5] = ret(FRAMED);
	words[21] = ret(ROOT);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED);
	tear_down();
	set_up(MODE_AUTO, 512);
	program->file.fd = memfd_create("empty", 0);
	words[5] = ret(FRAMED);
	go(ret(PUSHES), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

/* As V8's own functions, which jump on to the function that they call. */
static void
padding_tells_where_a_function_begins(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(20);
	words[0] = ret(FRAMED);
	words[21] = ret(ROOT);
	go(BIAS + TEXT + PADDED * FUNCTION + 4, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED);
	tear_down();
}

static void
instructions_behind_alloca(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(33);
	words[33] = slot(40);
	words[34] = ret(FRAMED);
	words[40] = 0;
	words[41] = ret(ROOT);
	go(ret(ALLOCA), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_fp == 1);
	go(ret(ALLOCA), 0, 30);
	CHECK(walk.end == WALK_STACK_SHORT && walk.fp_at_cut);
	tear_down();
}

/* The copy of sp from before the alignment, in the frame or in a register, if it is the one that gives this sp. */
static void
assembly_aligns_sp(void)
{
	static const struct { unsigned function, copy; bool right; } row[] = {
		{ ALIGNS, 9, true }, { ALIGNS, 11, true }, { ALIGNS, 13, false }, { ALIGNS, 7, false },
		{ KEEPS, 9, true }, { KEEPS, 11, true }, { KEEPS, 13, false },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		bool stored = row[i].function == ALIGNS;

		set_up(MODE_AUTO, 512);
		words[3] = ret(row[i].function);
		words[5] = stored ? slot(row[i].copy) : 0;
		regs.r[11] = stored ? 0 : slot(row[i].copy);
		words[row[i].copy] = slot(20);    /* rbp */
		words[row[i].copy + 1] = ret(FRAMED);
		words[21] = ret(ROOT);
		go(ret(row[i].function), 4, WORDS);
		CHECK(row[i].right ? walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && in(1) == FRAMED : walk.end == WALK_NO_RULE && walk.n == 1);
		go(ret(PLAIN), 0, WORDS);         /* its caller's registers are not all known */
		CHECK(row[i].right && stored ? walk.end == WALK_ROOT && walk.n == 4 : walk.end == WALK_NO_RULE && walk.n == 2);
		regs.r[11] = slot(9);             /* before the alignment */
		words[9] = slot(20);
		words[10] = ret(FRAMED);
		go(BIAS + TEXT + row[i].function * FUNCTION + 4, 9, WORDS);
		CHECK(walk.end == WALK_ROOT && walk.n == 3 && in(1) == FRAMED);
		tear_down();
	}
}

/* The call before a frame record shows where the function begins, and the size of the frame shows that the record is its own. */
static void
the_call_tells_the_function(void)
{
	for (unsigned fp = 7; fp <= 9; fp++) {
		set_up(MODE_AUTO, 512);
		regs.r[RBP] = slot(fp);
		words[3] = ret(CALLED);
		words[fp] = slot(20);
		words[fp + 1] = ret(CALLS);
		words[fp + 5] = ret(ROOT);
		go(ret(PLAIN), 0, WORDS);
		CHECK(fp == 8 ? walk.end == WALK_ROOT && walk.n == 4 && walk.by_fp == 1 && in(2) == CALLS : walk.end == WALK_NO_RULE && walk.n == 2);
		tear_down();
	}
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[3] = ret(CALLED);
	words[9] = ret(STRIPPED);         /* which calls another */
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 2);
	tear_down();
}

static void
instructions_forward(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = 1;
	words[4] = slot(20);
	words[5] = ret(FRAMED);
	words[21] = ret(ROOT);
	go(ret(STRIPPED), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1);
	tear_down();
}

static void
threads_begin_where_nothing_is_to_return_to(void)
{
	set_up(MODE_AUTO, 512);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = 0x1111;
	words[3] = ret(POPPED);
	words[4] = ret(PLAIN);            /* not to be taken for a return address */
	words[8] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == POPPED);
	memset(words, 0, sizeof words);
	words[3] = ret(ENDLESS);          /* ends the thread */
	go(ret(PLAIN), 0, 4);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	words[3] = ret(PLAIN);
	go(ret(ENDLESS) + 2, 0, 4);       /* so does the function that it calls for that */
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

/* Go's functions are known by their symbols, too, where its own table is not found. */
static void
another_stack_begins_where_go_goes_over_to_it(void)
{
	set_up(MODE_AUTO, 512);
	words[3] = ret(SWITCHES);
	words[4] = ret(PLAIN);
	words[8] = ret(ROOT);
	go(ret(PLAIN), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == SWITCHES);
	tear_down();
}

/* prof does not take words in the stack for return addresses, except the first of all, if it is a root's. */
static void
nothing_is_looked_for(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(30);           /* a frame record of somebody's */
	words[30] = 0;
	words[31] = ret(ROOT);
	words[3] = ret(PLAIN);
	words[7] = ret(ROOT);
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[3] = ret(PLAIN) + 1;
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && in(1) == ROOT && walk.by_code == 1);
	go(ret(SILENT), 0, 7);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[3] = BIAS + TEXT;           /* where a coroutine would end, or a pointer to that function */
	go(ret(SILENT), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

static void
the_cfa_in_the_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[RBP] = slot(8);
	words[6] = slot(14);              /* r10's slot: 16 below the record */
	words[8] = slot(40);
	words[9] = words[13] = ret(PLAIN);
	words[14 + 3] = ret(ROOT);
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 3 && walk.by_code == 1 && walk.by_cfi == 1);
	words[13] = ret(ROOT);            /* not the same return address as in the record */
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	words[6] = slot(WORDS + 9);
	go(ret(RECORD), 0, WORDS);
	CHECK(walk.end == WALK_STACK_SHORT && walk.n == 1);
	tear_down();
}

/* gcc's tables say that rbp lies at rbp also where it has been popped. */
static void
the_end_of_a_realigned_frame(void)
{
	set_up(MODE_AUTO, 512);
	regs.r[10] = slot(6);
	words[5] = ret(FRAMED);
	words[20] = slot(40);
	words[21] = ret(FRAMED);
	words[41] = ret(ROOT);
	regs.r[RBP] = slot(20);           /* the caller's */
	go(BIAS + TEXT + REALIGNED_END * FUNCTION, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(3) == ROOT);
	words[3] = slot(20);
	regs.r[RBP] = slot(3);            /* still its own: in its beginning */
	go(BIAS + TEXT + REALIGNED_END * FUNCTION, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 4 && in(3) == ROOT);
	tear_down();
}

static void
a_thread_that_was_just_made(void)
{
	const uint64_t at = BIAS + TEXT + CLONES * FUNCTION;

	set_up(MODE_AUTO, 512);
	regs.r[0] = 0;
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	words[0] = 0x1111;                /* what it was made with */
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 1);
	go(at, 0, WORDS);                 /* before the system call */
	CHECK(walk.end == WALK_NO_RULE);
	regs.r[0] = 17;                   /* who made it */
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE);
	words[0] = ret(ROOT);
	go(at + 2, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	tear_down();
}

static void
a_popped_return_address(void)
{
	const uint64_t at = BIAS + TEXT + VFORKS * FUNCTION;

	set_up(MODE_AUTO, 512);
	regs.r[RDX] = ret(ROOT);
	words[0] = ret(PLAIN);            /* the child's, since */
	go(at + 3, 0, WORDS);             /* behind the system call */
	CHECK(walk.end == WALK_ROOT && walk.n == 2 && walk.by_code == 1);
	words[0] = ret(ROOT);
	go(at, 0, WORDS);
	CHECK(walk.end == WALK_ROOT && walk.n == 2);
	regs.r[RDX] = ret(ROOT) + 1;
	go(at + 3, 0, WORDS);
	CHECK(walk.end == WALK_NO_RULE && walk.n == 1);
	tear_down();
}

int
main(void)
{
	RUN("unwind_bare", instructions_move_the_return_address);
	RUN("unwind_bare", instructions_tell);
	RUN("unwind_bare", a_large_files_code);
	RUN("unwind_bare", padding_tells_where_a_function_begins);
	RUN("unwind_bare", instructions_behind_alloca);
	RUN("unwind_bare", assembly_aligns_sp);
	RUN("unwind_bare", the_call_tells_the_function);
	RUN("unwind_bare", instructions_forward);
	RUN("unwind_bare", threads_begin_where_nothing_is_to_return_to);
	RUN("unwind_bare", another_stack_begins_where_go_goes_over_to_it);
	RUN("unwind_bare", nothing_is_looked_for);
	RUN("unwind_bare", the_cfa_in_the_frame);
	RUN("unwind_bare", the_end_of_a_realigned_frame);
	RUN("unwind_bare", a_thread_that_was_just_made);
	RUN("unwind_bare", a_popped_return_address);
	return TEST_STATUS;
}
