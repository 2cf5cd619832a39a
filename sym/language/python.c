/* CPython 3.8 to 3.15.  A thread's frames are a chain, innermost first.  From 3.11 on one call of the evaluator runs several of them,
 * a piece of the chain.
 *
 * The C stack was copied at the sample's moment: up to 3.12 a struct (CFrame) that leads to the innermost frame of each evaluator,
 * from 3.12 on the entry frame that ends its piece.  So pieces end where they ended then.  prof reads the heap later; it may have
 * changed since, unless it was copied at that moment, too.  If a piece was not copied, only two things of it are sure: its outermost
 * frames, if they were the same each time that the thread was looked at lately; and its innermost code, if the evaluator itself was
 * interrupted and a register points to the instructions of this code, as the evaluator keeps the place of its next instruction.  What
 * is between them is [python?]. */
#include "languages.h"

#include <string.h>

#include "lasting.h"
#include "python_code.h"
#include "python_gil.h"
#include "python_glue.h"
#include "python_lines.h"
#include "python_object.h"
#include "python_threads.h"

enum {
	READS = 256,               /* pieces of memory that one sample may read */
	FRAMES = LANGUAGE_FRAMES,
	EVALUATORS = 512,
	OWNED_BY_NOBODY = 3,       /* and above: an entry frame */
	INSTRUCTIONS_AFTER = 64,   /* bytes: the next instruction may be behind the caches of this one */
};

enum { NAMES_MOST = 32 };                /* each name takes memory, and a program may change it for ever */
#define NAME_AGAIN UINT64_C(500000000)   /* ns: until a thread's name is read again */

struct python {
	const struct python_image *image;
	const struct module *module;
	uint64_t bias;
	struct python_codes codes;
	struct python_threads threads;
	struct python_gil gil;
};

/* Frames between two native frames: the first of N frames of the stack, and the place of its evaluator in the native
 * stack. */
struct python_piece {
	uint32_t first, n, native;
	bool well;                 /* all of it could be read */
	bool copied;               /* at the moment */
	uint64_t inner, upto;      /* instructions of the innermost frame's code */
};

enum { PIECES = 256, FRAME = 128 /* bytes */ };

struct python_room {
	struct looks looks;
	uint64_t addr[LANGUAGE_FRAMES];   /* of the frames in the stack */
	struct python_piece piece[PIECES];
	uint8_t page[4096];
	uint32_t pieces;
	struct language_frame frame[LANGUAGE_FRAMES];
};

/* The question for one sample. */
struct question {
	struct python *p;
	struct python_room *room;
	struct look *look;
	struct python_thread *thread;
	const struct moment *moment;
	struct language_stack *to;
	struct languages *languages;
	uint32_t budget;           /* frames */
	bool broken;               /* the chain does not reach its end */
	uint64_t state, interpreter;   /* of the thread, where it runs now */
	bool copied;               /* the pointer to the innermost frame was copied at the moment */
};

static void
begin(void *process, const void *found, struct module *m, uint64_t bias)
{
	struct python *p = process;

	p->image = p->codes.image = p->threads.image = found;
	p->module = m;
	p->bias = bias;
	p->threads.runtime = p->image->runtime + bias;
}

static void
done(void *process)
{
	struct python *p = process;

	python_codes_free(&p->codes);
	python_threads_free(&p->threads);
}

/* ---- frames ---- */

struct python_frame {
	uint64_t previous, instr, globals, locals;
	uint64_t bytes, size;      /* instructions of its code, */
	uint32_t code;             /* as python_code has it; CODE_UNKNOWN: there is none */
	uint8_t owner;
	bool entry;                /* 3.11: the last frame of its piece */
};

