/* A process of Node.js in memory, as V8 11 and 13 lay it out: which functions its frames run, by name, file and line, and where in the native
 * stack. */
#include "sym/language/v8.c"
#include "test.h"

#include <stdlib.h>

enum { SIZE = 0x80000, STACK = 0x400, NATIVE = 4, EACH = STACK / NATIVE, TYPES = 4096 };
enum { UNDEFINED = 131 /* its type */, CONTEXT_TYPE = 210, CONS_TYPE = 33 | 8, SLICED_TYPE = 35 | 8, THIN_TYPE = 45, OUTSIDE_TYPE = 42, ONE = 40, TWO = 32 };
#define BASE UINT64_C(0x200000000000)
#define LOW UINT64_C(0x5000000)   /* the same memory once more, near a program at its fixed address */

static const struct v8_image of_11 = { .major = 11, .function = 5, .context = 4, .at = {
	[V8_TAGGED_SIZE] = 8, [V8_SMI_SHIFT] = 31, [V8_TYPE_FUNCTION] = 2066, [V8_TYPE_FUNCTION_LAST] = 2082, [V8_TYPE_SHARED] = 262,
	[V8_TYPE_SCRIPT] = 167, [V8_TYPE_SCOPE] = 261, [V8_TYPE_BYTES] = 191, [V8_TYPE_ODDBALL] = 131, [V8_FUNCTION_SHARED] = 24,
	[V8_SHARED_NAME] = 16, [V8_SHARED_SCRIPT] = 32, [V8_SCRIPT_NAME] = 16, [V8_SCRIPT_SOURCE] = 8, [V8_SCRIPT_ENDS] = 56, [V8_SCOPE_FIRST] = 3,
	[V8_BYTES_DATA] = 54, [V8_TYPE_CODE] = 247, [V8_STREAM_START] = 16, [V8_CODE_START] = 40, [V8_CODE_SIZE] = 56, [V8_CODE_DATA] = 16,
	[V8_DEOPT_SHARED] = 6, [V8_DEOPT_LITERALS] = 2, [V8_DEOPT_INLINED] = 7 } };
static const struct v8_image of_13 = { .major = 13, .function = 5, .context = 4, .at = {
	[V8_TAGGED_SIZE] = 8, [V8_SMI_SHIFT] = 31, [V8_TYPE_FUNCTION] = 2065, [V8_TYPE_FUNCTION_LAST] = 2081, [V8_TYPE_SHARED] = 282,
	[V8_TYPE_SCRIPT] = 167, [V8_TYPE_SCOPE] = 280, [V8_TYPE_BYTES] = 186, [V8_TYPE_ODDBALL] = 131, [V8_FUNCTION_SHARED] = 32,
	[V8_SHARED_NAME] = 24, [V8_SHARED_SCRIPT] = 40, [V8_SCRIPT_NAME] = 16, [V8_SCRIPT_SOURCE] = 8, [V8_SCRIPT_ENDS] = 56, [V8_SCOPE_FIRST] = 5,
	[V8_BYTES_DATA] = 64, [V8_BYTES_WRAPPER] = 16, [V8_TYPE_CODE] = 190, [V8_STREAM_START] = 32, [V8_CODE_START] = 40, [V8_CODE_SIZE] = 56,
	[V8_CODE_DATA] = 8, [V8_DEOPT_SHARED] = 7, [V8_DEOPT_LITERALS] = 3, [V8_DEOPT_INLINED] = 8 } };

static uint8_t memory[SIZE];
static uint64_t top, map_of[TYPES], undefined, script;
static unsigned reads;
static const int32_t *at;
static struct v8_image image;

static size_t
read_memory(struct space *s, uint64_t addr, void *to, size_t n)
{
	(void)s;
	reads++;
	addr += addr < BASE ? BASE - LOW : 0;
	if (addr < BASE || addr >= BASE + SIZE)
		return 0;
	n = n < BASE + SIZE - addr ? n : BASE + SIZE - addr;
	memcpy(to, memory + (addr - BASE), n);
	return n;
}

static void
put_word(uint64_t addr, uint64_t v)
{
	addr += addr < BASE ? BASE - LOW : 0;
	memcpy(memory + (addr - BASE), &v, sizeof v);
}

