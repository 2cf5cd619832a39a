/* The threads of a Python process in memory: prof finds each of very many, and a process that lies costs a limited number of reads. */
#include "sym/language/python_threads.c"
#include "test.h"

#include <string.h>
#include <unistd.h>

enum { BASE = 0x10000, MANY = 1500, EACH = 4096, SIZE = EACH * (MANY + 8), RUNTIME = BASE, INTERPRETER = BASE + 0x100, FIRST_TID = 3000 };
enum { NEXT = 0, NUMBER = 8, ID = 16, FRAME_AT = 24 };
#define LATER (UINT64_C(1) << 60)        /* ns: no search was as late */

static uint8_t *image;
#include "image.h"

static struct modules modules;
static struct codes codes;
static struct languages *languages;
static struct space space;
static struct python_image of;
static struct python_threads threads;
static struct look look;
static uint64_t sp[2] = { BASE, BASE };
static struct moment moment;

/* The state of the thread FIRST_TID + I, in a page of its own. */
static uint64_t
state(unsigned i)
{
	return BASE + EACH * (1 + (uint64_t)i) + 64;
}

/* The newest thread is the first one of the list, as in CPython. */
static void
start(unsigned n)
{
	image = calloc(1, SIZE);
	modules_init(&modules);
	codes_init(&codes);
	languages = languages_new(&modules, &codes);
	space_init(&space);
	space.read = read_image;
	of = (struct python_image){ .minor = 13 };
	of.at[PY_HEAD] = of.at[PY_INTERPRETER_NEXT] = 0;
	of.at[PY_THREADS] = 8;
	of.at[PY_T_NEXT] = NEXT;
	of.at[PY_T_NATIVE_ID] = NUMBER;
	of.at[PY_T_ID] = ID;
	of.at[PY_T_FRAME] = FRAME_AT;
	threads = (struct python_threads){ .image = &of, .runtime = RUNTIME };
	put_word(RUNTIME, INTERPRETER);
	put_word(INTERPRETER + 8, state(n - 1));
	for (unsigned i = 0; i < n; i++) {
		put_word(state(i) + NEXT, i ? state(i - 1) : 0);
		put_word(state(i) + NUMBER, FIRST_TID + i);
		put_word(state(i) + ID, state(i) + 512);
	}
	moment = (struct moment){ .space = &space, .time = LATER, .sp = sp };
	reads = 0;
}

static void
stop(void)
{
	python_threads_free(&threads);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
	CHECK_U64(mem_used(), 0);
	free(image);
}

/* The state of TID, or 0. */
static uint64_t
ask(int32_t tid)
{
	struct python_thread *t;

	moment.tid = tid;
	look_begin(&look, &moment, 256);
	t = python_threads_find(&threads, languages, &look, tid);
	return t ? t->in[0].state : 0;
}

static void
ask_all(bool oldest_first)
{
	for (unsigned i = 0; i < MANY; i++) {
		unsigned k = oldest_first ? i : MANY - 1 - i;

		if (ask((int32_t)(FIRST_TID + k)) != state(k))
			CHECK_U64(k, MANY);
	}
}

static void
each_of_many_threads_is_found(void)
{
	start(MANY);
	ask_all(true);
	CHECK_U64(threads.n, MANY);
	CHECK(reads <= 8 * MANY);
	stop();
}

static void
each_of_many_threads_is_found_from_the_newest_one_on(void)
{
	start(MANY);
	ask_all(false);
	CHECK(reads <= 8 * MANY);
	stop();
}

/* In another pid namespace their numbers are others. */
static void
each_of_many_threads_is_found_by_its_stack(void)
{
	start(MANY);
	moment.time = 0;   /* all are there before the first search */
	for (unsigned i = 0; i < MANY; i++)
		put_word(state(i) + NUMBER, i + 1);
	for (unsigned i = 0; i < MANY; i++) {
		sp[0] = state(i);
		if (ask((int32_t)(FIRST_TID + i)) != state(i))
			CHECK_U64(i, MANY);
	}
	sp[0] = BASE;
	CHECK(reads <= 8 * MANY);
	stop();
}

static void
a_new_thread_costs_little(void)
{
	start(MANY);
	put_word(INTERPRETER + 8, state(MANY - 2));
	CHECK_U64(ask(FIRST_TID), state(0));
	put_word(INTERPRETER + 8, state(MANY - 1));
	usleep(1100);   /* what was read is too old */
	reads = 0;
	CHECK_U64(ask(FIRST_TID + MANY - 1), state(MANY - 1));
	CHECK(reads < 100);
	stop();
}

