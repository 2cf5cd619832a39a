/* PHP 8.2 to 8.5 without threads (not ZTS), 64-bit: its frames are a chain from executor_globals.current_execute_data.  A frame that
 * execute_ex was entered with is marked.  Functions in C have frames, too; they are no entries.  Offsets: Zend/zend_compile.h, zend_types.h,
 * zend.h, zend_globals.h; they are the same in all these versions, but from 8.4 on some of a function have moved, in 8.5 the chain's.
 *
 * prof reads functions later than frames.  Most functions stay where they are.  A file's own code, a closure and a callable made of a
 * function (`f(...)`) do not: another one may be at that address by then.  Nor does the innermost frame's instruction always tell: one
 * that execute_ex was entered with has its own; a function in C never sets it, and another one in PHP only before it calls or throws.
 * Until then it is one of the function whose frame was there before. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "lib/clock.h"
#include "lib/index.h"
#include "php_glue.h"
#include "sym/elf/symbol_tables.h"

enum {
	READS = 256,               /* pieces of memory that one sample may read */
	FRAMES = 4096, CODES = 512, PLACES = 512, TEXT_MOST = 512, CONSTANTS_MOST = 1 << 26,
	GLOBALS = 1536, G_FRAME = 488, G_FRAME_8_5 = 512,   /* executor_globals: a part that is in it in all versions */
	F_CODE = 0, F_FUNCTION = 24, F_INFO = 40, F_PREVIOUS = 48, FRAME = 56,
	FILE_CODE = 1 << 16, ENTRY = 1 << 17, CLOSURE = 1 << 22, FAKE = 1 << 23,   /* ZEND_CALL_CODE, _TOP, _CLOSURE, _FAKE_CLOSURE */
	MOVES = FILE_CODE | CLOSURE,
	IN_C = 1, MOVED = 16,
	NAME = 8, SCOPE = 16, LAST = 80, CODE = 88, FILE_NAME = 152, LINE = 160, LINE_END = 164, FUNCTION = 168,
	INSTRUCTION = 32, I_LINE = 24, CLASS_NAME = 8, T_LENGTH = 16, T_BYTES = 24,
};

#define LOOK_AGAIN UINT64_C(100000000)   /* ns */
#define ALONE UINT64_C(500000000)
#define LATELY UINT64_C(1000000000)
#define VARIABLES UINT64_C(0x4000000)    /* bytes: those of a program are not farther from each other */

struct php_image {
	uint64_t globals, lo, hi;  /* executor_globals, execute_ex: as linked */
	uint16_t frame;            /* where the chain begins in executor_globals */
	uint8_t moved;             /* how far members of functions are from their place in 8.2 */
};

struct php_code {
	uint64_t function;         /* where it was last */
	uint64_t seen[4];          /* its name, class, instructions (in C: itself) and file, */
	uint64_t looked;           /* and when prof read them, ns */
	uint32_t code;             /* of place 0 */
	uint32_t size;             /* bytes of instructions; 0: it is in C */
	uint32_t line, line_end;
};

/* A place of memory at which different functions may be in turns. */
struct php_place {
	uint64_t at, since;        /* the address, and since when prof has seen no other one there, ns */
	uint32_t code;             /* the last one that it saw */
	bool changed;              /* there was another one before */
};

struct php {
	const struct php_image *image;
	const struct module *module;
	uint64_t globals;
	struct lasting *chain;
	struct php_code *code;     /* by its instructions, because each object of a closure is a function with the same ones: CODES of them, */
	uint32_t cap;              /* or 0 at the memory cap */
	struct php_place place[PLACES], leaf[PLACES];   /* of functions that move; of others that were innermost, and had no instruction */
};

struct question {
	struct php *p;
	struct calls c;
	uint64_t frame;            /* that it reads */
};

/* ---- the file ---- */

/* The minor version: each has a header for the web that tells it.  0: not known. */
static unsigned
minor_of(const struct elf *e)
{
	static const char said[] = "By: PHP/8.";
	struct section s;
	struct cursor c;
	const uint8_t *at;

	if (!elf_section_named(e, ".rodata", &s) || s.size > CONSTANTS_MOST)
		return 0;
	c = elf_at(e, s.addr, s.size);
	at = cur_left(&c) ? memmem(c.pos, cur_left(&c), said, sizeof said - 1) : NULL;
	return at && c.end - at > (int)sizeof said && at[sizeof said] == '.' ? at[sizeof said - 1] - '0' : 0;
}