static uint64_t
take(uint64_t n)
{
	uint64_t addr = top;

	top += (n + 7) & ~UINT64_C(7);
	if (top > BASE + SIZE)
		abort();
	return addr;
}

/* A pointer to a new object of N bytes behind its map. */
static uint64_t
object(int32_t type, uint64_t n)
{
	uint64_t addr = take(8 + n);

	if (!map_of[type]) {
		map_of[type] = take(24) + 1;
		put_word(map_of[type] - 1 + 8, (uint64_t)type << 32);
	}
	put_word(addr, map_of[type]);
	return addr + 1;
}

static void
put(uint64_t object, int32_t offset, uint64_t v)
{
	put_word(object - 1 + (uint64_t)offset, v);
}

static uint64_t
number(uint32_t v)
{
	return (uint64_t)v << 32;
}

static uint64_t
string(const char *text)
{
	uint64_t n = strlen(text), s = object(ONE, 8 + n);

	put(s, 8, number((uint32_t)n));
	memcpy(memory + (s - 1 + 16 - BASE), text, n);
	return s;
}

/* A string of a kind that refers to others: its second word is at 24. */
static uint64_t
string_of(int32_t type, uint32_t n, uint64_t first, uint64_t second)
{
	uint64_t s = object(type, 24);

	put(s, 8, number(n));
	put(s, 16, first);
	put(s, 24, second);
	return s;
}

/* A function's scope with LOCALS variables; NAME or INFERRED 0: it has none. */
static uint64_t
scope(unsigned locals, uint64_t name, uint64_t inferred, uint32_t start)
{
	uint64_t s = object(at[V8_TYPE_SCOPE], 8 * 24);
	int32_t i = 1 + at[V8_SCOPE_FIRST];

	put(s, 24, number(locals));
	if (at[V8_SCOPE_FIRST] == 5) {
		put(s, 32, number(start));
		put(s, 40, number(start + 9));
	}
	for (unsigned k = 0; k < locals; k++, i++) {
		put(s, 8 * i, string("variable"));
		put(s, 8 * (i + (int32_t)locals), number(7));
	}
	i += (int32_t)locals;
	put(s, 8 * i++, name);      /* 0: a number */
	put(s, 8 * i++, number(3));
	put(s, 8 * i++, inferred ? inferred : undefined);
	if (at[V8_SCOPE_FIRST] == 3) {
		put(s, 8 * i++, number(start));
		put(s, 8 * i++, number(start + 9));
	}
	put(s, 8 * i++, object(at[V8_TYPE_SCOPE], 32));   /* the scope around it */
	return s;
}

/* SCRIPT 0: one of V8's own. */
static uint64_t
function(uint64_t name, uint64_t of_script)
{
	uint64_t f = object(at[V8_TYPE_FUNCTION], 64), shared = object(at[V8_TYPE_SHARED], 64);

	put(f, at[V8_FUNCTION_SHARED], shared);
	put(shared, at[V8_SHARED_NAME], name);
	put(shared, at[V8_SHARED_SCRIPT], of_script ? of_script : undefined);
	return f;
}

static uint64_t
script_of(const char *name, uint64_t source)
{
	uint64_t s = object(at[V8_TYPE_SCRIPT], 96);

	put(s, 8, source);
	put(s, 16, name ? string(name) : undefined);
	return s;
}

/* What V8 writes at the upper end of frame I. */
static void
put_frame(unsigned i, uint64_t context, uint64_t f, uint64_t bytes)
{
	uint64_t fp = BASE + (i + 1) * EACH - 16;

	put_word(fp, fp + EACH);
	put_word(fp - 8, context);
	put_word(fp - 16, f);
	put_word(fp - 32, bytes);
}

/* ---- what prof finds ---- */

static struct modules modules;
static struct codes codes;
static struct space space;
static struct languages *languages;
static struct v8 v8;
static struct language_stack to;
static struct module *native, *made;
static uint64_t sp[NATIVE + 1], reg[2], context, inner;
static const uint8_t numbers[] = { 5, 4 };
static uint32_t code[NATIVE];
static struct moment moment;