static void
a_thread_that_cannot_be_found_does_not_hide_others(void)
{
	start(MANY);
	CHECK_U64(ask(FIRST_TID), state(0));
	CHECK_U64(ask(1), 0);
	CHECK_U64(ask(FIRST_TID + 1), state(1));
	put_word(state(1) + NUMBER, 0);   /* nor one that has ended */
	usleep(1100);
	CHECK_U64(ask(FIRST_TID + 1), 0);
	CHECK_U64(ask(FIRST_TID + 2), state(2));
	stop();
}

static void
other_threads_are_told(void)
{
	start(MANY);
	CHECK_U64(ask(FIRST_TID), state(0));
	CHECK_U64(threads.nmet, MANY);
	CHECK(threads.met[0].tid == FIRST_TID + MANY - 1 && threads.met[0].at == state(MANY - 1) + FRAME_AT);
	CHECK_U64(ask(FIRST_TID), state(0));
	CHECK_U64(threads.nmet, 0);
	stop();
}

static void
a_state_is_one_of_many(void)
{
	start(MANY);
	CHECK_U64(ask(FIRST_TID + MANY - 1), state(MANY - 1));
	CHECK(python_threads_has(&threads, languages, &look, INTERPRETER, state(0)));
	CHECK(!python_threads_has(&threads, languages, &look, INTERPRETER, state(0) + 8));
	CHECK(!python_threads_has(&threads, languages, &look, INTERPRETER + 8, state(0)));
	stop();
}

/* A thread that has entered another interpreter has a state in each. */
static void
a_thread_may_be_in_several_interpreters(void)
{
	enum { SECOND = INTERPRETER + 0x40 };
	struct python_thread *t;

	start(8);
	CHECK_U64(ask(FIRST_TID + 1), state(1));
	put_word(RUNTIME, SECOND);
	put_word(SECOND, INTERPRETER);
	put_word(SECOND + 8, state(20));
	put_word(state(20) + NUMBER, FIRST_TID + 1);
	look.space = NULL;   /* nothing that was read is good */
	moment.time += MOVED / 2;
	CHECK_U64(ask(FIRST_TID + 1), state(1));
	moment.time += MOVED;
	CHECK_U64(ask(FIRST_TID + 1), state(20));
	t = python_threads_find(&threads, languages, &look, FIRST_TID + 1);
	CHECK(t && t->in[0].interpreter == SECOND && t->in[1].state == state(1) && t->in[1].interpreter == INTERPRETER && !t->in[2].state);
	CHECK_U64(ask(FIRST_TID + 2), state(2));
	put_word(SECOND + 8, 0);   /* and has left it */
	put_word(state(20) + NUMBER, 0);
	look.space = NULL;
	moment.time += MOVED;
	CHECK_U64(ask(FIRST_TID + 1), state(1));
	CHECK(!python_threads_find(&threads, languages, &look, FIRST_TID + 1)->in[1].state);
	stop();
}

/* Two states take turns in being the thread's, and the list goes in a circle. */
static void
threads_are_not_looked_for_for_ever(void)
{
	enum { SAMPLES = 100 };

	start(64);
	CHECK(languages_may_search(languages, &threads.allowance, moment.time, ALLOWANCE_MOST));   /* the shared one is enough for many threads at once */
	CHECK(languages_may_search(languages, &threads.allowance, moment.time, ALLOWANCE_SHARED));
	threads.allowance.spent = 0;
	put_word(state(0) + NEXT, state(63));
	for (unsigned i = 0; i < SAMPLES; i++, moment.time += UINT64_C(1000000)) {
		put_word(state(1) + NUMBER, i % 2 ? FIRST_TID + 1 : 0);
		put_word(state(2) + NUMBER, i % 2 ? 0 : FIRST_TID + 1);
		put_word(state(2) + ID, state(2) + 8 * i);
		usleep(1100);   /* what was read is too old */
		ask(FIRST_TID + 1);
		ask(1);
		python_threads_has(&threads, languages, &look, INTERPRETER, 8);
	}
	CHECK(reads > SAMPLES && reads < 4 * ALLOWANCE_MOST + 2 * SAMPLES * (1000000 / ALLOWANCE_EACH));
	CHECK(threads.states <= STATES && threads.n == 2);
	stop();
}

