/* Which functions the frames of a process of Node.js run, by name, file and line, and where in the native stack. */
#include "v8process.h"

static void
check_all(const struct v8_image *of)
{
	start(of);
	ask();
	CHECK_U64(to.n, 2);
	check_frame(0, "work.js:inner", 2, 1);
	check_frame(1, "work.js:a.outer", 4, 2);
	CHECK_U64(to.doubtful, 0);
	ask();
	CHECK(to.n == 2 && !reads);
	stop();
}

static void
frames_of_11(void)
{
	check_all(&of_11);
}

static void
frames_of_13(void)
{
	check_all(&of_13);
}

static void
a_function_that_has_moved_is_in_doubt_until_its_code_is_known(void)
{
	uint64_t map;

	start(&of_11);
	memcpy(&map, memory + (inner - 1 - BASE), sizeof map);
	put(inner, 0, map_of[CONTEXT_TYPE]);
	ask();
	CHECK(to.n == 2 && to.doubtful == 1);
	check_frame(0, "[javascript?]", 0, 1);
	put(inner, 0, map);
	moment.time += 1;
	ask();
	check_frame(0, "work.js:inner", 2, 1);
	put(inner, 0, map_of[CONTEXT_TYPE]);
	moment.time += 2 * LOOK_AGAIN;
	ask();
	check_frame(0, "work.js:inner", 2, 1);
	moment.time += 2 * GOOD;
	ask();
	check_frame(0, "[javascript?]", 0, 1);
	stop();
}

static void
a_function_that_begins_is_in_a_register(void)
{
	start(&of_13);
	code[0] = code_intern(&codes, made->id, 500);
	sp[1] = sp[0] + 8;
	reg[0] = inner;
	reg[1] = context;
	ask();
	check_frame(0, "work.js:inner", 2, 0);
	reg[1] = number(3);   /* an argument of other code */
	moment.code = (uint32_t[]){ code_intern(&codes, made->id, 501), code[1], code[2], code[3] };
	ask();
	check_frame(0, "work.js:inner", 2, 1);
	stop();
}

static void
what_is_not_javascript_stays(void)
{
	start(&of_11);
	put_frame(1, number(18), inner, 0);                      /* a kind of frame */
	put_frame(2, context, number(5), 0);
	ask();
	CHECK(!to.n && !to.doubtful);
	put_frame(2, context, inner, 0);
	put_word(sp[3] - 16, context);                           /* arguments of a function in C++ */
	ask();
	CHECK(!to.n && !to.doubtful);
	put_frame(2, context, inner, 0);
	moment.stack.size = 2 * EACH;                            /* the frame was not copied */
	ask();
	CHECK(!to.n && !to.doubtful);
	stop();
}

/* As V8's function that goes on behind an await. */
static void
functions_of_v8_need_no_name(void)
{
	start(&of_13);
	put_frame(2, context, function(number(0), 0), 0);
	put_frame(3, context, function(string(""), 0), 0);
	ask();
	CHECK(to.n == 1 && !to.doubtful);
	check_frame(0, "work.js:inner", 2, 1);
	stop();
}

static void
what_the_collector_leaves_behind_leads_to_a_moved_function(void)
{
	uint64_t old, older;

	start(&of_11);
	old = object(at[V8_TYPE_FUNCTION], 64);
	older = object(at[V8_TYPE_FUNCTION], 64);
	put(old, 0, inner - 1);
	put(older, 0, old - 1);
	put_frame(1, context, older, 0);
	ask();
	CHECK(to.n == 2 && !to.doubtful);
	check_frame(0, "work.js:inner", 2, 1);
	put(inner, 0, older - 1);                                /* a circle */
	moment.time += 2 * GOOD;
	ask();
	CHECK_U64(to.doubtful, 1);
	stop();
}

/* The collector may just move a script's name, or a function's. */
static void
names_that_cannot_be_read_now_are_asked_for_again(void)
{
	uint64_t name, old;

	start(&of_11);
	memcpy(&name, memory + (script - 1 + 16 - BASE), sizeof name);
	put(name, 0, UINT64_C(7) << 40);                         /* in the middle of it */
	ask();
	CHECK(to.n == 2 && to.doubtful == 2);
	put(name, 0, map_of[ONE]);
	old = object(ONE, 16);
	put(old, 0, name - 1);
	put(script, 16, old);
	ask();
	CHECK_U64(to.doubtful, 0);
	check_frame(0, "work.js:inner", 2, 1);
	put_frame(2, context, function(scope(0, old, 0, 24), script), 0);
	put_frame(1, number(18), inner, 0);
	runs_at(4000, 2);
	ask();
	check_frame(0, "work.js:/home/me/work.js", 4, 2);
	put(name, 0, map_of[CONTEXT_TYPE]);
	put_frame(2, context, function(scope(0, old, string("wrong"), 24), script), 0);
	runs_at(5000, 2);
	ask();
	CHECK_U64(to.doubtful, 1);
	stop();
}

/* ---- liars ---- */

static void
objects_that_lie_cost_little(void)
{
	start(&of_13);
	for (uint64_t addr = BASE + STACK; addr < BASE + SIZE; addr += 8)   /* all is one object, of a type that changes */
		put_word(addr, BASE + STACK + 1 + addr % 64);
	for (unsigned i = 0; i < 8; i++)
		put_word(BASE + STACK + 8 + 8 * i, (uint64_t)(uint32_t)at[V8_TYPE_FUNCTION] << 32);
	for (unsigned i = 0; i < NATIVE; i++)
		put_frame(i, BASE + STACK + 1, BASE + STACK + 1 + 16 * i, BASE + STACK + 1);
	ask();
	CHECK(to.n <= NATIVE && reads <= READS);
	stop();
}

int
main(void)
{
	RUN("v8", frames_of_11);
	RUN("v8", frames_of_13);
	RUN("v8", a_function_that_has_moved_is_in_doubt_until_its_code_is_known);
	RUN("v8", a_function_that_begins_is_in_a_register);
	RUN("v8", what_the_collector_leaves_behind_leads_to_a_moved_function);
	RUN("v8", names_that_cannot_be_read_now_are_asked_for_again);
	RUN("v8", functions_of_v8_need_no_name);
	RUN("v8", what_is_not_javascript_stays);
	RUN("v8", objects_that_lie_cost_little);
	return TEST_STATUS;
}