/* Frame 0 is V8's own, 1 is interpreted, 2 was made, 3 is V8's sort. */
static void
start(const struct v8_image *of)
{
	image = *of;
	at = image.at;
	memset(memory, 0, sizeof memory);
	memset(map_of, 0, sizeof map_of);
	top = BASE + STACK;
	undefined = object(UNDEFINED, 40);
	modules_init(&modules);
	codes_init(&codes);
	languages = languages_new(&modules, &codes);
	native = module_word(&modules, "node");
	made = jit_module(&modules, 1, NULL);
	space_init(&space);
	space.read = read_memory;
	image.modules = &modules;
	begin(&v8, &image, native, 0);
	for (unsigned i = 0; i < NATIVE; i++) {
		code[i] = code_intern(&codes, i == 2 ? made->id : native->id, 100 + i);
		sp[i] = BASE + i * EACH;
	}
	sp[NATIVE] = BASE + STACK;
	moment = (struct moment){ .space = &space, .tid = 7, /* later than any read */ .time = UINT64_C(1) << 62, .reg = reg, .number = numbers, .nreg = 2, .code = code,
	                          .sp = sp, .n = NATIVE, .stack = { BASE, STACK, memory }, .whole = true };
	reg[0] = reg[1] = 0;
	script = script_of("/home/me/work.js", string("line 1\nline 2\r\nline 3\rline 4"));
	context = object(CONTEXT_TYPE, 32);
	inner = function(scope(2, string("inner"), string("not me"), 9), script);
	put_frame(0, number(18), number(1), 0);
	put_frame(1, context, inner, object(at[V8_TYPE_BYTES], 64));
	put_frame(2, context, function(scope(0, string(""), string("a.outer"), 24), script), 0);
	put_frame(3, context, function(string("sort"), 0), 0);
}

static void
stop(void)
{
	done(&v8);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
}

static void
ask(void)
{
	to.n = to.doubtful = 0;
	reads = 0;
	frames(&v8, languages, &moment, &to);
}

static void
runs_at(uint64_t pc, unsigned in_native)
{
	code[in_native] = code_intern(&codes, made->id, pc);
}

static void
check_frame(uint32_t i, const char *what, uint32_t in_line, unsigned in_native)
{
	const struct code *c = &codes.code[to.frame[i].code];
	const struct module *m = modules.module[c->module];
	uint32_t line = 0;
	const struct language_function *f = m->kind == MODULE_LANGUAGE ? language_function(m, c->vaddr, &line) : NULL;

	CHECK_STR(i >= to.n ? "none" : f ? f->name : m->path, what);
	CHECK_U64(line, in_line);
	CHECK_U64(to.frame[i].entry, sp[in_native]);
}

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

/* ---- compiled code ---- */

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
put_signed(uint8_t *p, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);

	for (; u > 127; u >>= 7)
		*p++ = (uint8_t)(u | 128);
	*p++ = (uint8_t)u;
	return p;
}

