/* V8 10 to 14 (Node.js 18 to 26).  A frame of JavaScript is a native frame that V8 made: the caller's frame pointer and the return address
 * lie at its upper end, and below them the function's context and the function.  So a stack's copy tells which function each frame
 * runs.  What this function is called lies in the heap, where prof reads it later, and the collector may have moved it.  But code
 * stays: what prof has found for compiled code, or for a function's bytecode, is good for other samples; and optimized code tells itself
 * of which function it is.
 *
 * Functions that are compiled run in code that V8 made, others in V8's interpreter.  V8's own code has no frame descriptions. */
#include "languages.h"

#include "lib/index.h"
#include "sym/jit/jit.h"
#include "sym/module/ehframe.h"
#include "v8_code.h"
#include "v8_compiled.h"
#include "v8_glue.h"
#include "v8_inlined.h"
#include "v8_scripts.h"

enum { READS = 256, KINDS = 4096, MEMOS = 4096, CONTEXT = 8, FUNCTION = 16, BYTES = 32, OFFSET = 40, VECTOR = 48 /* below the frame pointer */,
       RECORD = 16 /* above it */, FARTHEST = 1 << 16 /* in bytecode */, SHARED_CODE = 8, VECTOR_SHARED = 24 /* in these objects */ };

#define LOOK_AGAIN UINT64_C(100000000)   /* ns: until prof looks at a function again, */
#define GOOD UINT64_C(5000000000)        /* and how long what it found for code is good, if the function has moved since */

enum kind { KIND_NEW, KIND_NONE, KIND_V8, KIND_MADE };

struct v8 {
	const struct v8_image *image;
	struct module *module;
};

/* What a native frame's code is. */
struct v8_kind {
	uint32_t code;
	uint32_t module;           /* V8's: code of another V8 is none of this one's */
	uint8_t kind;
};

/* The function of KEY: the number of a native code, or where compiled code or a function's bytecode lies. */
struct v8_memo {
	const struct v8 *process;
	uint64_t key, looked, shared;
	uint32_t code;
	bool native;
};

struct v8_room {
	struct looks looks;
	struct v8_kind kind[KINDS];
	struct v8_memo memo[MEMOS];
	struct v8_codes codes;
	struct v8_compiled_codes compiled;
	struct v8_places places;
	struct v8_scripts scripts;
};

/* What a frame has; 0: it does not. */
struct v8_call {
	uint64_t function, context;
	uint64_t fp;
	uint64_t code;             /* V8's object for it, if it was compiled; */
	uint64_t bytes;            /* the bytecode that it runs, or from which its code was made, or something else of V8's own functions */
};

/* The question for one sample. */
struct question {
	const struct v8 *v;
	struct v8_room *room;
	struct look *look;
	const struct moment *moment;
	struct languages *languages;
	struct language_stack *to;
};

static void
begin(void *process, const void *found, struct module *m, uint64_t bias)
{
	struct v8 *v = process;

	(void)bias;
	v->image = found;
	v->module = m;
}

static void
done(void *process)
{
	(void)process;
}

/* ---- native frames ---- */

static enum kind
find_kind(const struct question *q, const struct code *c)
{
	struct modules *ms = q->v->image->modules;
	struct module *m = ms->module[c->module];
	uint64_t lo, hi;
	bool described;

	if (m->kind == MODULE_JIT)
		return jit_has_map(m) || jit_has_dump(m) ? KIND_NONE : KIND_MADE;
	if (m != q->v->module)
		return KIND_NONE;
	work_begin(&m->work);
	described = ehframe_start(ms, m, c->vaddr, &lo, &hi);
	work_end();
	return described ? KIND_NONE : KIND_V8;
}

static enum kind
kind_of(const struct question *q, uint32_t code)
{
	struct v8_kind *k = &q->room->kind[code % KINDS];

	if (code < CODE_MARKS)
		return KIND_NONE;
	if (!k->kind || k->code != code || k->module != q->v->module->id)
		*k = (struct v8_kind){ code, q->v->module->id, (uint8_t)find_kind(q, languages_native(q->languages, code)) };
	return k->kind;
}

/* ---- functions ---- */

static bool
is_function(const struct question *q, uint64_t function)
{
	uint32_t type = v8_type(q->look, function);

	return type >= (uint32_t)q->v->image->at[V8_TYPE_FUNCTION] && type <= (uint32_t)q->v->image->at[V8_TYPE_FUNCTION_LAST];
}

/* 0: it has none, or the frame's bytecode is not its own: something else lies now where the function was.  V8's own functions have a
 * number instead, and run no bytecode: what looks like a frame's is of another function then. */
static uint64_t
shared_of(const struct question *q, uint64_t shared, uint64_t bytes)
{
	const int32_t *at = q->v->image->at;
	uint64_t code = shared, builtin;

	if (v8_type(q->look, shared) != (uint32_t)at[V8_TYPE_SHARED])
		return 0;
	if (!bytes || (v8_member(q->look, shared, SHARED_CODE, &code) && code == bytes))
		return shared;
	if (v8_member(q->look, shared, at[V8_SHARED_NAME] - 8, &builtin) && v8_is_number(builtin) && builtin)
		return shared;
	return v8_member(q->look, code, at[V8_TYPE_CODE] && v8_type(q->look, code) == (uint32_t)at[V8_TYPE_CODE] ? at[V8_CODE_DATA] : SHARED_CODE, &code) &&
	       code == bytes ? shared : 0;
}

