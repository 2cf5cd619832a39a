/* CRuby 3.1 and 3.3.  A thread (or a fiber) has a stack of Ruby's own beside its C stack: values at its lower end, and an array of control
 * frames, the outermost one at its upper end.  A frame that the interpreter was entered with is marked as finishing.  Each entry is one
 * call of vm_exec_core in the C stack; so entries and calls are paired, counted from the outermost one.  vm_exec_core needs no symbol: the
 * first word of a function's code is an address in it.
 *
 * As for Python, what was not copied at the moment of the sample is sure only if it stays (lasting.h), or if a register points to the
 * code of the innermost function.  The rest is [ruby?]. */
#include "languages.h"

#include "lasting.h"
#include "look.h"
#include "ruby_code.h"
#include "ruby_glue.h"
#include "ruby_lines.h"
#include "sym/module/ehframe.h"

enum {
	READS = 256,               /* pieces of memory that one sample may read */
	GRANTS = 4, GRANTS_MOST = 256,   /* functions that each sample may read more for, and those before it have left for it */
	THREADS = 4096, NATIVES = 1024, VM_TRIES = 8, VARIABLES_MOST = 1 << 18 /* bytes */, VARIABLES_EACH = 128,
	TLS_MOST = 4096, TLS_TRIES = 64, TLS_MISSES = 16,   /* bytes of variables to look through, below the thread pointer */
	CORE_LEAST = 4096,         /* bytes: what is smaller is not vm_exec_core */
	STACK_WORDS_MOST = 1 << 24,
};

#define STACK_MOST UINT64_C(0x40000000)  /* bytes of a thread's C stack */
#define LOOK_SOON UINT64_C(1000000)      /* ns: until threads are looked for again, */
#define LOOK_AGAIN UINT64_C(100000000)   /* and if that was in vain for long */

/* The kinds of frames, and their flags: vm_core.h. */
enum {
	MAGIC = 0x7fff0000, CFUNC = 0x55550000, IFUNC = 0x66660000, DUMMY = 0x79990000, MAGIC_ONE = 1,
	FINISH = 0x20,
};

struct ruby_thread {
	int32_t tid;
	uint64_t at, context;      /* rb_thread_t, and where it ran last: a copy from the moment tells whether it was still there */
	struct lasting *chain;
};

struct ruby {
	const struct ruby_image *image;
	struct module *module;
	uint64_t bias;
	uint64_t vm;               /* rb_vm_t, or 0 */
	struct ruby_codes codes;
	struct ruby_thread *thread;
	uint32_t n, cap;
	uint32_t turn;             /* the next one to forget */
	struct allowance allowance;   /* for searches for threads */
	uint64_t searched, pause;  /* ns: the last time that a thread was not found, and until it is looked for again */
	uint64_t vm_searched;
	unsigned vm_tries;
	uint64_t tls;              /* how far from the thread pointer ruby_current_ec is: 0: not known */
	unsigned tls_tries;
	unsigned tls_missed;       /* samples in a row where it did not lead there */
	struct ruby_range core;    /* vm_exec_core, as linked */
};

enum { FRAMES = LANGUAGE_FRAMES - 1 };   /* and one for what is left out */

struct ruby_room {
	struct looks looks;
	uint64_t addr[LANGUAGE_FRAMES];    /* of the frames in the stack, */
	uint32_t group[LANGUAGE_FRAMES];   /* and which entry they belong to, from the innermost one */
	struct language_frame frame[LANGUAGE_FRAMES];
	uint32_t native[NATIVES];          /* frames of vm_exec_core */
};

/* Where a thread runs. */
struct ruby_context {
	uint64_t at, stack, end, frame;
};