/* Three runs of instructions: of outer itself, of inner that outer calls, of what inner calls. */
static uint64_t
positions(const uint64_t of[3])
{
	uint64_t a = array(32), before = 0;
	uint8_t *first = memory + (a - 1 + 16 - BASE), *p = first;

	for (unsigned i = 0; i < 3; i++) {
		p = put_signed(p, i == 1 ? ~0x300 : 0x10);           /* not the beginning of a statement */
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
	put(c, at[V8_CODE_DATA] + 8, positions((uint64_t[]){ place(0, 0), place(9, 1), place(24, 2) }));
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
	check_inlined(&of_11);
	check_inlined(&of_13);
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

/* ---- strings, names and lines ---- */

static void
check_name(uint64_t name, uint64_t of_script, const char *what)
{
	static uint32_t next = 1000;

	put_frame(2, context, function(name, of_script), 0);
	moment.code = (uint32_t[]){ code[0], code[0], code_intern(&codes, made->id, next++), code[0] };
	ask();
	CHECK_U64(to.n, 1);
	check_frame(0, what, 0, 2);
}

static void
names_of_all_kinds(void)
{
	uint64_t wide, chars, outside, none, first, none_script;

	start(&of_11);
	put_frame(1, number(18), inner, 0);
	none_script = script_of("/a/b.js", undefined);
	wide = object(TWO, 16);
	put(wide, 8, number(3));
	put(wide, 16, UINT64_C(0x0041d83d20ac00e9));
	chars = take(8);
	put_word(chars, UINT64_C(0x65646973));
	outside = string_of(OUTSIDE_TYPE, 4, 0, chars);
	none = string("");
	first = string_of(CONS_TYPE, 8, string("get "), string("size"));
	check_name(wide, none_script, "b.js:\xc3\xa9\xe2\x82\xac?");
	check_name(outside, none_script, "b.js:side");
	check_name(first, none_script, "b.js:get size");
	check_name(string_of(CONS_TYPE, 10, first, string("!\n")), none_script, "b.js:get size!?");
	check_name(string_of(CONS_TYPE, 4, string("self"), none), none_script, "b.js:self");
	check_name(string_of(SLICED_TYPE, 3, string("abcdef"), number(2)), none_script, "b.js:cde");
	check_name(string_of(THIN_TYPE, 3, string("abc"), 0), none_script, "b.js:abc");
	check_name(none, none_script, "b.js:(anonymous)");
	check_name(undefined, script_of("file:///a/m.mjs", undefined), "m.mjs:(anonymous)");
	check_name(string("load"), script_of("node:internal/modules/esm", undefined), "node:internal/modules/esm:load");
	check_name(string("f"), script_of(NULL, undefined), "<eval>:f");
	first = string_of(CONS_TYPE, 8, none, none);
	put(first, 16, first);                             /* a circle */
	put(first, 24, first);
	check_name(first, none_script, "b.js:(anonymous)");
	stop();
}

static uint32_t
line_at(uint64_t source, uint32_t position, uint32_t pieces)
{
	static struct v8_lines lines;
	static struct look look;

	look_begin(&look, &moment, 4000);
	return v8_line(&lines, &look, &v8, source, position, &pieces);
}

static void
lines_of_sources(void)
{
	enum { LONG = 3 * V8_LINES_PIECE };
	uint64_t source, wide;

	start(&of_11);
	source = object(ONE, 8 + LONG);
	put(source, 8, number(LONG));
	for (uint32_t i = 0; i < LONG; i++)
		memory[source - 1 + 16 - BASE + i] = i % 100 == 99 ? '\n' : ' ';
	memory[source - 1 + 16 - BASE + V8_LINES_PIECE - 1] = '\r';
	memory[source - 1 + 16 - BASE + V8_LINES_PIECE] = '\n';   /* one end of a line in two pieces */
	CHECK_U64(line_at(source, 0, 9), 1);
	CHECK_U64(line_at(source, 99, 9), 1);
	CHECK_U64(line_at(source, 100, 9), 2);
	CHECK_U64(line_at(source, 2 * V8_LINES_PIECE + 1, 0), 0);
	CHECK_U64(line_at(source, 2 * V8_LINES_PIECE + 1, 2), 2 * V8_LINES_PIECE / 100 + 2);
	CHECK_U64(line_at(source, LONG, 9), LONG / 100 + 2);
	CHECK_U64(line_at(source, LONG + 1, 9), 0);
	wide = object(TWO, 24);
	put(wide, 8, number(4));
	put(wide, 16, UINT64_C(0x0041000a2028000d));
	CHECK_U64(line_at(wide, 3, 9), 4);
	CHECK_U64(line_at(undefined, 0, 9), 0);
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
	RUN("v8", optimized_code_tells_its_function);
	RUN("v8", functions_that_are_inlined_have_frames);
	RUN("v8", inlined_calls_that_lie_leave_the_function_itself);
	RUN("v8", baseline_code_and_the_interpreter_run_the_same_bytecode);
	RUN("v8", code_that_lies_is_none);
	RUN("v8", functions_of_v8_need_no_name);
	RUN("v8", what_is_not_javascript_stays);
	RUN("v8", names_of_all_kinds);
	RUN("v8", lines_of_sources);
	RUN("v8", objects_that_lie_cost_little);
	return TEST_STATUS;
}
