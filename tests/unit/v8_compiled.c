/* Functions that V8 has compiled, and those that it has inlined. */
#include "v8process.h"

static bool code_is_low;

/* Code of SIZE bytes, made of DATA; the address of its first instruction. */
static uint64_t
compiled(uint64_t data, uint32_t size)
{
	uint64_t c = object(at[V8_TYPE_CODE], 88), lo, stream;

	top = (top + 127) & ~UINT64_C(127);
	lo = (take(128 + size) + 127) & ~UINT64_C(127);
	lo -= code_is_low ? BASE - LOW : 0;
	stream = lo - (uint64_t)at[V8_STREAM_START] + 1;
	if (!at[V8_CODE_START]) {
		c = stream;
		put(c, 0, map_of[at[V8_TYPE_CODE]]);
	} else {
		put(stream, 0, context);                         /* any object */
		put(stream, 8, c);
		put(c, at[V8_CODE_START], lo);
	}
	put(c, at[V8_CODE_SIZE], size);
	put(c, at[V8_CODE_DATA], data);
	return lo;
}

/* What optimized code keeps for V8 to go back to the interpreter. */
static uint64_t
made_of(uint64_t f, bool wrapped)
{
	uint64_t data = object(CONTEXT_TYPE, 12 * 8), shared, wrapper = object(CONTEXT_TYPE, 16);

	memcpy(&shared, memory + (f - 1 + (uint64_t)at[V8_FUNCTION_SHARED] - BASE), sizeof shared);
	put(wrapper, 8, shared);
	put(data, 16 + 8 * at[V8_DEOPT_SHARED], wrapped ? wrapper : shared);
	return data;
}

static void
check_compiled(const struct v8_image *of, bool wrapped)
{
	uint64_t lo;

	start(of);
	lo = compiled(made_of(inner, wrapped), 0x900);
	put_frame(2, context, object(CONTEXT_TYPE, 32), 0);      /* the function has moved */
	runs_at(lo + 0x8ff, 2);
	ask();
	CHECK(to.n == 2 && !to.doubtful);
	check_frame(1, "work.js:inner", 2, 2);
	runs_at(lo + 0x8f1, 2);
	ask();
	check_frame(1, "work.js:inner", 2, 2);
	CHECK_U64(reads, 0);                                     /* the same code */
	runs_at(lo + 0x900, 2);                                  /* behind it */
	put_frame(2, context, object(CONTEXT_TYPE, 32), 0);
	ask();
	check_frame(1, "[javascript?]", 0, 2);
	put_frame(2, context, inner, 0);
	sp[1] = sp[0] + 8;                                       /* a function that ends has no frame and nothing in registers */
	runs_at(lo + 0x8f0, 0);
	ask();
	CHECK_U64(to.n, 3);
	check_frame(0, "work.js:inner", 2, 0);
	runs_at(lo + 0x8f0, 2);
	moment.time += GOOD - 1;
	put_word(lo - (uint64_t)at[V8_STREAM_START], 3);         /* it is no longer there */
	ask();
	CHECK_U64(to.doubtful, 0);
	stop();
}

static void
optimized_code_tells_its_function(void)
{
	struct v8_image of_10 = of_11;

	of_10.major = 10;
	of_10.at[V8_STREAM_START] = 128;
	of_10.at[V8_CODE_START] = 0;
	of_10.at[V8_CODE_SIZE] = 40;
	for (unsigned i = 0; i < 2; i++) {
		code_is_low = i;
		check_compiled(&of_10, false);
		check_compiled(&of_11, false);
		check_compiled(&of_13, true);
	}
	code_is_low = false;
}

/* ---- functions that V8 has inlined ---- */

enum { CALLS = 2, LITERALS = 2 };

static uint64_t
array(uint32_t bytes)
{
	uint64_t a = object(CONTEXT_TYPE, 8 + bytes);

	put(a, 8, number(bytes));
	return a;
}