static void *
find(struct modules *ms, struct module *m)
{
	const struct elf *e = &m->elf;
	struct php_image *p;
	const struct symbols *t;
	struct symbol_tables tables;
	struct raw_symbol globals, loop;
	unsigned minor;

	if (!e->is64 || e->bytes.big)
		return NULL;
	symbol_tables_find(&tables, e);
	t = tables.dynsym.n ? &tables.dynsym : &tables.symtab;
	if (!symbol_tables_named(e, t, "executor_globals", &globals) || globals.size < GLOBALS || !symbol_tables_named(e, t, "execute_ex", &loop) ||
	    (minor = minor_of(e)) < 2 || minor > 5 || !(p = arena_alloc(&ms->arena, sizeof *p)))
		return NULL;
	*p = (struct php_image){ globals.value, loop.value, loop.value + loop.size, minor >= 5 ? G_FRAME_8_5 : G_FRAME, minor >= 4 ? MOVED : 0 };
	return p;
}

static void
begin(void *process, const void *found, struct module *m, uint64_t bias)
{
	struct php *p = process;

	p->image = found;
	p->module = m;
	p->globals = p->image->globals + bias;
	vec_room(&p->code, &p->cap, CODES, sizeof *p->code);
}

static void
done(void *process)
{
	struct php *p = process;

	vec_free(&p->code, &p->cap, sizeof *p->code);
}

/* ---- functions ---- */

static bool
text(struct look *l, uint64_t addr, char to[TEXT_MOST])
{
	uint64_t length;

	*to = 0;
	if (!look_word(l, addr + T_LENGTH, &length) || !length || length >= TEXT_MOST || !look_copy(l, addr + T_BYTES, to, (size_t)length))
		return false;
	to[length] = 0;
	return *to;
}

/* file.php:Class::function. */
static bool
learn(struct question *q, struct php_code *c)
{
	char file[TEXT_MOST] = "", class[TEXT_MOST] = "", own[TEXT_MOST] = "{main}", name[3 * TEXT_MOST + 4];
	struct language_function f = { .name = name, .file = c->size ? file : NULL, .lines = "", .line = c->line };
	const char *slash;
	uint64_t of;

	if ((c->seen[0] && !text(q->c.look, c->seen[0], own)) ||
	    (c->seen[1] && (!look_word(q->c.look, c->seen[1] + CLASS_NAME, &of) || !text(q->c.look, of, class))) ||
	    (c->size && !text(q->c.look, c->seen[3], file)))
		return false;
	if (!strncmp(own, "{closure:", 9))   /* and where it is */
		strcpy(own + 8, "}");
	slash = strrchr(file, '/');
	snprintf(name, sizeof name, "%s%s%s%s%s", slash ? slash + 1 : file, c->size ? ":" : "", class, *class ? "::" : "", own);
	c->code = languages_code(q->c.languages, &language_php, &f, 0);
	return c->code != CODE_UNKNOWN;
}

/* NULL if there is none. */
static const struct php_code *
code_at(struct question *q, uint64_t function)
{
	struct php_code now = { .function = function, .seen = { 0, 0, function }, .looked = q->c.moment->time }, *c;
	const unsigned moved = q->p->image->moved;
	const uint8_t *o = function % 8 || !q->p->cap ? NULL : look_at(q->c.look, function, LINE_END);

	if (!o)
		return NULL;
	now.seen[0] = look_u64(o + NAME);
	now.seen[1] = look_u64(o + SCOPE);
	if (*o != IN_C) {
		if (look_u32(o + LAST + moved) > INT32_MAX / INSTRUCTION)
			return NULL;
		now.size = look_u32(o + LAST + moved) * INSTRUCTION;
		now.seen[2] = look_u64(o + CODE + moved);
		if (!now.size || !(o = look_at(q->c.look, function + FILE_NAME + moved, FUNCTION - FILE_NAME)))
			return NULL;
		now.seen[3] = look_u64(o);
		now.line = look_u32(o + LINE - FILE_NAME);
		now.line_end = look_u32(o + LINE_END - FILE_NAME);
	}
	c = q->p->code + hash_u64(now.seen[2]) % CODES;
	if (!memcmp(c->seen, now.seen, sizeof now.seen) && c->size == now.size && c->code != CODE_UNKNOWN && now.looked - c->looked < LOOK_AGAIN) {
		c->function = function;
		return c;
	}
	if (!learn(q, &now))
		return NULL;
	*c = now;
	return c;
}

