/* The walk.  Most frames need pc, sp and fp alone, so only these are carried along; where a frame description asks for
 * another register, the walk so far is done again with all of them.  Same stack, same frames either way. */
#include "unwind.h"

#include <string.h>

#include "rule.h"

enum {
	FRAMES_MAX = 1 << 16,     /* of one walk, most of them elided */
	SIGNALS_MAX = 64,
};

const char *const walk_end_words[WALK_ENDS] = {
	[WALK_ROOT] = "complete",
	[WALK_STACK_SHORT] = "stack deeper than the copy",
	[WALK_NO_RULE] = "code without unwind information",
	[WALK_NO_MODULE] = "a file that could not be opened",
	[WALK_NO_MAP] = "an address where no code is mapped",
	[WALK_BAD_RULE] = "unwind information that cannot be followed",
	[WALK_LOOP] = "frames that go round in circles",
	[WALK_DEEP] = "too many frames",
};

/* ---- codes, both ends of them ---- */

/* Where the root's end begins in a stack that is too deep; the code before it stands for what is left out. */
static uint32_t
root_end(const struct unwinder *u)
{
	return u->max_stack / 2 + 1;
}

static void
push_deep(const struct unwinder *u, struct walk *w, uint32_t code, uint32_t *ring)
{
	uint32_t keep = root_end(u), room = u->max_stack - keep;

	if (!w->elided)
		*ring = 0;
	w->elided = true;
	w->code[keep - 1] = CODE_ELIDED;
	if (!room)
		return;
	w->code[keep + *ring] = code;
	*ring = (*ring + 1) % room;
}

static inline void
push(const struct unwinder *u, struct walk *w, uint32_t code, uint32_t *ring)
{
	if (__builtin_expect(w->n < u->max_stack, 1))
		w->code[w->n++] = code;
	else
		push_deep(u, w, code, ring);
}

static void
reverse(uint32_t *code, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t t = code[i];

		code[i] = code[n - 1 - i];
		code[n - 1 - i] = t;
	}
}

/* The ring's codes in their order. */
static void
unroll(const struct unwinder *u, struct walk *w, uint32_t ring)
{
	uint32_t *code = w->code + root_end(u), n = u->max_stack - root_end(u);

	if (!w->elided)
		return;
	reverse(code, ring);
	reverse(code + ring, n - ring);
	reverse(code, n);
}

/* ---- steps that are not plain ---- */

static void
known_registers(const struct arch *a, const struct frame *f, struct regs *regs)
{
	regs->r[a->pc] = f->pc;
	regs->r[a->sp] = f->sp;
	regs->r[a->fp] = f->fp;
	regs->known = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp | (uint64_t)f->fp_known << a->fp;
}

static enum step
step_bare(struct job *j, const struct rule *r, struct frame *f)
{
	enum step step = STEP_NONE;

	if (j->u->mode == MODE_CFI)
		return STEP_NONE;
	if (r->kind == RULE_DERIVED)
		step = guess_derived(j, r, f);
	if (step == STEP_OK || step == STEP_OUTSIDE)
		return step;
	if ((step = guess_fp(j, f)) == STEP_NONE && j->u->mode == MODE_AUTO)
		step = guess_scan(j, f);
	return step == STEP_NONE && r->kind == RULE_ENDLESS && f->fp_known && !f->fp ? STEP_ROOT : step;
}

static enum step step_full(struct job *, const struct entry *, struct frame *, struct regs *);

/* All registers of the frame that is being stepped from, by walking there again from where they were known last. */
static bool
replay(struct job *j)
{
	struct frame f = j->full_frame;

	for (; j->full_at < j->at; j->full_at++) {
		struct entry *e = entry_find(j->u, j->space, frame_at(&f));
		struct entry copy;

		if (!e)
			return false;
		entry_rule(j->u, e);
		copy = *e;
		if (step_full(j, &copy, &f, &j->full))
			return false;
		j->full_frame = f;
	}
	return true;
}