static uint64_t
shared_of_function(const struct question *q, uint64_t function, uint64_t bytes)
{
	uint64_t shared;

	function = v8_moved(q->look, function);
	return is_function(q, function) && v8_member(q->look, function, q->v->image->at[V8_FUNCTION_SHARED], &shared) ? shared_of(q, shared, bytes) : 0;
}

/* What V8 has seen a function do leads to it as well, stays longer in its place, and is in most frames' copies. */
static uint64_t
shared_of_vector(const struct question *q, const struct v8_call *c, uint64_t below)
{
	int32_t type = q->v->image->at[V8_TYPE_VECTOR];
	uint64_t vector, shared;

	return type && look_is_copied(q->look, c->fp - below, sizeof vector) && look_word(q->look, c->fp - below, &vector) && v8_is_object(vector) &&
	       v8_type(q->look, vector) == (uint32_t)type && v8_member(q->look, vector, VECTOR_SHARED, &shared) ? shared_of(q, shared, c->bytes) : 0;
}

static uint64_t
in_register(const struct moment *m, uint8_t number)
{
	for (uint32_t i = 0; i < m->nreg; i++)
		if (m->number[i] == number)
			return m->reg[i];
	return 0;
}

/* Where V8's own data are, if the thread was in V8's code; 0: not known. */
static uint64_t
root_of(const struct question *q)
{
	return kind_of(q, q->moment->code[0]) > KIND_NONE ? in_register(q->moment, q->v->image->root) : 0;
}

/* BEFORE: what ran that bytecode when prof last looked; 0: not known. */
static const struct v8_function *
function_of(const struct question *q, const struct v8_call *c, uint64_t before)
{
	uint64_t shared = before ? shared_of(q, before, c->bytes) : 0;
	bool has_bytes = !shared && v8_type(q->look, c->bytes) == (uint32_t)q->v->image->at[V8_TYPE_BYTES];

	if (!shared)
		shared = c->function ? shared_of_function(q, c->function, has_bytes ? c->bytes : 0) : 0;
	if (!shared && c->fp && has_bytes && !(shared = shared_of_vector(q, c, OFFSET)))
		shared = shared_of_vector(q, c, VECTOR);
	if (!shared && has_bytes)
		shared = shared_of(q, v8_scripts_function(&q->room->scripts, q->v->image, q->languages, q->look, q->v, root_of(q), c->bytes, c->code), c->bytes);
	return shared ? v8_function_at(&q->room->codes, q->v->image, q->look, q->v, shared) : NULL;
}

static struct v8_memo *
memo_of(const struct question *q, uint64_t key)
{
	return &q->room->memo[hash_u64(key ^ (uintptr_t)q->v) % MEMOS];
}

/* Whether KEY was known not longer ago than that. */
static bool
is_known(const struct question *q, const struct v8_memo *memo, uint64_t key, uint64_t ago)
{
	return memo->process == q->v && memo->key == key && (memo->looked >= q->moment->time || q->moment->time - memo->looked < ago);
}

/* What is known for KEY, else which function SHARED is, or that of the frame; NULL if nothing is. */
static const struct v8_memo *
look_up(const struct question *q, uint64_t key, uint64_t shared, const struct v8_call *c)
{
	struct v8_memo *memo = memo_of(q, key);
	const struct v8_function *f;

	if (is_known(q, memo, key, LOOK_AGAIN))
		return memo;
	f = shared ? v8_function_at(&q->room->codes, q->v->image, q->look, q->v, shared) : function_of(q, c, is_known(q, memo, key, GOOD) && key == c->bytes ? memo->shared : 0);
	if (f)
		*memo = (struct v8_memo){ q->v, key, q->moment->time, f->addr, f->code, f->native };
	return f || is_known(q, memo, key, GOOD) ? memo : NULL;
}

static void
push(const struct question *q, uint64_t entry, uint32_t code)
{
	if (q->to->n < LANGUAGE_FRAMES && code != CODE_UNKNOWN)
		q->to->frame[q->to->n++] = (struct language_frame){ entry, code };
}

/* The innermost of V8's functions is a part of the one that it interprets.  It may have no frame of its own. */
static bool
is_interpreting(const struct question *q, uint32_t i, enum kind kind)
{
	const struct moment *m = q->moment;

	return i <= 1 && !q->to->n && kind == KIND_V8 && kind_of(q, m->code[0]) == KIND_V8 && m->sp[0] &&
	       languages_leads_on(q->languages, m, m->code[0], true);
}

/* The function of frame I; false if it is none of JavaScript.  A function that has just begun has no frame yet.  Where V8 calls functions
 * in C++, the return address lies below their arguments: no frame pointer lies in front of them. */