/* ---- frames ---- */

/* The function at FUNCTION (0: wherever it is) with instruction AT, if prof has met it lately, and no other one: its memory may be gone, or
 * be another's. */
static const struct php_code *
met(const struct php *p, uint64_t function, uint64_t at, uint64_t time)
{
	const struct php_code *found = NULL;

	for (const struct php_code *c = p->code; c < p->code + p->cap; c++)
		if (c->code != CODE_UNKNOWN && time - c->looked < LATELY && (!function || c->function == function) &&
		    (c->size ? at - c->seen[2] < c->size : function != 0)) {
			if (found && found->code != c->code)
				return NULL;
			found = c;
		}
	return found;
}

/* The instruction of the innermost frame, if a register leads to that frame and another one into the function; 0: none does.  execute_ex
 * has both in registers; they may be a caller's or a callee's while it changes frames. */
static uint64_t
running_in(const struct question *q, const struct php_code *c)
{
	const struct moment *m = q->c.moment;
	uint64_t at = 0;
	bool here = false;

	for (uint32_t i = 0; i < m->nreg && !q->c.to->n; i++) {
		here |= m->reg[i] == q->frame;
		if (m->reg[i] - c->seen[2] < c->size && (m->reg[i] - c->seen[2]) % INSTRUCTION == 0)
			at = m->reg[i];
	}
	return here ? at : 0;
}

/* Whether instruction AT, or the one that runs, lies in the function, and the line there. */
static bool
line_at(struct question *q, const struct php_code *c, uint64_t at, uint32_t *line)
{
	uint64_t runs = running_in(q, c);
	const uint8_t *o;

	at = runs ? runs : at;
	*line = c->line;
	if (at - c->seen[2] >= c->size || (at - c->seen[2]) % INSTRUCTION)
		return false;
	if ((o = look_at(q->c.look, at + I_LINE, 4)) && look_u32(o) >= c->line && look_u32(o) <= c->line_end)
		*line = look_u32(o);
	return true;
}

/* The function that was at FUNCTION lately and runs; NULL if there is none, or more than one. */
static const struct php_code *
met_running(struct question *q, uint64_t function)
{
	const struct php *p = q->p;
	const struct php_code *found = NULL;

	for (const struct php_code *c = p->code; c < p->code + p->cap; c++)
		if (c->code != CODE_UNKNOWN && c->size && c->function == function && q->c.moment->time - c->looked < LATELY && running_in(q, c)) {
			if (found && found->code != c->code)
				return NULL;
			found = c;
		}
	return found;
}

/* Notes that C is at AT, and returns what prof knows of that place. */
static const struct php_place *
place_of(const struct question *q, struct php_place *table, uint64_t at, const struct php_code *c)
{
	struct php_place *k = table + hash_u64(at) % PLACES;
	uint64_t now = clock_now();

	if (k->at != at || k->code != c->code)
		*k = (struct php_place){ at, now > q->c.moment->time ? now : q->c.moment->time, c->code, k->at == at };
	return k;
}

/* Whether no other one was there for long. */
static bool
is_alone(const struct question *q, const struct php_place *k)
{
	return q->c.moment->time > k->since && q->c.moment->time - k->since >= ALONE;
}

/* Whether prof does not know that another one was there lately. */
static bool
is_settled(const struct question *q, const struct php_place *k)
{
	return !k->changed || is_alone(q, k);
}

/* Whether the code of a file is sure.  That of the script itself stays until it ends. */
static bool
is_sure_file(struct question *q, const struct php_code *c, bool script)
{
	const struct php_place *k = place_of(q, q->p->place, c->seen[2], c);

	return script ? is_settled(q, k) : is_alone(q, k);
}

