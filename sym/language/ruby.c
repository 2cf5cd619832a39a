/* CRuby 3.1 and 3.3.  A thread (or a fiber) has a stack of Ruby's own beside its C stack: values at its lower end, and an array of control
 * frames, the outermost one at its upper end.  A frame that the interpreter was entered with is marked as finishing.  Each entry is one
 * call of vm_exec_core in the C stack; so entries and calls are paired, counted from the outermost one.  vm_exec_core needs no symbol: the
 * first word of a function's code is an address in it.
 *
 * As for Python, what was not copied at the moment of the sample is sure only if it stays (lasting.h), or if a register points to the
 * code of the innermost function.  The rest is [ruby?]. */
#include "languages.h"

#include "calls.h"
#include "ruby_code.h"
#include "ruby_glue.h"
#include "ruby_lines.h"
#include "sym/module/ehframe.h"

enum {
	READS = 256,               /* pieces of memory that one sample may read */
	GRANTS = 4, GRANTS_MOST = 256,   /* functions that each sample may read more for, and those before it have left for it */
	THREADS = 4096, VM_TRIES = 8, VARIABLES_MOST = 1 << 18 /* bytes */, VARIABLES_EACH = 128,
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

/* Where a thread runs. */
struct ruby_context {
	uint64_t at, stack, end, frame;
};

/* The question for one sample. */
struct question {
	struct ruby *r;
	struct ruby_thread *thread;
	struct calls c;
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
	struct look *l = q->c.look;
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
	*far = upto - q->c.moment->sp[0];
	c->end = c->stack + 8 * words;
	return words <= STACK_WORDS_MOST && c->stack % 8 == 0 && c->end >= c->stack && c->frame >= c->stack && c->frame <= c->end &&
	       *far < (size ? size : STACK_MOST) && *far < STACK_MOST;
}

static bool
read_thread(const struct question *q, uint64_t thread, struct ruby_context *c, uint64_t *far)
{
	uint64_t context;

	return is_thread(q->c.look, thread, q->r->vm) && look_word(q->c.look, thread + q->r->image->at[RB_T_EC], &context) &&
	       read_context(q, context, c, far);
}

/* Finds the thread by its C stack: the nearest one above sp. */
static bool
search(struct question *q, struct ruby_thread *t, struct ruby_context *to)
{
	struct ruby *r = q->r;
	struct ruby_context c;
	uint64_t first, at, far, best = UINT64_MAX;

	if (!find_vm(r, q->c.look) || !look_word(q->c.look, r->vm + RB_VM_MAIN_THREAD, &first))
		return false;
	at = first;
	for (unsigned i = 0; i < THREADS; i++) {
		q->c.look->reads = READS;
		if (read_thread(q, at, &c, &far) && far < best) {
			best = far;
			t->at = at;
			*to = c;
		}
		if (!look_word(q->c.look, at + RB_T_NEXT, &at) || at == first || !at)   /* one item of the list is no thread, but its head */
			break;
		if (!languages_may_search(q->c.languages, &r->allowance, q->c.moment->time, 1 + READS - q->c.look->reads))   /* a nearer one may be in the rest */
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
	struct ruby_thread found = { .tid = q->c.moment->tid };
	uint64_t far, at = q->c.moment->at;
	uint32_t i = 0;

	while (i < r->n && r->thread[i].tid != found.tid)
		i++;
	if (at && (i == r->n || r->thread[i].context + RB_EC_FRAME != at) && look_is_copied(q->c.look, at, 8) && read_context(q, at - RB_EC_FRAME, c, &far)) {
		if (look_word(q->c.look, c->at + RB_EC_THREAD, &at) && is_thread(q->c.look, at, r->vm))
			found.at = at;
		else if (i < r->n)
			found.at = r->thread[i].at;
		return put_thread(r, i, found, c);
	}
	if (i < r->n && look_is_copied(q->c.look, r->thread[i].context + RB_EC_FRAME, 8) && read_context(q, r->thread[i].context, c, &far))
		return &r->thread[i];
	if (i < r->n && r->vm && read_thread(q, r->thread[i].at, c, &far)) {
		r->thread[i].context = c->at;
		return &r->thread[i];
	}
	if (q->c.moment->time - r->searched < r->pause)
		return NULL;
	if (!search(q, &found, c)) {   /* soon again: it may have just begun */
		r->searched = q->c.moment->time;
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
	const uint64_t pointer = q->c.moment->pointer;
	uint64_t v;

	if (!pointer || pointer % 8)
		return;
	if (r->tls) {
		bool right = c->at + RB_EC_FRAME == q->c.moment->at || (look_word(q->c.look, pointer + r->tls, &v) && v == c->at);

		r->tls_missed = right ? 0 : r->tls_missed + 1;
		if (r->tls_missed < TLS_MISSES)
			return;
		r->tls = r->tls_missed = 0;
		r->tls_tries += TLS_MISSES;
	}
	if (r->tls_tries >= TLS_TRIES)
		return;
	r->tls_tries++;
	for (uint64_t off = 8; off <= TLS_MOST && look_word(q->c.look, pointer - off, &v); off += 8)
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

	if (r->core.hi || !c->size || !look_word(q->c.look, c->words, &insn))
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
	if (q->r->core.hi)
		calls_find(&q->c, q->r->module, q->r->core.lo, q->r->core.hi);
}

/* ---- frames ---- */

/* The innermost function's place is in a register, if the interpreter itself was interrupted; else in memory. */
static uint64_t
place_of(const struct question *q, const struct ruby_code *c, uint64_t pc, bool innermost)
{
	const struct moment *m = q->c.moment;

	if (innermost && calls_innermost(&q->c))
		for (uint32_t i = 0; i < m->nreg; i++)
			if (m->reg[i] % 8 == 0 && m->reg[i] > c->words && m->reg[i] - c->words <= 8 * c->size)
				pc = m->reg[i];
	return pc > c->words ? (pc - c->words) / 8 - 1 : 0;
}

/* Reads the frame at ADDR; false if it is none. */
static bool
read_frame(struct question *q, uint64_t addr)
{
	const uint32_t size = q->r->image->at[RB_F_SIZE];
	const uint8_t *o = look_at(q->c.look, addr, size);
	uint64_t pc, iseq, ep, flags, at;
	const struct ruby_code *c;

	if (!o)
		return false;
	pc = look_u64(o + RB_F_PC);
	iseq = look_u64(o + RB_F_ISEQ);
	ep = look_u64(o + RB_F_EP);
	q->c.all_copied = q->c.all_copied && look_is_copied(q->c.look, addr, size) && look_is_copied(q->c.look, ep - 16, 24);
	if (ep % 8 || !look_word(q->c.look, ep, &flags) || !(flags & MAGIC_ONE))
		return false;
	switch (flags & MAGIC) {
	case CFUNC:
		c = look_word(q->c.look, ep - 16, &at) ? ruby_code_at(&q->r->codes, q->c.look, at, 0) : NULL;
		if (c && !c->size)
			calls_push(&q->c, addr, c->code);
		else if (!calls_push_doubt(&q->c, addr))
			return false;
		break;
	case IFUNC:
		break;
	case DUMMY:
		return true;
	default:
		c = ruby_code_at(&q->r->codes, q->c.look, iseq, ep);
		if (c && c->size)
			learn_core(q, c);
		find_natives(q);
		at = c && c->size ? place_of(q, c, pc, !q->c.to->n) : UINT64_MAX;
		if (at != UINT64_MAX && at <= c->size)
			calls_push(&q->c, addr, languages_place(q->c.languages, c->code, (uint32_t)at));
		else if (!calls_push_doubt(&q->c, addr))
			return false;
	}
	calls_framed(&q->c, flags & FINISH);
	return true;
}

static void
read_frames(struct question *q, const struct ruby_context *c)
{
	const uint32_t size = q->r->image->at[RB_F_SIZE];
	uint64_t at = c->frame;

	q->c.broken = (c->end - c->frame) % size;
	for (; at + size <= c->end && !q->c.broken && q->c.to->n < CALLS_FRAMES; at += size)
		q->c.broken = !read_frame(q, at);
	q->c.broken = q->c.broken || at + size <= c->end;
}

/* Whether a register points to the code of the innermost function, which the interpreter runs. */
static bool
innermost_is_sure(const void *question)
{
	const struct question *q = question;
	const struct ruby_code *c;
	uint64_t iseq;

	return look_word(q->c.look, q->c.room->addr[0] + RB_F_ISEQ, &iseq) && (c = ruby_code_at(&q->r->codes, q->c.look, iseq, 0)) && c->size &&
	       look_in_registers(q->c.look, c->words, c->words + 8 * c->size);
}

static void
frames(void *process, struct languages *languages, const struct moment *m, struct language_stack *to)
{
	struct ruby *r = process;
	struct question q = { .r = r };
	struct ruby_context c;

	if (!calls_begin(&q.c, &language_ruby, languages, m, to, READS))
		return;
	r->codes.languages = languages;
	r->codes.grants += r->codes.grants < GRANTS_MOST ? GRANTS : 0;
	if (!(q.thread = thread_of(&q, &c))) {
		find_natives(&q);
		calls_doubt(&q.c);
		return;
	}
	q.c.chain = &q.thread->chain;
	to->at = c.at + RB_EC_FRAME;
	to->then = c.stack;
	to->back = c.end;
	learn_tls(&q, &c);
	to->tls = r->tls;
	q.c.all_copied = look_is_copied(q.c.look, to->at, 8);
	to->late = !q.c.all_copied;
	read_frames(&q, &c);
	find_natives(&q);
	calls_settle(&q.c, innermost_is_sure, &q);
}

const struct language language_ruby = {
	.name = "[ruby]", .title = "Ruby", .doubt = "[ruby?]", .find = ruby_image_find, .size = sizeof(struct ruby), .calls = true,
	.leads_on = ruby_glue, .nameless = ruby_glue_nameless, .begin = begin, .done = done, .frames = frames, .line_of = ruby_line,
};