static bool
read_frame(struct question *q, uint64_t addr, struct python_frame *f)
{
	const uint32_t *at = q->p->image->at;
	const uint8_t *o = addr % 8 ? NULL : look_at(q->look, addr, FRAME);
	const struct python_code *c;
	uint64_t code;

	if (!o || at[PY_F_PREVIOUS] > FRAME - 8 || at[PY_F_CODE] > FRAME - 8 || at[PY_F_INSTR] > FRAME - 8 || at[PY_F_OWNER] >= FRAME ||
	    q->p->image->globals > FRAME - 8 || q->p->image->locals > FRAME - 8)
		return false;
	f->previous = look_u64(o + at[PY_F_PREVIOUS]);
	f->globals = look_u64(o + q->p->image->globals);
	f->locals = look_u64(o + q->p->image->locals);
	f->instr = look_u64(o + at[PY_F_INSTR]);
	f->owner = o[at[PY_F_OWNER]];
	f->entry = q->p->image->minor == 11 && o[at[PY_F_OWNER] - 1];
	code = look_u64(o + at[PY_F_CODE]) & ~(uint64_t)7;
	c = q->p->image->minor >= 12 && f->owner >= OWNED_BY_NOBODY ? NULL : python_code_at(&q->p->codes, q->look, code, f->globals);
	f->code = c ? c->code : CODE_UNKNOWN;
	f->bytes = c ? c->bytes : 0;
	f->size = c ? c->size : 0;
	if (q->p->image->minor < 11 && c)
		f->instr = f->bytes + (uint64_t)(int64_t)(int32_t)f->instr * (q->p->image->minor == 10 ? 2 : 1);
	return true;
}

static void
push(struct question *q, uint64_t addr, uint32_t code)
{
	if (q->to->n < LANGUAGE_FRAMES) {
		q->room->addr[q->to->n] = addr;
		q->to->frame[q->to->n++] = (struct language_frame){ 0, code };
	}
}

/* False if the instruction is not in this code. */
static bool
place_in_code(struct question *q, const struct python_frame *f, uint32_t *code)
{
	uint64_t at = f->instr - f->bytes;

	if (f->code == CODE_UNKNOWN)
		return false;
	if (q->p->image->free_threaded && at > f->size)   /* a copy of the instructions for this thread */
		at = 0;
	if (at + 4 < 4)   /* it has not begun */
		at = 0;
	*code = languages_place(q->languages, f->code, (uint32_t)at);
	return at <= f->size;
}

/* Whether importlib has called the frame, to run the body of a module. */
static bool
is_body(struct question *q, const struct python_frame *f)
{
	struct python_frame outer = *f;
	const char *function;

	if (!f->globals || f->globals != f->locals)
		return false;
	do
		if (!outer.previous || !read_frame(q, outer.previous, &outer))
			return false;
	while (q->p->image->minor >= 12 && outer.owner >= OWNED_BY_NOBODY && q->budget && q->budget--);
	function = outer.code != CODE_UNKNOWN ? languages_function(q->languages, outer.code) : NULL;
	return function && !strcmp(function, "<frozen importlib._bootstrap>:_call_with_frames_removed");
}

/* The place of a frame in its code; false if prof cannot tell.  The code of a module's body may be gone already, or another one be at its
 * address; then the module's dict tells. */
static bool
place_of(struct question *q, const struct python_frame *f, uint32_t *code)
{
	bool in_code = place_in_code(q, f, code);
	const struct python_code *body;
	const char *named, *own;

	if (!is_body(q, f))
		return in_code;
	if (!(body = python_code_body(&q->p->codes, q->look, f->globals)))
		return false;
	named = body->code != CODE_UNKNOWN ? languages_function(q->languages, body->code) : NULL;
	own = in_code ? languages_function(q->languages, *code) : NULL;
	if (!named || (own && !strcmp(named, own)))
		return in_code;
	*code = body->code;
	return true;
}

/* The native frame that holds the address; N if none does. */
static uint32_t
native_of(const struct moment *m, uint64_t addr)
{
	uint32_t i = 0;

	while (i < m->n && !(m->sp[i] && addr >= m->sp[i] && addr < m->sp[i + 1]))
		i++;
	return i;
}

/* Reads the piece of the chain from TOP on, with its entry at ENTRY (0: its last frame tells).  Returns the frame that comes
 * next. */