/* A place in the source, in inlined call NUMBER; 0: in none. */
static uint64_t
place(uint32_t position, uint64_t call)
{
	return (uint64_t)(position + 1) << 1 | call << 31;
}

static uint8_t *
put_unsigned(uint8_t *p, uint64_t u)
{
	for (; u > 127; u >>= 7)
		*p++ = (uint8_t)(u | 128);
	*p++ = (uint8_t)u;
	return p;
}

static uint8_t *
put_signed(uint8_t *p, int64_t v)
{
	return put_unsigned(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

/* A table for three places, which begin EACH bytes after another; the second one SECOND bytes after the first. */
static uint64_t
positions(const uint64_t of[3], int64_t each, int64_t second)
{
	uint64_t a = array(32), before = 0;
	uint8_t *first = memory + (a - 1 + 16 - BASE), *p = first;

	for (unsigned i = 0; i < 3; i++) {
		/* The second one is not the beginning of a statement. */
		if (image.major < 14)
			p = put_signed(p, i == 1 ? ~second : each);
		else
			p = put_unsigned(p, (uint64_t)(i == 1 ? second << 2 | 2 : each << 2 | 3));
		p = put_signed(p, (int64_t)(of[i] - before));
		before = of[i];
	}
	put(a, 8, number((uint32_t)(p - first)));
	return a;
}

/* Code of a.outer, which has inlined inner, which has inlined leaf. */
static uint64_t
start_inlined(const struct v8_image *of, uint64_t *calls, uint64_t *literals)
{
	uint64_t outer, leaf, data, lo, shared, c;

	start(of);
	outer = function(scope(0, string("outer"), 0, 0), script);
	leaf = function(scope(0, string("leaf"), 0, 0), script);
	data = made_of(outer, false);
	put(data, 8, number(12));
	*calls = array(16 * CALLS);
	*literals = array(8 * LITERALS);
	put(*literals, 8, number(LITERALS));
	memcpy(&shared, memory + (leaf - 1 + (uint64_t)at[V8_FUNCTION_SHARED] - BASE), 8);
	put(*literals, 16, shared);
	memcpy(&shared, memory + (inner - 1 + (uint64_t)at[V8_FUNCTION_SHARED] - BASE), 8);
	put(*literals, 24, shared);
	put(*calls, 16, place(8, 0));                            /* line 2 of outer calls inner */
	put(*calls, 24, 1);
	put(*calls, 32, place(16, 1));                           /* line 3 of inner calls leaf */
	put(*calls, 40, 0);
	put(data, 16 + 8 * at[V8_DEOPT_LITERALS], *literals);
	put(data, 16 + 8 * at[V8_DEOPT_INLINED], *calls);
	lo = compiled(data, 0x900);
	memcpy(&c, memory + (lo - (uint64_t)at[V8_STREAM_START] + 8 - BASE), 8);
	put(c, at[V8_CODE_DATA] + 8, positions((uint64_t[]){ place(0, 0), place(9, 1), place(24, 2) }, 0x10, 0x300));
	put_frame(1, number(18), inner, 0);
	put_frame(2, context, outer, 0);
	return lo;
}

static void
check_inlined(const struct v8_image *of)
{
	uint64_t calls, literals, lo = start_inlined(of, &calls, &literals);

	runs_at(lo + 0x15, 2);
	ask();
	CHECK_U64(to.n, 1);
	check_frame(0, "work.js:outer", 1, 2);
	runs_at(lo + 0x310, 2);
	ask();
	CHECK_U64(to.n, 2);
	check_frame(0, "work.js:inner", 2, 2);
	check_frame(1, "work.js:outer", 2, 2);
	runs_at(lo + 0x8f0, 2);
	ask();
	CHECK_U64(to.n, 3);
	check_frame(0, "work.js:leaf", 4, 2);
	check_frame(1, "work.js:inner", 3, 2);
	check_frame(2, "work.js:outer", 2, 2);
	ask();
	CHECK(to.n == 3 && !reads);
	runs_at(lo + 5, 2);                                      /* before the first place */
	ask();
	CHECK_U64(to.n, 1);
	stop();
}

static void
functions_that_are_inlined_have_frames(void)
{
	struct v8_image of_14 = of_13;

	of_14.major = 14;
	check_inlined(&of_11);
	check_inlined(&of_13);
	check_inlined(&of_14);
}

static void
inlined_calls_that_lie_leave_the_function_itself(void)
{
	static const struct { uint64_t call, function; uint32_t calls, literals; } lies[] = {
		{ 2, 0, 32, 2 },            /* inlined into itself */
		{ 1, 2, 32, 2 }, { 1, 0x7fffffff, 32, 2 }, { 1, 1, 16, 2 }, { 1, 1, 32, 0 }, { 65535, 1, 32, 2 },
	};

	for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
		uint64_t calls, literals, lo = start_inlined(&of_11, &calls, &literals);

		put(calls, 32, place(16, lies[i].call));
		put(calls, 24, lies[i].function);
		put(calls, 8, number(lies[i].calls));
		put(literals, 8, number(lies[i].literals));
		runs_at(lo + 0x8f0, 2);
		ask();
		CHECK_U64(to.n, 1);
		check_frame(0, "work.js:outer", 1, 2);
		stop();
	}
}

static void
baseline_code_and_the_interpreter_run_the_same_bytecode(void)
{
	uint64_t bytes, lo;

	start(&of_13);
	bytes = object(at[V8_TYPE_BYTES], 64);
	lo = compiled(bytes, 0x100);
	put_frame(1, context, inner, bytes);
	ask();
	check_frame(0, "work.js:inner", 2, 1);
	put_frame(2, context, object(CONTEXT_TYPE, 32), 0);
	runs_at(lo + 9, 2);
	ask();
	CHECK_U64(to.doubtful, 0);
	check_frame(1, "work.js:inner", 2, 2);
	stop();
}

/* ---- lines of bytecode ---- */

enum { CODE_LENGTH = 20 };

/* inner's bytecode: from 4 on it stands for line 4, from 10 on for line 3, from 14 on for line 4. */
static uint64_t
bytecode(void)
{
	uint64_t b = object(at[V8_TYPE_BYTES], 96);

	put(b, 8, number(CODE_LENGTH));
	put(b, at[V8_BYTES_WRAPPER] ? 24 : 32, positions((uint64_t[]){ place(24, 0), place(16, 0), place(25, 0) }, 4, 6));
	return b;
}

static void
interprets(uint64_t b, uint32_t offset)
{
	put_frame(1, context, inner, b);
	put_word(sp[2] - 16 - 40, number(offset + (uint32_t)at[V8_BYTES_DATA] - 1));
	put_frame(2, number(18), inner, 0);
	put_frame(3, number(18), inner, 0);
	moment.time += UINT64_C(20000000000);
	ask();
}

static void
check_interpreted(const struct v8_image *of)
{
	uint64_t b, none;

	start(of);
	b = bytecode();
	interprets(b, 3);
	check_frame(0, "work.js:inner", 2, 1);                   /* before the first place: where the function begins */
	interprets(b, 4);
	check_frame(0, "work.js:inner", 4, 1);
	interprets(b, 10);
	check_frame(0, "work.js:inner", 3, 1);
	interprets(b, CODE_LENGTH - 1);
	check_frame(0, "work.js:inner", 4, 1);
	ask();
	CHECK(to.n == 1 && !reads);
	interprets(b, CODE_LENGTH);                              /* behind it */
	check_frame(0, "work.js:inner", 2, 1);
	none = object(at[V8_TYPE_BYTES], 96);
	put(none, 8, number(CODE_LENGTH));
	put(none, at[V8_BYTES_WRAPPER] ? 24 : 32, undefined);    /* V8 has made no places yet */
	interprets(none, 10);
	check_frame(0, "work.js:inner", 2, 1);
	interprets(context, 10);                                 /* no bytecode */
	check_frame(0, "work.js:inner", 2, 1);
	stop();
}

static void
interpreted_functions_have_lines(void)
{
	struct v8_image of_14 = of_13;

	of_14.major = 14;
	check_interpreted(&of_11);
	check_interpreted(&of_13);
	check_interpreted(&of_14);
}

/* Wide lengthens the second bytecode. */
static void
baseline_code_has_lines(void)
{
	static const uint8_t ends[] = { 0x20, 0x10, 0x90, 1, 0x10, 0x10 }, codes_of[] = { 4, 9, 9, 9, 0, 5, 9, 9, 9, 9, 4, 9, 9, 9, 7 };
	static const struct { uint64_t pc; uint32_t line; } stands[] = {
		{ 0, 2 }, { 0x2f, 2 }, { 0x30, 4 }, { 0xbf, 4 }, { 0xc0, 3 }, { 0xcf, 3 }, { 0xd0, 4 }, { 0xe0, 2 },
	};
	uint64_t b, lo, c, table;

	start(&of_13);
	image.size[0][4] = 4;
	image.size[0][5] = 3;
	image.size[1][5] = 5;
	image.size[0][7] = 1;
	b = bytecode();
	memcpy(memory + (b - 1 + (uint64_t)at[V8_BYTES_DATA] - BASE), codes_of, sizeof codes_of);
	lo = compiled(b, 0x100);
	memcpy(&c, memory + (lo - (uint64_t)at[V8_STREAM_START] + 8 - BASE), 8);
	table = array(8);
	put(table, 8, number(sizeof ends));
	memcpy(memory + (table - 1 + 16 - BASE), ends, sizeof ends);
	put(c, at[V8_CODE_DATA] + 8, table);
	runs(inner, c);
	put_frame(1, number(18), inner, 0);
	put_frame(2, context, inner, 0);
	put_frame(3, number(18), inner, 0);
	for (unsigned i = 0; i < sizeof stands / sizeof *stands; i++) {
		runs_at(lo + stands[i].pc, 2);
		ask();
		CHECK_U64(to.n, 1);
		check_frame(0, "work.js:inner", stands[i].line, 2);
	}
	image.size[0][4] = 0;                                    /* V8 does not tell how long it is */
	moment.time += 2 * GOOD;
	runs_at(lo + 0xd1, 2);
	ask();
	check_frame(0, "work.js:inner", 2, 2);
	stop();
}

static void
code_that_lies_is_none(void)
{
	uint64_t lo, pc;

	start(&of_11);
	lo = compiled(made_of(inner, false), 0x100);
	put(inner, 0, map_of[CONTEXT_TYPE]);
	put_frame(2, context, inner, 0);
	put_word(lo - 8, context);                               /* it leads to something else */
	runs_at(lo + 9, 2);
	ask();
	CHECK_U64(to.doubtful, 2);
	for (pc = BASE + STACK + 64; pc < BASE + SIZE; pc += 0x7ff) {
		runs_at(pc, 2);
		ask();
		CHECK(to.doubtful == 2 && reads <= READS);
	}
	stop();
}

int
main(void)
{
	RUN("v8_compiled", optimized_code_tells_its_function);
	RUN("v8_compiled", functions_that_are_inlined_have_frames);
	RUN("v8_compiled", inlined_calls_that_lie_leave_the_function_itself);
	RUN("v8_compiled", baseline_code_and_the_interpreter_run_the_same_bytecode);
	RUN("v8_compiled", interpreted_functions_have_lines);
	RUN("v8_compiled", baseline_code_has_lines);
	RUN("v8_compiled", code_that_lies_is_none);
	return TEST_STATUS;
}