static void
threads_that_ended_take_no_memory(void)
{
	start(64);
	for (unsigned i = 0; i < 3 * THREADS; i++) {
		put_word(state(1) + NUMBER, 10000 + i);
		moment.time += UINT64_C(10000000);
		look.space = NULL;   /* nothing that was read is good */
		if (ask((int32_t)(10000 + i)) != state(1))
			CHECK_U64(i, 0);
	}
	CHECK(threads.n == 1);
	for (unsigned i = 0; i < 2 * THREADS; i++)
		ask((int32_t)(100000 + i));
	CHECK_U64(threads.n, THREADS);
	CHECK_U64(ask(FIRST_TID + 5), state(5));
	stop();
}

/* Before 3.11 the number is in the C library's struct. */
static void
the_place_of_the_number_is_learned(void)
{
	start(MANY);
	of.at[PY_T_NATIVE_ID] = 0;
	for (unsigned i = 0; i < MANY; i++)
		put_word(state(i) + 512 + 720, FIRST_TID + i);
	put_word(state(7) + 512 + 64, FIRST_TID + 9);   /* what looks like a number elsewhere */
	CHECK_U64(ask(FIRST_TID), state(0));
	CHECK_U64(threads.number_at, 720);
	reads = 0;
	ask_all(true);
	CHECK(reads <= 12 * MANY);
	stop();
	start(MANY);
	of.at[PY_T_NATIVE_ID] = 0;
	moment.time = 0;   /* a core file: all that there is was there before */
	for (unsigned i = 0; i < MANY; i++)
		put_word(state(i) + 512 + 720, FIRST_TID + i);
	ask_all(false);
	CHECK(reads <= 12 * MANY);
	stop();
}

/* A list that became shorter in its first part, which alone is read again. */
static void
a_state_is_met_twice(void)
{
	struct python_thread *t;

	start(40);
	put_word(INTERPRETER + 8, state(38));
	CHECK_U64(ask(FIRST_TID), state(0));
	put_word(INTERPRETER + 8, state(39));
	put_word(state(38) + NEXT, state(35));
	usleep(1100);   /* what was read is too old */
	CHECK_U64(ask(FIRST_TID + 39), state(39));
	CHECK_U64(ask(FIRST_TID + 20), state(20));
	t = python_threads_find(&threads, languages, &look, FIRST_TID + 20);
	CHECK(t && t->in[0].state == state(20) && !t->in[1].state);
	stop();
}

/* In another pid namespace a thread that is not Python's may seem to have the state of one that is. */
static void
without_numbers_each_thread_keeps_its_place(void)
{
	start(8);
	moment.time = 0;
	for (unsigned i = 0; i < 8; i++)
		put_word(state(i) + NUMBER, i + 1);
	sp[0] = state(1);
	CHECK_U64(ask(FIRST_TID + 1), state(1));
	CHECK_U64(ask(FIRST_TID + 900), state(1));
	CHECK_U64(threads.n, 2);
	sp[0] = BASE;
	stop();
}

/* The first process of a container has the number 1, as a flag in the C library's struct may be 1. */
static void
a_flag_is_no_number(void)
{
	start(8);
	of.at[PY_T_NATIVE_ID] = 0;
	for (unsigned i = 0; i < 8; i++) {
		put_word(state(i) + 512 + 24, 1);
		put_word(state(i) + 512 + 720, i + 1);
	}
	CHECK_U64(ask(1), state(0));
	CHECK_U64(threads.number_at, 720);
	stop();
}

int
main(void)
{
	RUN("python_threads", each_of_many_threads_is_found);
	RUN("python_threads", each_of_many_threads_is_found_from_the_newest_one_on);
	RUN("python_threads", each_of_many_threads_is_found_by_its_stack);
	RUN("python_threads", a_new_thread_costs_little);
	RUN("python_threads", a_thread_that_cannot_be_found_does_not_hide_others);
	RUN("python_threads", other_threads_are_told);
	RUN("python_threads", a_state_is_one_of_many);
	RUN("python_threads", a_thread_may_be_in_several_interpreters);
	RUN("python_threads", threads_are_not_looked_for_for_ever);
	RUN("python_threads", threads_that_ended_take_no_memory);
	RUN("python_threads", the_place_of_the_number_is_learned);
	RUN("python_threads", a_state_is_met_twice);
	RUN("python_threads", without_numbers_each_thread_keeps_its_place);
	RUN("python_threads", a_flag_is_no_number);
	return TEST_STATUS;
}
