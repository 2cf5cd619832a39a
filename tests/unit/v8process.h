/* A process of Node.js in memory, as V8 11 and 13 lay it out, and the frames of one thread in it. */
#ifndef V8PROCESS_H
#define V8PROCESS_H

#include "sym/language/v8.c"
#include "test.h"

#include <stdlib.h>

enum { SIZE = 0x80000, STACK = 0x400, NATIVE = 4, EACH = STACK / NATIVE, TYPES = 4096 };
enum { UNDEFINED = 131 /* its type */, CONTEXT_TYPE = 210, CONS_TYPE = 33 | 8, SLICED_TYPE = 35 | 8, THIN_TYPE = 45, OUTSIDE_TYPE = 42, ONE = 40, TWO = 32 };
#define BASE UINT64_C(0x200000000000)
#define LOW UINT64_C(0x5000000)   /* the same memory once more, near a program at its fixed address */

static const struct v8_image of_11 = { .major = 11, .function = 5, .context = 4, .root = 13, .at = {
	[V8_TAGGED_SIZE] = 8, [V8_SMI_SHIFT] = 31, [V8_TYPE_FUNCTION] = 2066, [V8_TYPE_FUNCTION_LAST] = 2082, [V8_TYPE_SHARED] = 262,
	[V8_TYPE_SCRIPT] = 167, [V8_TYPE_SCOPE] = 261, [V8_TYPE_BYTES] = 191, [V8_TYPE_ODDBALL] = 131, [V8_FUNCTION_SHARED] = 24,
	[V8_SHARED_NAME] = 16, [V8_SHARED_SCRIPT] = 32, [V8_SCRIPT_NAME] = 16, [V8_SCRIPT_SOURCE] = 8, [V8_SCRIPT_ENDS] = 56, [V8_SCOPE_FIRST] = 3,
	[V8_BYTES_DATA] = 54, [V8_TYPE_VECTOR] = 188, [V8_TYPE_WEAK_LIST] = 274, [V8_TYPE_WEAK_ARRAY] = 240, [V8_TYPE_CODE] = 247, [V8_STREAM_START] = 16, [V8_CODE_START] = 40, [V8_CODE_SIZE] = 56, [V8_CODE_DATA] = 16,
	[V8_DEOPT_SHARED] = 6, [V8_DEOPT_LITERALS] = 2, [V8_DEOPT_INLINED] = 7 } };
static const struct v8_image of_13 = { .major = 13, .function = 5, .context = 4, .root = 13, .at = {
	[V8_TAGGED_SIZE] = 8, [V8_SMI_SHIFT] = 31, [V8_TYPE_FUNCTION] = 2065, [V8_TYPE_FUNCTION_LAST] = 2081, [V8_TYPE_SHARED] = 282,
	[V8_TYPE_SCRIPT] = 167, [V8_TYPE_SCOPE] = 280, [V8_TYPE_BYTES] = 186, [V8_TYPE_ODDBALL] = 131, [V8_FUNCTION_SHARED] = 32,
	[V8_SHARED_NAME] = 24, [V8_SHARED_SCRIPT] = 40, [V8_SCRIPT_NAME] = 16, [V8_SCRIPT_SOURCE] = 8, [V8_SCRIPT_ENDS] = 56, [V8_SCOPE_FIRST] = 5,
	[V8_BYTES_DATA] = 64, [V8_BYTES_WRAPPER] = 16, [V8_TYPE_VECTOR] = 265, [V8_TYPE_WEAK_LIST] = 295, [V8_TYPE_WEAK_ARRAY] = 256, [V8_TYPE_CODE] = 190, [V8_STREAM_START] = 32, [V8_CODE_START] = 40, [V8_CODE_SIZE] = 56,
	[V8_CODE_DATA] = 8, [V8_DEOPT_SHARED] = 7, [V8_DEOPT_LITERALS] = 3, [V8_DEOPT_INLINED] = 8 } };

static uint8_t memory[SIZE];
static uint64_t top, map_of[TYPES], undefined, script;
static unsigned reads;
static const int32_t *at;
static struct v8_image image;

static inline size_t
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

static inline void
put_word(uint64_t addr, uint64_t v)
{
	addr += addr < BASE ? BASE - LOW : 0;
	memcpy(memory + (addr - BASE), &v, sizeof v);
}

