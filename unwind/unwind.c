/* The walk.  Most frames need pc, sp and fp alone, so only these are carried along; where a frame description asks for
 * another register, the walk so far is done again with all of them.  Same stack, same frames either way. */
#include "unwind.h"

#include "rule.h"

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

enum { STACK_REGION = 20 };   /* log2: a stack's own share of addresses, more or less */

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

/* Asks for what the last walk of this stack read, in the order in which it will be wanted. */
static struct trail *
follow_trail(const struct unwinder *u, const struct space *space, const struct memory *m)
{
	struct trail *t = &u->trail[hash_u64((m->lo >> STACK_REGION) + ((uint64_t)space->epoch << 32)) % TRAILS];
	uint32_t n = t->n < TRAIL_MAX ? t->n : TRAIL_MAX;

	for (uint32_t i = t->n - n; i < t->n; i++) {
		uint64_t off = t->slot[i % TRAIL_MAX] - m->lo;

		if (off < m->room) {
			__builtin_prefetch(m->bytes + off);
			__builtin_prefetch(t->entry[i % TRAIL_MAX]);
		}
	}
	t->n = 0;
	return t;
}

static enum walk_end
walk_frames(struct job *j, struct frame *f)
{
	struct unwinder *u = j->u;
	struct walk *w = j->walk;
	const uint64_t mask = u->arch->addr_mask;
	const struct memory memory = j->memory;
	const bool quick = u->mode != MODE_FP && !u->full_always;
	struct trail *trail = follow_trail(u, j->space, &memory);
	enum step step;

	for (; j->at < FRAMES_MAX; j->at++) {
		struct entry *e = entry_find(u, j->space, frame_at(f));

		if (__builtin_expect(!e, 0)) {
			walk_push(u, w, CODE_UNKNOWN, &j->ring);
			return WALK_NO_MAP;
		}
		walk_push(u, w, e->code, &j->ring);
		if (__builtin_expect(e->rule.kind == RULE_PLAIN && quick, 1)) {
			trail->entry[trail->n % TRAIL_MAX] = e;
			step = step_plain(&e->rule, &memory, mask, f, &j->where);
			trail->slot[trail->n++ % TRAIL_MAX] = f->sp + (uint64_t)(int64_t)e->rule.ra_off;
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

static struct memory
memory_of(const struct stack *s, unsigned word)
{
	return (struct memory){ s->bytes, s->lo, s->size >= word ? s->size - word + 1 : 0, word };
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

	u->space = space;
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
	walk_begin(w);
	w->end = walk_frames(&j, &f);
	if (f.sp > stack->lo)
		w->used = f.sp - stack->lo < stack->size ? f.sp - stack->lo : stack->size;
	if (w->end == WALK_STACK_SHORT) {
		if (j.where > stack->lo)
			w->used = j.where - stack->lo + a->word;
		w->fp_at_cut = f.fp_known && (j.by == BY_FP || j.flags & RULE_KEEPS_FP);
		if (w->fp_at_cut && chain && (link = chain_link(&j, regs->r[a->fp], f.fp, nchain)))
			w->end = chain_splice(&j, chain, link, nchain);
	}
	walk_unroll(u, w, j.ring);
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

	if (!sets || !(u->rows = arena_alloc(&arena, ROWS * sizeof *u->rows)) ||
	    !(u->trail = arena_alloc(&arena, TRAILS * sizeof *u->trail))) {
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