/* All registers went along with that step to F. */
static enum step
now_full(struct job *j, const struct frame *f, enum step step)
{
	if (step == STEP_OK) {
		j->full_frame = *f;
		j->full_at = j->at + 1;
	}
	return step;
}

/* By a row, with just pc, sp and fp if that is enough. */
static enum step
step_general(struct job *j, const struct row *row, struct frame *f)
{
	struct regs few;
	enum step step;

	if (j->full_at != j->at) {
		known_registers(j->u->arch, f, &few);
		if ((step = step_row(j, row, &few, f, false)) != STEP_UNKNOWN)
			return step;
		if (!replay(j))
			return STEP_BAD;
		j->by = BY_CFI;
	}
	return now_full(j, f, step_row(j, row, &j->full, f, true));
}

/* The step out of code with that (copied) entry; F becomes the caller. */
static enum step
step_by(struct job *j, const struct entry *e, struct frame *f)
{
	const struct row *row;
	uint64_t vaddr;
	struct module *m;

	j->by = BY_CFI;
	switch (e->rule.kind) {
	case RULE_ROOT:
		return STEP_ROOT;
	case RULE_BAD:
		return STEP_BAD;
	case RULE_PLAIN:
		return step_plain(&e->rule, &j->memory, j->u->arch->addr_mask, f, &j->where);
	case RULE_GENERAL:
		m = entry_module(j->u, e, &vaddr);
		row = rule_row(j->u, m, vaddr);
		return row ? step_general(j, row, f) : STEP_BAD;
	case RULE_SIGRETURN:
		return now_full(j, f, step_sigreturn(j, &j->full, f));
	default:
		return step_bare(j, &e->rule, f);
	}
}

/* The same, taking all registers along; what has no row leaves pc, sp and fp alone. */
static enum step
step_full(struct job *j, const struct entry *e, struct frame *f, struct regs *regs)
{
	const struct row *row;
	uint64_t vaddr;
	struct module *m;
	enum step step;

	j->by = BY_CFI;
	if (e->rule.kind == RULE_PLAIN || e->rule.kind == RULE_GENERAL) {
		m = entry_module(j->u, e, &vaddr);
		row = rule_row(j->u, m, vaddr);
		return row ? step_row(j, row, regs, f, true) : STEP_BAD;
	}
	if (e->rule.kind == RULE_SIGRETURN)
		return step_sigreturn(j, regs, f);
	if (!(step = step_by(j, e, f)))
		known_registers(j->u->arch, f, regs);
	return step;
}

/* --call-graph fp: nothing else is looked at, but where it ends. */
static enum step
step_fp(struct job *j, const struct entry *e, struct frame *f)
{
	return e->rule.kind == RULE_ROOT ? STEP_ROOT : guess_fp(j, f);
}

static enum step
step_tested(struct job *j, const struct entry *e, struct frame *f)
{
	if (j->u->full_always) {
		if (!replay(j))
			return STEP_BAD;
		return now_full(j, f, step_full(j, e, f, &j->full));
	}
	return step_by(j, e, f);
}

static enum step
step_slow(struct job *j, struct entry *e, struct frame *f)
{
	struct entry copy;   /* what it stands in may be given to another address meanwhile */
	enum step step;

	entry_rule(j->u, e);
	copy = *e;
	j->flags = copy.rule.flags;
	step = j->u->mode == MODE_FP ? step_fp(j, &copy, f) : step_tested(j, &copy, f);
	if (!step && f->exact && ++j->signals > SIGNALS_MAX)
		step = STEP_STUCK;
	if (step == STEP_NONE && copy.rule.kind == RULE_LOST)
		j->lost = true;
	if (!step) {
		j->walk->by_cfi += j->by == BY_CFI;
		j->walk->by_fp += j->by == BY_FP;
		j->walk->by_guess += j->by == BY_GUESS;
	}
	return step;
}