/* Which function's frame it is, with its line; NULL if that is not certain.  NOW: what is there now. */
static const struct php_code *
code_of(struct question *q, const struct php_code *now, uint64_t function, uint32_t info, bool outermost, uint64_t instruction, uint32_t *line)
{
	bool own = q->c.to->n || info & (ENTRY | FILE_CODE);   /* if it is in PHP, the instruction is its own */
	bool moves = info & MOVES || look_in_stack(q->c.look, function);   /* Closure::call has it there */
	bool fits = now && now->size && line_at(q, now, instruction, line), throws = instruction - q->p->globals < GLOBALS;
	const struct php_code *c;

	if (now && ((now->size && running_in(q, now)) || look_is_copied(q->c.look, function, FUNCTION + q->p->image->moved)))
		return now;
	if (now && !moves)
		if (!now->size || fits || throws || (!own && is_settled(q, place_of(q, q->p->leaf, function, now))))
			return now;
	if (info & CLOSURE && (info & FAKE || !own) && now && (!now->size || fits) && (now->size || info & FAKE) &&
	    is_alone(q, place_of(q, q->p->place, function, now)))
		return now;
	if (info & CLOSURE && info & FAKE)
		return NULL;
	if (moves && !own)
		c = met_running(q, function);
	else
		c = now && now->size && moves && (fits || throws) ? now : met(q->p, moves ? 0 : function, instruction, q->c.moment->time);
	*line = 0;
	if (!c || (c->size && !line_at(q, c, instruction, line) && !throws))
		return NULL;
	return !(info & FILE_CODE) || is_sure_file(q, c, outermost) ? c : NULL;
}

/* Reads the frame at *ADDR, and goes to the next one; false if it is none. */
static bool
read_frame(struct question *q, uint64_t *addr)
{
	const uint64_t at = *addr;
	const uint8_t *o = at % 8 ? NULL : look_at(q->c.look, at, FRAME);
	uint64_t instruction, function;
	uint32_t info, line = 0;
	const struct php_code *now, *c;

	if (!o)
		return false;
	q->frame = at;
	q->c.all_copied = q->c.all_copied && look_is_copied(q->c.look, at, FRAME);
	instruction = look_u64(o + F_CODE);
	function = look_u64(o + F_FUNCTION);
	info = look_u32(o + F_INFO);
	*addr = look_u64(o + F_PREVIOUS);
	if (!function)   /* a generator's place holder */
		return true;
	now = code_at(q, function);
	/* A fiber's end: behind it is who resumed it, on another stack. */
	if (now && !now->size && !now->seen[0] && function - q->p->globals + VARIABLES < 2 * VARIABLES) {
		*addr = 0;
		return true;
	}
	c = code_of(q, now, function, info, !*addr, instruction, &line);
	if (c)
		calls_push(&q->c, at, languages_place(q->c.languages, c->code, line));
	else if (!calls_push_doubt(&q->c, at))
		return false;
	if (!c && info & ENTRY && info & CLOSURE && info & FAKE)   /* one in C is no entry */
		return false;
	calls_framed(&q->c, c && !c->size ? false : info & ENTRY);
	return true;
}

/* Whether a register points to the instructions of the innermost function. */
static bool
innermost_is_sure(const void *question)
{
	struct question *q = (struct question *)question;
	const struct php_code *c;
	uint64_t function;

	return look_word(q->c.look, q->c.room->addr[0] + F_FUNCTION, &function) && (c = code_at(q, function)) && c->size &&
	       look_in_registers(q->c.look, c->seen[2], c->seen[2] + c->size - 1);
}

static void
frames(void *process, struct languages *languages, const struct moment *m, struct language_stack *to)
{
	struct php *p = process;
	struct question q = { .p = p };
	uint64_t addr;
	uint32_t budget = FRAMES;

	if (!calls_begin(&q.c, &language_php, languages, m, to, READS))
		return;
	q.c.chain = &p->chain;
	to->at = p->globals + p->image->frame;
	to->then = LANGUAGE_NO_THEN;
	to->back = F_PREVIOUS;
	q.c.all_copied = look_is_copied(q.c.look, to->at, 8);
	to->late = !q.c.all_copied;
	calls_find(&q.c, p->module, p->image->lo, p->image->hi);
	q.c.broken = !look_word(q.c.look, to->at, &addr);
	while (addr && !q.c.broken)
		q.c.broken = !budget-- || to->n >= CALLS_FRAMES || !read_frame(&q, &addr);
	calls_settle(&q.c, innermost_is_sure, &q);
}

static uint32_t
line_of(const struct language_function *f, uint32_t at)
{
	(void)f;
	return at;
}

const struct language language_php = {
	.name = "[php]", .title = "PHP", .doubt = "[php?]", .find = find, .size = sizeof(struct php), .calls = true,
	.leads_on = php_glue, .nameless = php_glue_nameless, .begin = begin, .done = done, .frames = frames, .line_of = line_of,
};