/* The question for one sample. */
struct question {
	struct ruby *r;
	struct ruby_room *room;
	struct look *look;
	struct ruby_thread *thread;
	const struct moment *moment;
	struct language_stack *to;
	struct languages *languages;
	uint32_t groups, natives;
	uint32_t copied;           /* innermost frames that were copied at the moment */
	bool all_copied;
	bool counted;              /* the calls of vm_exec_core are known */
	bool broken;               /* the frames do not reach the end */
};

static void
begin(void *process, const void *found, struct module *m, uint64_t bias)
{
	struct ruby *r = process;

	r->image = r->codes.ids.image = found;
	r->module = m;
	r->bias = r->codes.ids.bias = bias;
	r->codes.grants = GRANTS_MOST;
}

static void
done(void *process)
{
	struct ruby *r = process;

	ruby_codes_free(&r->codes);
	vec_free(&r->thread, &r->cap, sizeof *r->thread);
}

/* ---- threads ---- */

static bool
is_thread(struct look *l, uint64_t thread, uint64_t vm)
{
	uint64_t of;

	return thread && thread % 8 == 0 && look_word(l, thread + RB_T_VM, &of) && of == vm;
}

static bool
is_vm(struct look *l, uint64_t vm)
{
	uint64_t thread;

	return vm && vm % 8 == 0 && look_word(l, vm + RB_VM_MAIN_THREAD, &thread) && is_thread(l, thread, vm);
}

/* A stripped file has no name for the variable. */
static bool
find_vm(struct ruby *r, struct look *l)
{
	struct allowance *all = languages_allowance(r->codes.languages);
	uint64_t time = l->moment->time, vm;

	if (r->vm && is_vm(l, r->vm))
		return true;
	r->vm = 0;
	if (r->image->vm) {
		if (look_word(l, r->image->vm + r->bias, &vm) && is_vm(l, vm))
			r->vm = vm;
		return r->vm;
	}
	if (r->vm_tries == VM_TRIES || (r->vm_tries && time - r->vm_searched < LOOK_AGAIN << r->vm_tries) || !allowance_spend(all, ALLOWANCE_MOST, time, 1))
		return false;
	r->vm_tries++;
	r->vm_searched = time;
	for (uint64_t at = r->image->bss.lo; at < r->image->bss.hi && at - r->image->bss.lo < VARIABLES_MOST && !r->vm; at += 8) {
		l->reads = READS;
		if (!look_word(l, at + r->bias, &vm))
			break;
		r->vm = is_vm(l, vm) ? vm : 0;
		if (!allowance_spend(all, ALLOWANCE_MOST, time, READS - l->reads + (at % VARIABLES_EACH == 0)))
			break;
	}
	return r->vm;
}

/* Where a thread runs; false if that is not on the C stack of the moment. */
static bool
read_context(const struct question *q, uint64_t context, struct ruby_context *c, uint64_t *far)
{
	struct look *l = q->look;
	const uint8_t *at = q->r->image->at, *o;
	uint64_t upto, size, words;

	c->at = context;
	if (c->at % 8 || !(o = look_at(l, c->at, at[RB_EC_STACK] + 24u)))
		return false;
	c->stack = look_u64(o + RB_EC_VM_STACK);
	words = look_u64(o + RB_EC_VM_SIZE);
	c->frame = look_u64(o + RB_EC_FRAME);
	upto = look_u64(o + at[RB_EC_STACK]);
	size = look_u64(o + at[RB_EC_STACK] + 16);
	*far = upto - q->moment->sp[0];
	c->end = c->stack + 8 * words;
	return words <= STACK_WORDS_MOST && c->stack % 8 == 0 && c->end >= c->stack && c->frame >= c->stack && c->frame <= c->end &&
	       *far < (size ? size : STACK_MOST) && *far < STACK_MOST;
}

static bool
read_thread(const struct question *q, uint64_t thread, struct ruby_context *c, uint64_t *far)
{
	uint64_t context;

	return is_thread(q->look, thread, q->r->vm) && look_word(q->look, thread + q->r->image->at[RB_T_EC], &context) &&
	       read_context(q, context, c, far);
}