static uint64_t
piece(struct question *q, uint64_t top, uint64_t entry)
{
	const struct moment *m = q->moment;
	struct python_piece p = { .first = q->to->n, .well = true, .copied = q->copied };
	struct python_frame f = { .previous = top };
	bool known = entry, ended = false;
	uint64_t addr;
	uint32_t code;

	for (addr = top; addr && q->budget && !ended; q->budget--, addr = f.previous) {
		if (!read_frame(q, addr, &f)) {
			p.well = false;
			break;
		}
		if (q->p->image->minor >= 12 && f.owner >= OWNED_BY_NOBODY) {
			entry = known ? entry : addr;
			ended = true;
			continue;
		}
		if (!place_of(q, &f, &code)) {
			p.well = false;
			break;
		}
		p.copied = p.copied && look_is_copied(q->look, addr, FRAME);
		if (q->to->n == p.first) {
			p.inner = f.bytes;
			p.upto = f.bytes + f.size + INSTRUCTIONS_AFTER;
		}
		push(q, addr, code);
		ended = f.entry;
	}
	if ((!known && (!ended || !look_in_stack(q->look, entry))) || q->room->pieces == PIECES) {   /* it was entered since, or is not in the copy */
		q->to->n = p.first;
		return p.well && ended && entry < m->sp[0] ? addr : 0;
	}
	p.n = q->to->n - p.first;
	p.native = native_of(m, entry);
	q->room->piece[q->room->pieces++] = p;
	q->broken |= !p.well;
	return p.well ? addr : 0;
}

/* 3.11. */
static void
by_cframes(struct question *q, uint64_t state)
{
	const uint32_t *at = q->p->image->at;
	/* All that is not from the moment itself must be from one later moment, else the chain leads nowhere. */
	bool (*read)(struct look *, uint64_t, uint64_t *) = q->copied ? look_word : look_now;
	uint64_t cframe, frame, last = 0;

	look_word(q->look, state + at[PY_T_FRAME], &cframe);
	for (; cframe && q->budget && cframe > last; q->budget--) {
		if (look_in_stack(q->look, cframe) && read(q->look, cframe + at[PY_CFRAME_FRAME], &frame) && frame)
			piece(q, frame, cframe);
		else if (cframe >= q->moment->sp[0])
			break;
		last = cframe;
		read(q->look, cframe + at[PY_CFRAME_PREVIOUS], &cframe);
	}
}

/* From 3.12 on. */
static void
by_entries(struct question *q, uint64_t state)
{
	uint64_t frame;

	look_word(q->look, state + q->p->image->at[PY_T_FRAME], &frame);
	if (q->p->image->minor == 12 && frame)
		(q->copied ? look_word : look_now)(q->look, frame + q->p->image->at[PY_CFRAME_FRAME], &frame);
	while (frame && q->budget)
		frame = piece(q, frame, 0);
}

/* ---- what is sure ---- */

/* The outermost function of a thread that threading.Thread made has the Thread as its first variable.  (From 3.14 on Python tells
 * the kernel these names.) */
static void
learn_name(struct question *q)
{
	const struct language_stack *s = q->to;
	struct python_thread *t = q->thread;
	const struct python_image *image = q->p->image;
	const char *function;
	char name[PYTHON_TEXT_MOST];
	uint64_t self;

	if (!s->n || t->names >= NAMES_MOST || (t->named && q->moment->time - t->named < NAME_AGAIN))
		return;
	t->named = q->moment->time;
	function = languages_function(q->languages, s->frame[s->n - 1].code);
	if (!function || (strcmp(function, "threading.py:Thread._bootstrap") && strcmp(function, "threading.py:_bootstrap")) ||
	    !look_word(q->look, q->room->addr[s->n - 1] + image->at[PY_F_LOCALS], &self) ||
	    !(self = python_object_attribute(image, q->look, self & ~(uint64_t)7, "_name")) || !python_object_text(image, q->look, self, name))
		return;
	if (!t->name || strcmp(t->name, name)) {
		t->name = languages_text(q->languages, name);
		t->names++;
	}
}

/* Keeps the chain for the next samples.  Returns how many of its outermost frames last. */
static uint32_t
lasting(struct question *q)
{
	if (q->broken)
		return 0;
	learn_name(q);
	return lasting_frames(&q->thread->chain, q->languages, q->room->addr, q->to->frame, q->to->n, q->moment->time);
}

/* Whether native frame I, an evaluator, was interrupted itself. */
static bool
is_innermost(const struct question *q, uint32_t i)
{
	return i == q->p->image->handlers || !i;
}