static inline uint64_t
take(uint64_t n)
{
	uint64_t addr = top;

	top += (n + 7) & ~UINT64_C(7);
	if (top > BASE + SIZE)
		abort();
	return addr;
}

/* A pointer to a new object of N bytes behind its map. */
static inline uint64_t
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

static inline void
put(uint64_t object, int32_t offset, uint64_t v)
{
	put_word(object - 1 + (uint64_t)offset, v);
}

static inline uint64_t
number(uint32_t v)
{
	return (uint64_t)v << 32;
}

static inline uint64_t
string(const char *text)
{
	uint64_t n = strlen(text), s = object(ONE, 8 + n);

	put(s, 8, number((uint32_t)n));
	memcpy(memory + (s - 1 + 16 - BASE), text, n);
	return s;
}

/* A string of a kind that refers to others: its second word is at 24. */
static inline uint64_t
string_of(int32_t type, uint32_t n, uint64_t first, uint64_t second)
{
	uint64_t s = object(type, 24);

	put(s, 8, number(n));
	put(s, 16, first);
	put(s, 24, second);
	return s;
}

/* A function's scope with LOCALS variables; NAME or INFERRED 0: it has none. */
static inline uint64_t
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
static inline uint64_t
function(uint64_t name, uint64_t of_script)
{
	uint64_t f = object(at[V8_TYPE_FUNCTION], 64), shared = object(at[V8_TYPE_SHARED], 64);

	put(f, at[V8_FUNCTION_SHARED], shared);
	put(shared, at[V8_SHARED_NAME], name);
	put(shared, at[V8_SHARED_SCRIPT], of_script ? of_script : undefined);
	return f;
}

static inline uint64_t
script_of(const char *name, uint64_t source)
{
	uint64_t s = object(at[V8_TYPE_SCRIPT], 96);

	put(s, 8, source);
	put(s, 16, name ? string(name) : undefined);
	return s;
}

static inline uint64_t
word_at(uint64_t object, int32_t offset)
{
	uint64_t v;

	memcpy(&v, memory + (object - 1 + (uint64_t)offset - BASE), sizeof v);
	return v;
}

static inline void
runs(uint64_t f, uint64_t code)
{
	put(word_at(f, at[V8_FUNCTION_SHARED]), 8, code);
}

/* What V8 writes at the upper end of frame I.  BYTES: what F runs, if that is bytecode. */
static inline void
put_frame(unsigned i, uint64_t context, uint64_t f, uint64_t bytes)
{
	uint64_t fp = BASE + (i + 1) * EACH - 16;

	if (bytes && word_at(bytes, 0) == map_of[at[V8_TYPE_BYTES]])
		runs(f, bytes);

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
static uint64_t sp[NATIVE + 1], reg[3], context, inner;
static const uint8_t numbers[] = { 5, 4, 13 };
static uint32_t code[NATIVE];
static struct moment moment;

/* Frame 0 is V8's own, 1 is interpreted, 2 was made, 3 is V8's sort. */
static inline void
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
	moment = (struct moment){ .space = &space, .tid = 7, /* later than any read */ .time = UINT64_C(1) << 62, .reg = reg, .number = numbers, .nreg = 3, .code = code,
	                          .sp = sp, .n = NATIVE, .stack = { BASE, STACK, memory }, .whole = true };
	reg[0] = reg[1] = reg[2] = 0;
	script = script_of("/home/me/work.js", string("line 1\nline 2\r\nline 3\rline 4"));
	context = object(CONTEXT_TYPE, 32);
	inner = function(scope(2, string("inner"), string("not me"), 9), script);
	put_frame(0, number(18), number(1), 0);
	put_frame(1, context, inner, object(at[V8_TYPE_BYTES], 64));
	put_frame(2, context, function(scope(0, string(""), string("a.outer"), 24), script), 0);
	put_frame(3, context, function(string("sort"), 0), 0);
}

static inline void
stop(void)
{
	done(&v8);
	space_free(&space);
	codes_free(&codes);
	modules_free(&modules);
}

static inline void
ask(void)
{
	to.n = to.doubtful = 0;
	reads = 0;
	frames(&v8, languages, &moment, &to);
}

static inline void
runs_at(uint64_t pc, unsigned in_native)
{
	code[in_native] = code_intern(&codes, made->id, pc);
}

static inline void
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

#endif