/* Finds the thread by its C stack: the nearest one above sp. */
static bool
search(struct question *q, struct ruby_thread *t, struct ruby_context *to)
{
	struct ruby *r = q->r;
	struct ruby_context c;
	uint64_t first, at, far, best = UINT64_MAX;

	if (!find_vm(r, q->look) || !look_word(q->look, r->vm + RB_VM_MAIN_THREAD, &first))
		return false;
	at = first;
	for (unsigned i = 0; i < THREADS; i++) {
		q->look->reads = READS;
		if (read_thread(q, at, &c, &far) && far < best) {
			best = far;
			t->at = at;
			*to = c;
		}
		if (!look_word(q->look, at + RB_T_NEXT, &at) || at == first || !at)   /* one item of the list is no thread, but its head */
			break;
		if (!languages_may_search(q->languages, &r->allowance, q->moment->time, 1 + READS - q->look->reads))   /* a nearer one may be in the rest */
			return false;
	}
	return best != UINT64_MAX;
}

/* The place for a thread that was found under a new number: that of a thread that has ended, if its memory is used again. */
static struct ruby_thread *
place_for(struct ruby *r, const struct ruby_thread *found)
{
	uint32_t i = 0;

	while (i < r->n && (r->thread[i].at != found->at || !found->at))
		i++;
	if (i == r->n && i < THREADS) {
		if (!vec_room(&r->thread, &r->cap, (uint64_t)i + 1, sizeof *r->thread))
			return NULL;
		r->n++;
		r->thread[i].chain = NULL;
	}
	i = i == THREADS ? r->turn++ % THREADS : i;
	if (r->thread[i].chain)
		r->thread[i].chain->n = 0;
	return &r->thread[i];
}

/* Puts FOUND, which runs at C, in the place of the thread at number I, or in one for a new thread. */
static struct ruby_thread *
put_thread(struct ruby *r, uint32_t i, struct ruby_thread found, const struct ruby_context *c)
{
	struct ruby_thread *place = i < r->n ? &r->thread[i] : place_for(r, &found);

	if (!place)
		return NULL;
	found.context = c->at;
	found.chain = place->chain;
	*place = found;
	return place;
}

static struct ruby_thread *
thread_of(struct question *q, struct ruby_context *c)
{
	struct ruby *r = q->r;
	struct ruby_thread found = { .tid = q->moment->tid };
	uint64_t far, at = q->moment->at;
	uint32_t i = 0;

	while (i < r->n && r->thread[i].tid != found.tid)
		i++;
	if (at && (i == r->n || r->thread[i].context + RB_EC_FRAME != at) && look_is_copied(q->look, at, 8) && read_context(q, at - RB_EC_FRAME, c, &far)) {
		if (look_word(q->look, c->at + RB_EC_THREAD, &at) && is_thread(q->look, at, r->vm))
			found.at = at;
		else if (i < r->n)
			found.at = r->thread[i].at;
		return put_thread(r, i, found, c);
	}
	if (i < r->n && look_is_copied(q->look, r->thread[i].context + RB_EC_FRAME, 8) && read_context(q, r->thread[i].context, c, &far))
		return &r->thread[i];
	if (i < r->n && r->vm && read_thread(q, r->thread[i].at, c, &far)) {
		r->thread[i].context = c->at;
		return &r->thread[i];
	}
	if (q->moment->time - r->searched < r->pause)
		return NULL;
	if (!search(q, &found, c)) {   /* soon again: it may have just begun */
		r->searched = q->moment->time;
		r->pause = r->pause < LOOK_AGAIN / 2 ? r->pause * 2 + LOOK_SOON : LOOK_AGAIN;
		return NULL;
	}
	r->pause = 0;
	return put_thread(r, i, found, c);
}