/* Adds what the evaluator in native frame I ran; WHOLE: it runs one frame. */
static void
put_doubtful(struct question *q, uint32_t *n, uint32_t i, bool whole)
{
	const struct moment *m = q->moment;
	struct language_frame *to = q->room->frame;
	const struct python_code *c;
	uint32_t place;

	q->to->doubtful++;
	c = is_innermost(q, i) ? python_code_by_registers(&q->p->codes, m, &place) : NULL;
	if (c && *n < LANGUAGE_FRAMES - 2)
		to[(*n)++] = (struct language_frame){ m->sp[i], languages_place(q->languages, c->code, place) };
	if ((!c || !whole) && *n < LANGUAGE_FRAMES - 2)
		to[(*n)++] = (struct language_frame){ m->sp[i], languages_doubt(q->languages, &language_python) };
}

static bool
is_evaluator(const struct question *q, uint32_t i)
{
	const struct code *c = languages_native(q->languages, q->moment->code[i]);

	return c->module == q->p->module->id && c->vaddr >= q->p->image->eval_lo && c->vaddr < q->p->image->eval_hi;
}

/* Adds a piece; LASTING frames of the chain are sure in any case. */
static void
put_piece(struct question *q, uint32_t *n, const struct python_piece *p, uint32_t sure)
{
	const struct moment *m = q->moment;
	uint32_t from = p->first, upto = p->first + p->n;

	if (!p->n || !p->well || (q->to->n - p->first > sure && !p->copied && !(is_innermost(q, p->native) && look_in_registers(q->look, p->inner, p->upto)))) {
		put_doubtful(q, n, p->native, false);
		from = q->to->n - sure > from ? q->to->n - sure : from;
		/* its own innermost frame lasts, too */
		if (*n > 1 && from < upto && from > p->first && q->room->frame[*n - 2].entry == m->sp[p->native] &&
		    lasting_function(q->languages, q->room->frame[*n - 2].code) == lasting_function(q->languages, q->to->frame[from].code))
			from++;
	}
	for (; from < upto && *n < LANGUAGE_FRAMES - 2; from++)
		q->room->frame[(*n)++] = (struct language_frame){ m->sp[p->native], q->to->frame[from].code };
}

static void
hand_over(struct question *q, uint32_t n)
{
	q->to->n = n;
	__builtin_memcpy(q->to->frame, q->room->frame, n * sizeof *q->to->frame);
}

/* Goes along the native stack.  The thread has since left an evaluator without a piece.  (The innermost one may have just
 * begun: it stays.) */
static void
settle(struct question *q)
{
	const struct moment *m = q->moment;
	uint32_t sure = lasting(q), n = 0, j = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		while (j < q->room->pieces && q->room->piece[j].native < i)
			j++;
		if (j < q->room->pieces && q->room->piece[j].native == i) {
			put_piece(q, &n, &q->room->piece[j], sure);
		} else if (i && m->sp[i] && is_evaluator(q, i)) {
			put_doubtful(q, &n, i, false);
		}
	}
	hand_over(q, n);
}

/* Up to 3.10: each evaluator runs one frame.  The outermost ones stay the same for the longest time, so prof counts from
 * there. */
static void
by_evaluators(struct question *q, uint64_t state)
{
	const struct moment *m = q->moment;
	uint32_t native[EVALUATORS], n = 0, frames = 0, put = 0, sure, code, begun, copied = 0;
	struct python_frame f;
	uint64_t addr, chain[EVALUATORS];

	for (uint32_t i = 0; i < m->n && n < EVALUATORS; i++)
		if (m->sp[i] && is_evaluator(q, i))
			native[n++] = i;
	look_word(q->look, state + q->p->image->at[PY_T_FRAME], &addr);
	for (; addr && frames < EVALUATORS && read_frame(q, addr, &f); addr = f.previous)
		chain[frames++] = addr;
	for (uint32_t i = 0; i < frames; i++)
		push(q, chain[i], read_frame(q, chain[i], &f) && place_of(q, &f, &code) ? code : CODE_UNKNOWN);
	sure = lasting(q);
	while (q->copied && copied < frames && look_is_copied(q->look, chain[copied], FRAME))
		copied++;
	begun = frames + 1 == n && n && !native[0];   /* the innermost one has no frame yet */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t back = n - i;   /* counted from the outermost */

		if (i >= begun && i - begun < copied)
			code = q->to->frame[i - begun].code;
		else
			code = m->whole && back <= sure ? q->to->frame[frames - back].code : CODE_UNKNOWN;
		if (code != CODE_UNKNOWN)
			q->room->frame[put++] = (struct language_frame){ m->sp[native[i]], code };
		else
			put_doubtful(q, &put, native[i], true);
	}
	hand_over(q, put);
}