static enum walk_end
end_of(const struct job *j, const struct frame *f, enum step step)
{
	switch (step) {
	case STEP_ROOT:
		return WALK_ROOT;
	case STEP_OUTSIDE:   /* below the copy there is no stack in use, but that of another stack */
		return j->where >= j->memory.lo || f->jumped ? WALK_STACK_SHORT : WALK_BAD_RULE;
	case STEP_STUCK:
		return WALK_LOOP;
	case STEP_NONE:
		return j->lost ? WALK_NO_MODULE : WALK_NO_RULE;
	default:
		return WALK_BAD_RULE;
	}
}

/* Goes on from F, whose code has been pushed already where it is AGAIN. */
static enum walk_end
walk_frames(struct job *j, struct frame *f, bool again)
{
	struct unwinder *u = j->u;
	struct walk *w = j->walk;
	const uint64_t mask = u->arch->addr_mask;
	const struct memory memory = j->memory;
	const bool quick = u->mode != MODE_FP && !u->full_always;
	enum step step;

	for (; j->at < FRAMES_MAX; j->at++, again = false) {
		struct entry *e = entry_find(u, j->space, frame_at(f));

		if (__builtin_expect(!e, 0)) {
			push(u, w, CODE_UNKNOWN, &j->ring);
			return WALK_NO_MAP;
		}
		if (__builtin_expect(!again, 1))
			push(u, w, e->code, &j->ring);
		if (__builtin_expect(e->rule.kind == RULE_PLAIN && quick, 1)) {
			step = step_plain(&e->rule, &memory, mask, f, &j->where);
			w->by_cfi += !step;
			j->flags = e->rule.flags;
			j->by = BY_CFI;
		} else
			step = step_slow(j, e, f);
		if (__builtin_expect(step != STEP_OK, 0))
			return end_of(j, f, step);
		if (__builtin_expect(!f->pc, 0))
			return WALK_ROOT;
	}
	return WALK_DEEP;
}

/* ---- the kernel's own chain ---- */

/* The link of the frame-pointer chain, as the kernel followed it, that is the frame with that fp: the caller's return
 * address is the chain's next one.  0 where it is none. */
static uint32_t
chain_link(const struct job *j, uint64_t leaf_fp, uint64_t fp, uint32_t n)
{
	const struct arch *a = j->u->arch;
	uint64_t at = leaf_fp, next;

	for (uint32_t i = 0; i + 1 < n; i++, at = next) {
		if (at == fp)
			return i + 1;
		if (!memory_word(&j->memory, at + (uint64_t)(int64_t)a->rec_fp, &next) || next <= at)
			break;
	}
	return 0;
}

static bool
keeps_fp(const struct rule *r)
{
	return r->flags & RULE_KEEPS_FP || r->kind == RULE_JIT || r->kind == RULE_BARE || r->kind == RULE_LOST;
}

/* Goes on by the chain from I on, as far as it leads through code that keeps frame pointers. */
static enum walk_end
splice(struct job *j, const uint64_t *chain, uint32_t i, uint32_t n)
{
#ifdef PLANT_UNWIND_CHAIN
	n++;
#endif
	for (; i < n; i++) {
		struct entry *e = entry_probe(j->u, j->space, chain[i] - 1);

		if (!e)
			break;
		entry_rule(j->u, e);
		push(j->u, j->walk, e->code, &j->ring);
		j->walk->by_chain++;
		if (e->rule.kind == RULE_ROOT)
			return WALK_ROOT;
		if (!keeps_fp(&e->rule))
			break;
	}
	return WALK_STACK_SHORT;
}

static void
begin(struct walk *w)
{
	w->n = 0;
	w->elided = w->joined = w->fp_at_cut = false;
	w->used = 0;
	w->by_cfi = w->by_fp = w->by_chain = w->by_guess = 0;
}

static struct memory
memory_of(const struct stack *s, unsigned word)
{
	return (struct memory){ s->bytes, s->lo, s->size >= word ? s->size - word + 1 : 0, word };
}