/* Each thread has a variable of its own, ruby_current_ec, that points to where it runs.  The distance from the thread pointer is the same
 * in all threads of a process, if the library was there from the beginning.  prof looks for it in a thread that it has found already. */
static void
learn_tls(const struct question *q, const struct ruby_context *c)
{
	struct ruby *r = q->r;
	const uint64_t pointer = q->moment->pointer;
	uint64_t v;

	if (!pointer || pointer % 8)
		return;
	if (r->tls) {
		bool right = c->at + RB_EC_FRAME == q->moment->at || (look_word(q->look, pointer + r->tls, &v) && v == c->at);

		r->tls_missed = right ? 0 : r->tls_missed + 1;
		if (r->tls_missed < TLS_MISSES)
			return;
		r->tls = r->tls_missed = 0;
		r->tls_tries += TLS_MISSES;
	}
	if (r->tls_tries >= TLS_TRIES)
		return;
	r->tls_tries++;
	for (uint64_t off = 8; off <= TLS_MOST && look_word(q->look, pointer - off, &v); off += 8)
		if (v == c->at) {
			r->tls = -off;
			return;
		}
}

/* ---- the native stack ---- */

/* Learns vm_exec_core from an instruction of a function. */
static void
learn_core(struct question *q, const struct ruby_code *c)
{
	struct ruby *r = q->r;
	struct ruby_range core;
	uint64_t insn;
	bool found;

	if (r->core.hi || !c->size || !look_word(q->look, c->words, &insn))
		return;
	work_begin(&r->module->work);
	found = ehframe_start(r->image->modules, r->module, insn - r->bias, &core.lo, &core.hi);
	work_end();
	if (found && core.hi - core.lo >= CORE_LEAST)
		r->core = core;
}

static void
find_natives(struct question *q)
{
	const struct moment *m = q->moment;

	if (q->counted || !q->r->core.hi)
		return;
	q->counted = true;
	for (uint32_t i = 0; i < m->n && q->natives < NATIVES; i++) {
		const struct code *c = languages_native(q->languages, m->code[i]);

		if (m->sp[i] && c->module == q->r->module->id && c->vaddr >= q->r->core.lo && c->vaddr < q->r->core.hi)
			q->room->native[q->natives++] = i;
	}
}

/* ---- frames ---- */

/* The innermost function's place is in a register, if the interpreter itself was interrupted; else in memory. */
static uint64_t
place_of(const struct question *q, const struct ruby_code *c, uint64_t pc, bool innermost)
{
	const struct moment *m = q->moment;

	if (innermost && q->natives && !q->room->native[0])
		for (uint32_t i = 0; i < m->nreg; i++)
			if (m->reg[i] % 8 == 0 && m->reg[i] > c->words && m->reg[i] - c->words <= 8 * c->size)
				pc = m->reg[i];
	return pc > c->words ? (pc - c->words) / 8 - 1 : 0;
}

static void
push(struct question *q, uint64_t addr, uint32_t code)
{
	if (q->to->n < LANGUAGE_FRAMES && code != CODE_UNKNOWN) {
		q->room->addr[q->to->n] = addr;
		q->room->group[q->to->n] = q->groups;
		q->to->frame[q->to->n++] = (struct language_frame){ 0, code };
	}
}

/* A frame that was copied, but its function is gone: most files and class bodies run once.  False if it was not copied. */
static bool
push_doubt(struct question *q, uint64_t addr)
{
	if (!q->all_copied)
		return false;
	push(q, addr, languages_doubt(q->languages, &language_ruby));
	q->to->doubtful++;
	q->to->late = true;
	return true;
}