/* The thread's state is gone, as after the process's end: nothing tells what its evaluators ran. */
static void
doubt_all(struct question *q)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < q->moment->n; i++)
		if (q->moment->sp[i] && is_evaluator(q, i))
			put_doubtful(q, &n, i, q->p->image->minor < 11);
	hand_over(q, n);
}

/* Whether there is the state of a thread of the same interpreter. */
static bool
is_state(const void *question, uint64_t state)
{
	const struct question *q = question;

	return python_threads_has(&q->p->threads, q->languages, q->look, q->interpreter, state);
}

/* Who interprets has the GIL; who waits for it has called futex with an address in it.  Other threads may have had it at the moment: what the
 * lock says later holds for most of them, because they run without it for long or not at all. */
static enum language_lock
lock_of(struct question *q)
{
	const struct moment *m = q->moment;
	const struct python *p = q->p;
	uint64_t gil = python_gil_find(&q->p->gil, p->image, q->look, p->image->runtime + p->bias, q->interpreter, q->room->page, is_state, q);

	if (!gil || !m->n)
		return LOCK_NOT_KNOWN;
	if (m->waits && m->arg - gil < PYTHON_GIL_SIZE)
		return LOCK_WANTED;
	if (!m->waits && (is_evaluator(q, 0) || (!m->kernel && languages_native(q->languages, m->code[0])->module == p->module->id &&
	                                         !look_in_registers(q->look, gil, gil + PYTHON_GIL_SIZE))))
		return LOCK_HELD;
	return python_gil_holder(p->image, q->look, gil) == q->state ? LOCK_HELD : LOCK_NOT_HELD;
}

/* Reads what the thread runs in one of its interpreters; false if that is nothing.  The innermost one that has something is where it runs
 * now. */
static bool
read_state(struct question *q, unsigned i)
{
	const uint64_t state = q->thread->in[i].state, at = state + q->p->image->at[PY_T_FRAME];
	const uint32_t pieces = q->room->pieces, frames = q->to->n;
	uint64_t frame;
	bool some;

	q->copied = look_is_copied(q->look, at, 8);
	if (q->p->image->minor >= 11) {
		(q->p->image->minor < 12 ? by_cframes : by_entries)(q, state);
		some = q->room->pieces != pieces;
	} else {
		some = (look_word(q->look, at, &frame) && frame) || i == PYTHON_STATES - 1 || !q->thread->in[i + 1].state;
		if (some)
			by_evaluators(q, state);
	}
	if (!i || (some && !pieces && !frames)) {
		q->state = state;
		q->interpreter = q->thread->in[i].interpreter;
		q->to->at = at;
		q->to->late = !q->copied;
	}
	return some;
}

static void
frames(void *process, struct languages *languages, const struct moment *m, struct language_stack *to)
{
	struct python *p = process;
	struct question q = { .p = p, .moment = m, .to = to, .languages = languages, .budget = FRAMES };

	if (!(q.room = languages_room(languages, PYTHON_ROOM, sizeof *q.room)))
		return;
	q.look = looks_of(&q.room->looks, m->space);
	q.room->pieces = 0;
	p->codes.languages = languages;
	look_begin(q.look, m, READS);
	if (!(q.thread = python_threads_find(&p->threads, languages, q.look, m->tid))) {
		to->late = true;
		doubt_all(&q);
		return;
	}
	to->handlers = p->image->handlers;
	to->then = p->image->minor == 11 || p->image->minor == 12 ? p->image->at[PY_CFRAME_FRAME] : LANGUAGE_NO_THEN;
	to->back = p->image->at[PY_F_PREVIOUS];
	for (unsigned i = 0; i < PYTHON_STATES && q.thread->in[i].state; i++)
		if (read_state(&q, i) && p->image->minor < 11)
			break;
	if (p->image->minor >= 11)
		settle(&q);
	to->lock = lock_of(&q);
	to->other = p->threads.met;
	to->nothers = p->threads.numbered ? p->threads.nmet : 0;
	to->thread = q.thread->name;
}

const struct language language_python = {
	.name = "[python]", .title = "Python", .doubt = "[python?]", .find = python_image_find, .size = sizeof(struct python),
	.leads_on = python_glue, .nameless = python_glue_nameless, .begin = begin, .done = done, .frames = frames, .line_of = python_line,
};