/* Where the copy ended too early, and a longer one can be had: the walk goes on in that. */
static enum walk_end
walk_longer(struct job *j, struct frame *f, const struct stack *stack, enum walk_end end)
{
	struct stack more = *stack;

	if (end != WALK_STACK_SHORT || f->jumped || !stack->longer || !stack->longer(stack->ctx, &more, f->sp))
		return end;
	j->walk->joined = true;
	j->memory = memory_of(&more, j->u->arch->word);
	return walk_frames(j, f, true);
}

void
unwind(struct unwinder *u, struct space *space, const struct regs *regs, const struct stack *stack,
       const uint64_t *chain, uint32_t nchain, struct walk *w)
{
	const struct arch *a = u->arch;
	struct frame f = { .pc = regs->r[a->pc] & a->addr_mask, .sp = regs->r[a->sp], .fp = regs->r[a->fp],
	                   .fp_known = regs->known >> a->fp & 1, .exact = true };
	struct job j;
	uint32_t link;

	j.u = u;
	j.space = space;
	j.memory = memory_of(stack, a->word);
	j.walk = w;
	j.full = *regs;
	j.full_frame = f;
	j.full_at = 0;
	j.where = 0;
	j.signals = 0;
	j.ring = 0;
	j.lost = false;
	j.at = 0;
	begin(w);
	w->end = walk_longer(&j, &f, stack, walk_frames(&j, &f, false));
	if (f.sp > stack->lo)
		w->used = f.sp - stack->lo < stack->size ? f.sp - stack->lo : stack->size;
	if (w->end == WALK_STACK_SHORT) {
		if (j.where > stack->lo)
			w->used = j.where - stack->lo + a->word;
		w->fp_at_cut = f.fp_known && (j.by == BY_FP || j.flags & RULE_KEEPS_FP);
		if (w->fp_at_cut && chain && (link = chain_link(&j, regs->r[a->fp], f.fp, nchain)))
			w->end = splice(&j, chain, link, nchain);
	}
	unroll(u, w, j.ring);
}

void
unwind_chain(struct unwinder *u, struct space *space, const uint64_t *chain, uint32_t nchain, struct walk *w)
{
	uint32_t ring = 0;

	begin(w);
	w->end = WALK_NO_RULE;
	for (uint32_t i = 0; i < nchain && i < FRAMES_MAX; i++) {
		struct entry *e = entry_find(u, space, chain[i] - (i > 0));

		if (!e) {
			push(u, w, CODE_UNKNOWN, &ring);
			w->end = WALK_NO_MAP;
			break;
		}
		entry_rule(u, e);
		push(u, w, e->code, &ring);
		w->by_chain += i > 0;
		if (e->rule.kind == RULE_ROOT) {
			w->end = WALK_ROOT;
			break;
		}
	}
	unroll(u, w, ring);
}

uint32_t
unwind_code(struct unwinder *u, struct space *space, uint64_t pc)
{
	struct entry *e = entry_find(u, space, pc);

	return e ? e->code : CODE_UNKNOWN;
}

/* ---- life ---- */

struct unwinder *
unwinder_new(const struct arch *arch, struct modules *modules, struct codes *codes, enum walk_mode mode,
             uint32_t max_stack)
{
	struct arena arena = { 0 };
	struct unwinder *u = arena_alloc(&arena, sizeof *u);
	char *sets = u ? arena_alloc(&arena, (sizeof(struct set) << SETS_LOG) + sizeof(struct set)) : NULL;

	if (!sets || !(u->rows = arena_alloc(&arena, ROWS * sizeof *u->rows))) {
		arena_free(&arena);
		return NULL;
	}
	sets += -(uintptr_t)sets % sizeof(struct set);   /* a set to a cache line */
	u->set = (void *)sets;
	u->arena = arena;
	u->arch = arch;
	u->modules = modules;
	u->codes = codes;
	u->mode = mode;
	u->max_stack = max_stack < 2 ? 2 : max_stack > STACK_MAX ? STACK_MAX : max_stack;
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	struct arena arena = u->arena;

	vec_free(&u->rule, &u->rules, sizeof *u->rule);
	arena_free(&arena);
}