/* Reads the frame at ADDR; false if it is none. */
static bool
read_frame(struct question *q, uint64_t addr)
{
	const uint32_t size = q->r->image->at[RB_F_SIZE];
	const uint8_t *o = look_at(q->look, addr, size);
	uint64_t pc, iseq, ep, flags, at;
	const struct ruby_code *c;

	if (!o)
		return false;
	pc = look_u64(o + RB_F_PC);
	iseq = look_u64(o + RB_F_ISEQ);
	ep = look_u64(o + RB_F_EP);
	q->all_copied = q->all_copied && look_is_copied(q->look, addr, size) && look_is_copied(q->look, ep - 16, 24);
	if (ep % 8 || !look_word(q->look, ep, &flags) || !(flags & MAGIC_ONE))
		return false;
	switch (flags & MAGIC) {
	case CFUNC:
		c = look_word(q->look, ep - 16, &at) ? ruby_code_at(&q->r->codes, q->look, at, 0) : NULL;
		if (c && !c->size)
			push(q, addr, c->code);
		else if (!push_doubt(q, addr))
			return false;
		break;
	case IFUNC:
		break;
	case DUMMY:
		return true;
	default:
		c = ruby_code_at(&q->r->codes, q->look, iseq, ep);
		if (c && c->size)
			learn_core(q, c);
		find_natives(q);
		at = c && c->size ? place_of(q, c, pc, !q->to->n) : UINT64_MAX;
		if (at != UINT64_MAX && at <= c->size)
			push(q, addr, languages_place(q->languages, c->code, (uint32_t)at));
		else if (!push_doubt(q, addr))
			return false;
	}
	q->groups += (flags & FINISH) != 0;
	q->copied = q->all_copied ? q->to->n : q->copied;
	return true;
}

static void
read_frames(struct question *q, const struct ruby_context *c)
{
	const uint32_t size = q->r->image->at[RB_F_SIZE];
	uint64_t at = c->frame;

	q->broken = (c->end - c->frame) % size;
	for (; at + size <= c->end && !q->broken && q->to->n < FRAMES; at += size)
		q->broken = !read_frame(q, at);
	q->broken = q->broken || at + size <= c->end;
}

/* ---- what is sure ---- */

/* Which call runs a group, paired from the outermost one if the walk reached it, else from the innermost one; NATIVES if there is none.
 * The innermost entry may have just begun, without a call: BEGUN is 1. */
static uint32_t
call_of(const struct question *q, uint32_t group)
{
	uint32_t begun = !q->broken && q->groups > q->natives && q->moment->whole ? q->groups - q->natives : 0;
	uint32_t left = !q->broken && q->natives > q->groups ? q->natives - q->groups : 0;

	group = group < begun ? 0 : group - begun + left;
	return group < q->natives ? group : q->natives;
}

static void
put(struct question *q, uint32_t *n, uint32_t native, uint32_t code)
{
	if (*n < LANGUAGE_FRAMES)
		q->room->frame[(*n)++] = (struct language_frame){ q->moment->sp[native], code };
}

static void
hand_over(struct question *q, uint32_t n)
{
	q->to->n = n;
	__builtin_memcpy(q->to->frame, q->room->frame, n * sizeof *q->to->frame);
}

/* Whether a register points to the code of the innermost function, which the interpreter runs. */
static bool
innermost_is_sure(const struct question *q)
{
	const struct ruby_code *c;
	uint64_t iseq;

	return q->natives && !q->room->native[0] && q->to->n && look_word(q->look, q->room->addr[0] + RB_F_ISEQ, &iseq) &&
	       (c = ruby_code_at(&q->r->codes, q->look, iseq, 0)) && c->size && look_in_registers(q->look, c->words, c->words + 8 * c->size);
}

/* Whether the innermost native function is on the way from one Ruby function to the next. */
static bool
is_on_the_way(const struct question *q)
{
	return q->natives && q->room->native[0] && q->moment->sp[0] && languages_leads_on(q->languages, q->moment, q->moment->code[0], true);
}

/* Puts the group without a call in the place of the innermost native function, if that is on the way to the call.  Returns how many frames
 * the group has. */
