/* Functions that the collector has moved, which prof finds by what they run: nothing that lies now where one was is taken for it. */
#include "v8process.h"

static uint64_t gone, bytes;

/* In frame 1, inner has moved away; its bytecode stays. */
static void
start_moved(const struct v8_image *of)
{
	start(of);
	gone = object(CONTEXT_TYPE, 64);
	bytes = object(at[V8_TYPE_BYTES], 64);
	put_frame(1, context, inner, bytes);
	put_frame(1, context, gone, 0);
	put_word(sp[2] - 16 - 32, bytes);
}

static void
check_named(bool is)
{
	ask();
	CHECK_U64(to.n, 2);
	CHECK_U64(to.doubtful, !is);
	check_frame(0, is ? "work.js:inner" : "[javascript?]", is ? 2 : 0, 1);
}

static void
another_function_in_its_place_is_none(void)
{
	uint64_t other;

	start_moved(&of_11);
	check_named(false);
	other = function(scope(0, string("other"), 0, 24), script);
	put_word(sp[2] - 16 - 16, other);
	check_named(false);
	runs(other, object(at[V8_TYPE_BYTES], 64));
	check_named(false);
	runs(other, undefined);
	check_named(false);
	put_word(sp[2] - 16 - 16, inner);
	check_named(true);
	stop();
}

/* V8's own function that calls one may keep that one's bytecode in its frame. */
static void
functions_of_v8_run_none(void)
{
	uint64_t own;

	start_moved(&of_13);
	own = function(string("own"), 0);
	put(word_at(own, at[V8_FUNCTION_SHARED]), at[V8_SHARED_NAME] - 8, number(77));
	put_word(sp[2] - 16 - 16, own);
	ask();
	CHECK_U64(to.doubtful, 0);
	put(word_at(own, at[V8_FUNCTION_SHARED]), at[V8_SHARED_NAME] - 8, number(0));
	moment.time += 2 * GOOD;
	check_named(false);
	stop();
}

/* Its code may have been compiled since. */
static void
compiled_code_leads_to_bytecode(void)
{
	uint64_t code;

	start_moved(&of_13);
	code = object(at[V8_TYPE_CODE], 96);
	put_word(sp[2] - 16 - 16, inner);
	runs(inner, code);
	check_named(false);
	put(code, at[V8_CODE_DATA], bytes);
	check_named(true);
	stop();
}

static void
what_v8_has_seen_leads_to_the_function(void)
{
	for (unsigned below = 40; below <= 48; below += 8) {
		uint64_t vector;

		start_moved(&of_13);
		vector = object(at[V8_TYPE_VECTOR], 64);
		put(vector, 24, word_at(inner, at[V8_FUNCTION_SHARED]));
		put_word(sp[2] - 16 - below, vector);
		check_named(true);
		stop();
		start_moved(&of_13);
		vector = object(CONTEXT_TYPE, 64);
		put(vector, 24, word_at(inner, at[V8_FUNCTION_SHARED]));
		put_word(sp[2] - 16 - below, vector);
		check_named(false);
		stop();
	}
}

/* An array of N weak pointers to OBJECT. */
static uint64_t
weak(int32_t type, int32_t first, uint64_t object_of, unsigned n)
{
	uint64_t a = object(type, 24 + 8 * n);

	put(a, first - 8, number(n));
	for (unsigned i = 0; i < n; i++)
		put(a, first + 8 * (int32_t)i, object_of + 2);
	return a;
}

/* A list of scripts among V8's roots. */
static void
list_scripts(uint64_t root, bool lies)
{
	uint64_t list = weak(at[V8_TYPE_WEAK_LIST], 24, script, 3), functions = weak(at[V8_TYPE_WEAK_ARRAY], 16, word_at(inner, at[V8_FUNCTION_SHARED]), 2);

	if (lies) {
		put(functions, 8, UINT64_MAX);
		put(list, 16, UINT64_MAX);
	}
	put(script, 88, functions);
	put_word(root, weak(at[V8_TYPE_WEAK_LIST], 24, context, 1));   /* not of scripts */
	put_word(root + 8, list);
	reg[2] = BASE + STACK - 4096;
}

static void
scripts_have_their_functions(void)
{
	uint64_t root;

	start_moved(&of_11);
	root = BASE + STACK + 0x1f00;
	top = BASE + STACK + 0x2000;
	put_frame(1, context, gone, 0);
	put_word(sp[2] - 16 - 32, bytes);
	check_named(false);
	list_scripts(root, false);
	moment.code = (uint32_t[]){ code_intern(&codes, module_word(&modules, "libc")->id, 1), code[1], code[2], code[3] };
	check_named(false);                                     /* the register is V8's only in its code */
	moment.code = code;
	check_named(true);
	moment.time += GOOD + 1;
	runs(inner, undefined);                                 /* no longer so */
	check_named(false);
	stop();
}

static void
lists_that_lie_cost_little(void)
{
	start_moved(&of_11);
	top = BASE + STACK + 0x2000;
	list_scripts(BASE + STACK + 0x1f00, true);
	check_named(false);
	CHECK(reads < 2000);
	stop();
}

int
main(void)
{
	RUN("v8_scripts", another_function_in_its_place_is_none);
	RUN("v8_scripts", functions_of_v8_run_none);
	RUN("v8_scripts", compiled_code_leads_to_bytecode);
	RUN("v8_scripts", what_v8_has_seen_leads_to_the_function);
	RUN("v8_scripts", scripts_have_their_functions);
	RUN("v8_scripts", lists_that_lie_cost_little);
	return TEST_STATUS;
}