static bool
frame_has(const struct question *q, uint32_t i, enum kind kind, struct v8_call *c)
{
	const struct moment *m = q->moment;
	uint64_t fp = m->sp[i + 1] - RECORD, outer;

	if (fp - FUNCTION < m->sp[i] || fp < FUNCTION) {
		c->function = in_register(m, q->v->image->function);
		c->context = in_register(m, q->v->image->context);
		return !i && kind == KIND_MADE && v8_is_object(c->context) && v8_is_object(c->function);
	}
	c->fp = fp;
	return look_is_copied(q->look, fp - FUNCTION, FUNCTION + RECORD) && look_word(q->look, fp, &outer) && outer > fp && outer % 8 == 0 &&
	       look_word(q->look, fp - CONTEXT, &c->context) && look_word(q->look, fp - FUNCTION, &c->function) && v8_is_object(c->context) && v8_is_object(c->function);
}

/* The functions that code runs at AT, inlined ones too; false: only the code's own function is known. */
static bool
push_places(const struct question *q, const struct v8_compiled *c, uint64_t at, uint64_t entry)
{
	const struct v8_place *p = at ? v8_place_at(&q->room->places, &q->room->codes, q->v->image, q->look, q->v, c, at) : NULL;

	for (uint32_t i = 0; p && i < p->n; i++)
		push(q, entry, p->codes[i]);
	return p;
}

/* The same for a frame.  What is interpreted just now is in a register; the frame tells which bytecode was the last to call anything. */
static bool
push_known(const struct question *q, const struct v8_memo *memo, const struct v8_compiled *compiled, uint64_t bytes, uint64_t at, uint64_t entry,
           bool interpreting)
{
	struct v8_compiled c = { .code = bytes, .bytes = bytes };
	uint64_t now = in_register(q->moment, q->v->image->offset);

	if (compiled)
		c = *compiled;
	if (c.bytes)
		c.shared = memo->shared;
	if (memo->native || !(c.bytes || c.data))
		return false;
	if (interpreting && now < FARTHEST && push_places(q, &c, now, entry))
		return true;
	return push_places(q, &c, at, entry);
}

static void
read_frame(const struct question *q, uint32_t i, enum kind kind)
{
	const struct moment *m = q->moment;
	const struct v8_compiled *compiled = NULL;
	uint64_t fp = m->sp[i + 1] - RECORD, key, pc = languages_native(q->languages, m->code[i])->vaddr, entry;
	struct v8_call call = { 0 };
	const struct v8_memo *memo;
	bool has = frame_has(q, i, kind, &call), interpreting;

	if (kind == KIND_MADE)
		compiled = v8_compiled_at(&q->room->compiled, q->v->image, q->languages, q->look, q->v, pc);
	if (!has && (i || !compiled))
		return;
	if (!has)
		call = (struct v8_call){ 0 };
	if (compiled) {
		call.bytes = compiled->bytes;
		call.code = compiled->code;
	} else if (kind == KIND_V8 && (fp - BYTES < m->sp[i] || !look_word(q->look, fp - BYTES, &call.bytes) || !v8_is_object(call.bytes)))
		call.bytes = 0;
	key = compiled && !call.bytes ? compiled->code : call.bytes;
	memo = look_up(q, key ? key : m->code[i], compiled ? compiled->shared : 0, &call);
	if (memo && memo->native && !languages_leads_on(q->languages, m, m->code[i], true))
		return;
	if (memo) {
		interpreting = is_interpreting(q, i, kind);
		entry = m->sp[interpreting ? 0 : i];
		if (!compiled)
			pc = look_word(q->look, fp - OFFSET, &pc) && v8_is_number(pc) ? pc >> 32 : 0;
		if (!push_known(q, memo, compiled, key, pc, entry, interpreting))
			push(q, entry, memo->code);
		return;
	}
	if (!has)
		return;
	push(q, m->sp[i], languages_doubt(q->languages, &language_v8));
	q->to->doubtful++;
}

static void
frames(void *process, struct languages *languages, const struct moment *m, struct language_stack *to)
{
	struct question q = { .v = process, .moment = m, .to = to, .languages = languages };
	enum kind kind;

	if (!(q.room = languages_room(languages, V8_ROOM, sizeof *q.room)))
		return;
	q.look = looks_of(&q.room->looks, m->space);
	q.room->codes.languages = languages;
	look_begin(q.look, m, READS);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->sp[i] && m->sp[i + 1] > m->sp[i] && (kind = kind_of(&q, m->code[i])) > KIND_NONE)
			read_frame(&q, i, kind);
}

static uint32_t
line_of(const struct language_function *f, uint32_t at)
{
	return at ? at : f->line;
}

const struct language language_v8 = {
	.name = "[javascript]", .title = "JavaScript", .doubt = "[javascript?]", .find = v8_image_find, .size = sizeof(struct v8),
	.leads_on = v8_glue, .nameless = v8_glue_nameless, .begin = begin, .done = done, .frames = frames, .line_of = line_of,
};