static uint32_t
put_begun(struct question *q, uint32_t *n, uint32_t inner)
{
	bool here = is_on_the_way(q);
	uint32_t i = 0;

	if (q->broken || q->groups <= q->natives || !q->moment->whole)
		return 0;
	for (; i < inner && !q->room->group[i]; i++)
		if (here)
			put(q, n, 0, q->to->frame[i].code);
	return i;
}

/* Goes along the calls of vm_exec_core: first the INNER frames that are sure, then the OUTER ones. */
static void
settle(struct question *q)
{
	uint32_t n = 0, frames = q->to->n, i = 0, first;
	uint32_t outer = q->broken ? 0 : lasting_frames(&q->thread->chain, q->languages, q->room->addr, q->to->frame, frames);
	uint32_t differ = q->groups > q->natives ? q->groups - q->natives : q->natives - q->groups;
	bool fit = !q->broken && (differ <= 1 || (!q->moment->whole && q->natives < q->groups));
	uint32_t inner = fit || (q->broken && !is_on_the_way(q)) ? q->copied : 0;   /* else the innermost entry may have no call yet */
	bool doubt, met = false;

	if (fit && !differ && !inner && innermost_is_sure(q))
		inner = 1;
	outer = q->moment->whole ? outer : 0;   /* else nothing tells which calls these are */
	outer = inner + outer > frames ? frames - inner : outer;
	doubt = inner + outer < frames || !fit;
	q->to->doubtful += doubt && q->natives;
	first = frames - outer;
	i = put_begun(q, &n, inner);
	for (uint32_t k = 0; k < q->natives; k++) {
		for (; i < inner && call_of(q, q->room->group[i]) <= k; i++)
			put(q, &n, q->room->native[k], q->to->frame[i].code);
		if (i < inner)
			continue;
		i = i < first ? first : i;
		if (doubt && !met)
			put(q, &n, q->room->native[k], languages_doubt(q->languages, &language_ruby));
		for (; i < frames && call_of(q, q->room->group[i]) <= k; i++) {
			put(q, &n, q->room->native[k], q->to->frame[i].code);
			met = true;
		}
	}
	hand_over(q, n);
}

/* The thread's state is gone, as after the process's end: nothing tells what its calls ran. */
static void
doubt_all(struct question *q)
{
	uint32_t n = 0;

	find_natives(q);
	for (uint32_t k = 0; k < q->natives; k++)
		put(q, &n, q->room->native[k], languages_doubt(q->languages, &language_ruby));
	q->to->late = true;
	q->to->doubtful += n;
	hand_over(q, n);
}

static void
frames(void *process, struct languages *languages, const struct moment *m, struct language_stack *to)
{
	struct ruby *r = process;
	struct question q = { .r = r, .moment = m, .to = to, .languages = languages };
	struct ruby_context c;

	if (!(q.room = languages_room(languages, RUBY_ROOM, sizeof *q.room)))
		return;
	q.look = looks_of(&q.room->looks, m->space);
	r->codes.languages = languages;
	r->codes.grants += r->codes.grants < GRANTS_MOST ? GRANTS : 0;
	look_begin(q.look, m, READS);
	if (!(q.thread = thread_of(&q, &c))) {
		doubt_all(&q);
		return;
	}
	to->at = c.at + RB_EC_FRAME;
	to->then = c.stack;
	to->back = c.end;
	learn_tls(&q, &c);
	to->tls = r->tls;
	q.all_copied = look_is_copied(q.look, to->at, 8);
	to->late = !q.all_copied;
	read_frames(&q, &c);
	find_natives(&q);
	settle(&q);
}

const struct language language_ruby = {
	.name = "[ruby]", .title = "Ruby", .doubt = "[ruby?]", .find = ruby_image_find, .size = sizeof(struct ruby), .calls = true,
	.leads_on = ruby_glue, .nameless = ruby_glue_nameless, .begin = begin, .done = done, .frames = frames, .line_of = ruby_line,
};
