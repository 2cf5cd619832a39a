/* The walk: from a thread's registers and a copy of its stack to the codes of its frames, leaf first.
 *
 * A walk carries pc, sp and fp from frame to frame: most steps need no more.  For each frame the cache of entries (entry.h)
 * tells which code is at pc, and the rule for the step out of it.  A plain rule tells where the caller's sp, the return address
 * and the saved fp are, counted from sp or fp.  Such a step reads two words of the stack.  This file does it, in line.
 *
 * All other steps are step_slow's (slow.h): by a rule that is not known yet, by a frame description that asks for other
 * registers, out of code that nothing describes, out of signal frames.  If a step needs another register, prof does the walk so
 * far again with all of them.  The same stack gives the same frames either way: tests compare the two.
 *
 * A thread's stacks are alike: most often the next one differs in its innermost frames alone.  So a walk leaves a trail, the
 * words that its steps have read.  The next walk follows it from the first frame that is the same, as long as these words are.
 *
 * A walk ends at a root, and only then is its stack complete; else it tells why it ended (enum walk_end).  Where the copy of the
 * stack ends in code that keeps frame pointers, it goes on by the kernel's own chain (chain.h). */
#include "unwind.h"

#include <string.h>

#include "chain.h"
#include "conventions.h"
#include "entry.h"
#include "rule.h"
#include "slow.h"

const char *const walk_end_words[WALK_ENDS] = {
	[WALK_ROOT] = "complete",
	[WALK_STACK_SHORT] = "stack deeper than the copy",
	[WALK_NO_RULE] = "code without unwind information",
	[WALK_NO_MODULE] = "a file that prof could not open",
	[WALK_NO_MAP] = "an address without mapped code",
	[WALK_BAD_RULE] = "unwind information that prof cannot follow",
	[WALK_LOOP] = "frames that repeat in a circle",
	[WALK_DEEP] = "too many frames",
	[WALK_UNSURE] = "records of what the process mapped are lost",
};

enum {
	STACK_REGION = 20,        /* log2: a stack's own share of addresses, more or less */
	FRAME_MOST = 6 << 20,     /* what lies further up is on another stack; */
	LOWEST = 4096,            /* no code lies below it */
	NESTED = 3,               /* pieces of such code that call each other by way of C, beneath the innermost one */
	SIGNAL_MOST = 16 << 10,   /* for code that a signal interrupted, this distance is enough */
	ROOT_MOST = 1 << 20,      /* a frame so far below a thread's outermost one is on its stack */
};

static enum walk_end
end_of(const struct job *j, const struct frame *f, enum step step)
{
	switch (step) {
	case STEP_ROOT:
		return WALK_ROOT;
	case STEP_OUTSIDE:   /* below the copy no stack is in use, except another one */
		return j->where >= j->memory.lo || f->jumped ? WALK_STACK_SHORT : WALK_BAD_RULE;
	case STEP_STUCK:
		return WALK_LOOP;
	case STEP_NONE:
		return j->lost ? WALK_NO_MODULE : WALK_NO_RULE;
	default:
		return WALK_BAD_RULE;
	}
}

/* ---- the trail ---- */

/* The steps of the last walk of a stack.  The next walk is mostly the same, except for its innermost frames.  If one frame is
 * the same, and each word that the steps behind it have read is the same, then all frames further out are the same.  These
 * reads depend on the trail alone, so they wait for memory together, and not one after another. */
enum { TRAILS = 16, TRAIL_MAX = 128 };

struct footstep {
	uint64_t pc, sp, fp;           /* at the beginning of a step by a plain rule; it ends where the next begins */
	uint32_t code;
	int16_t ra_off, fp_off;        /* where it read, counted from the next one's sp */
	bool fp_known, fp_read;
	uint8_t flags;                 /* of its rule */
	uint16_t by;                   /* tables: 0; else STEP_BY_*, so that a sum counts both */
};

enum { STEP_BY_FP = 1, STEP_BY_CODE = 2 * TRAIL_MAX };

struct trail {
	uint32_t epoch;                /* of the space */
	uint32_t n, side;
	struct footstep step[2][TRAIL_MAX];   /* those of the last walk, and those of this walk; the last one only marks the end */
};

/* The trail of the last walk, and the one of this walk. */
struct tracks {
	struct trail *trail;
	const struct footstep *old, *end;   /* where to look in the old trail; END is its last step */
	struct footstep *new;
	uint32_t n;
};

static void
tracks_begin(struct tracks *t, const struct unwinder *u, const struct space *space, uint64_t sp)
{
	struct trail *trail = &u->trail[hash_u64((sp >> STACK_REGION) + ((uint64_t)space->epoch << 32)) % TRAILS];

	t->trail = trail;
	t->old = trail->step[trail->side];
	t->end = trail->epoch == space->epoch && trail->n ? t->old + trail->n - 1 : t->old;
	t->new = trail->step[!trail->side];
	t->n = 0;
	trail->epoch = space->epoch;
}

/* The walk is over: F is where no plain step leads on. */
static void
tracks_end(struct tracks *t, const struct frame *f)
{
	t->new[t->n] = (struct footstep){ .pc = f->pc, .sp = f->sp, .fp = f->fp, .fp_known = f->fp_known };
	t->trail->n = t->n + 1;
	t->trail->side ^= 1;
}

/* Notes a plain step by R from FROM to F. */
static inline void
tracks_add(struct tracks *t, const struct frame *from, uint32_t code, const struct rule *r, unsigned by, const struct frame *f,
           const struct memory *m)
{
	bool fp_same = r->flags & (RULE_FP_SAME | RULE_FP_LOST), fp_read = memory_has(m, f->sp + (uint64_t)(int64_t)r->fp_off);

	if (from->exact || from->jumped || !(fp_same || fp_read)) {
		t->n = 0;
		return;
	}
	if (t->n == TRAIL_MAX - 1)   /* the outermost steps stay */
		t->n = 0;
	t->new[t->n++] = (struct footstep){ from->pc, from->sp, from->fp, code, r->ra_off, r->fp_off, from->fp_known,
		                            !fp_same, r->flags, (uint16_t)by };
}

static inline bool
same_word(const struct memory *m, uint64_t addr, uint64_t mask, uint64_t v)
{
	uint64_t word;

	return memory_word(m, addr, &word) && (word & mask) == v;
}

/* Whether F stands on the old trail; then goes along it as far as it still holds, and returns how many steps. */
static uint32_t
tracks_follow(struct tracks *t, struct job *j, struct frame *f)
{
	const uint64_t mask = j->u->mask;
	const struct memory memory = j->memory;
	const struct footstep *s = t->old, *next;
	uint32_t n, by = 0;

	while (s < t->end && s->sp < f->sp)
		s++;
	t->old = s;
	if (s == t->end || s->sp != f->sp || s->pc != f->pc || s->fp_known != f->fp_known || (s->fp_known && s->fp != f->fp) ||
	    f->exact || f->jumped)
		return 0;
	for (n = 0; s < t->end; s = next, n++) {
		next = s + 1;
		if (!same_word(&memory, next->sp + (uint64_t)(int64_t)s->ra_off, mask, next->pc) ||
		    (s->fp_read && !same_word(&memory, next->sp + (uint64_t)(int64_t)s->fp_off, UINT64_MAX, next->fp)))
			break;
		walk_push(j->u, j->walk, s->code, s->sp, &j->ring);
		if (t->n == TRAIL_MAX - 1)
			t->n = 0;
		t->new[t->n++] = *s;
		by += s->by;
	}
	t->old = s < t->end ? s + 1 : s;
	if (!n)
		return 0;
	*f = (struct frame){ .pc = s->pc, .sp = s->sp, .fp = s->fp, .fp_known = s->fp_known };
	j->flags = s[-1].flags;
	j->by = !s[-1].by ? BY_CFI : s[-1].by == STEP_BY_FP ? BY_FP : BY_CODE;
	j->walk->by_fp += by % STEP_BY_CODE;
	j->walk->by_code += by / STEP_BY_CODE;
	j->walk->by_cfi += n - by % STEP_BY_CODE - by / STEP_BY_CODE;
	return n;
}

/* Whether the walk has only been in the vdso, which always has a caller.  Then a stack without a caller is not the thread's any more:
 * a vfork's child gives it back to its parent while it is still in its last system call, and the parent writes on it. */
static bool
is_only_in_vdso(const struct job *j)
{
	const struct unwinder *u = j->u;
	const struct module *m = j->at == 1 && j->walk->n == 1 ? u->code.modules->module[u->codes->code[j->walk->code[0]].module] : NULL;

	return m && m->kind == MODULE_IMAGE && strcmp(m->name, "[vdso]") == 0;
}

/* Whether a signal's frame is at sp and the frame of this pc is elsewhere, so that what is read from there is no return address; zeros would
 * look like the end of a stack.  While the kernel makes the signal's frame (x86), pc is not yet the handler's, and the trampoline's address
 * lies at sp.  While it takes the registers from there again (riscv64), pc is the first one. */
static bool
is_torn(struct job *j, const struct regs *regs)
{
	const struct arch *a = j->u->code.arch;
	uint64_t word, at = j->memory.lo;
	struct entry *e = memory_word(&j->memory, at, &word) ? entry_probe(j->u, j->space, word - 1) : NULL;

	for (unsigned i = 0; i < a->nsigregs; i++)
		if (a->sigregs[i].reg == a->pc && memory_word(&j->memory, at + a->sigregs[i].sp_off, &word) && word == regs->r[a->pc])
			return true;
	if (!e || e == &j->u->spare)
		return false;
	entry_rule(j->u, e);
	return e->rule.kind == RULE_SIGRETURN;
}

/* Notes that the walk goes on at SP, or would, from a frame with sp LEFT; MOST: what lies further up is on another stack. */
static void
note_stack(struct walk *w, uint64_t left, uint64_t sp, uint64_t most)
{
	if (sp - left <= most || w->stacks == WALK_STACKS)
		return;
	w->stack[w->stacks - 1].end = left;
	w->stack[w->stacks++].sp = sp;
}

static enum walk_end
walk_frames(struct job *j, struct frame *f)
{
	struct unwinder *u = j->u;
	struct walk *w = j->walk;
	const uint64_t mask = u->mask;
	const struct memory memory = j->memory;
	const bool quick = u->mode != MODE_FP && !u->full_always;
	struct tracks tracks = { .n = 0 };
	enum walk_end end = WALK_DEEP;
	enum step step;

	if (quick)
		tracks_begin(&tracks, u, j->space, f->sp);
	for (; j->at < FRAMES_MAX; j->at++) {
		const struct rule *rule;
		struct frame from;
		struct entry *e;
		uint32_t code;

		if (quick)
			j->at += tracks_follow(&tracks, j, f);
		if (__builtin_expect(!f->pc && j->at && !f->exact, 0)) {   /* (code that a signal interrupted has an address) */
			end = is_only_in_vdso(j) ? WALK_BAD_RULE : WALK_ROOT;
			break;
		}
		if (__builtin_expect(!(e = entry_find(u, j->space, frame_at(f))) && !(e = step_again(j, f)), 0)) {
			if (f->exact || f->pc >= LOWEST)   /* else nothing could have called */
				walk_push(u, w, CODE_UNKNOWN, f->sp, &j->ring);
			end = WALK_NO_MAP;
			break;
		}
		walk_push(u, w, code = e->code, f->sp, &j->ring);
		from = *f;
		if (__builtin_expect(e->rule.kind == RULE_PLAIN && quick, 1)) {
			step = step_plain(rule = &e->rule, &memory, mask, f, &j->where);
			w->by_cfi += !step;
			j->flags = rule->flags;
			j->by = BY_CFI;
		} else {
			step = step_slow(j, e, f);
			rule = &j->derived;
			if (!step)
				note_stack(w, from.sp, f->sp, f->exact ? SIGNAL_MOST : FRAME_MOST);
		}
		if (__builtin_expect(step != STEP_OK, 0)) {
			end = end_of(j, f, step);
			break;
		}
		if (quick && rule->kind)
			tracks_add(&tracks, &from, code, rule, j->by == BY_CFI ? 0 : j->by == BY_FP ? STEP_BY_FP : STEP_BY_CODE, f, &memory);
		else
			tracks.n = 0;
	}
	if (quick)
		tracks_end(&tracks, f);
	return end;
}

static struct thread_root *
root_of(struct unwinder *u, int32_t tid)
{
	return &u->root[(uint32_t)tid % ROOTS];
}

/* The walk has ended at F, at the thread's outermost function; or only because the return address is 0, as coroutines begin.  But on the
 * stack of a thread whose outermost function lies further up, that is a word that a wrong rule has found. */
static enum walk_end
check_root(struct unwinder *u, struct space *space, int32_t tid, const struct frame *f)
{
	struct thread_root *r = root_of(u, tid);
	struct entry *e;

	if (f->pc && (e = entry_find(u, space, f->pc - 1)) && entry_after_call(u, e))   /* not makecontext's */
		*r = (struct thread_root){ f->sp, tid, space->epoch };
	return !f->pc && r->tid == tid && r->epoch == space->epoch && f->sp < r->sp && r->sp - f->sp < ROOT_MOST ? WALK_BAD_RULE : WALK_ROOT;
}

/* The walk has ended at F in code that keeps its frames elsewhere, which is among the frames from ABOVE on: goes on beneath it, if that is
 * certain, and beneath NESTED more that have called each other.  Else the stack is cut where it was. */
static enum walk_end
walk_beneath(struct job *j, const struct regs *regs, int32_t tid, uint32_t above, unsigned nested, struct frame *f, enum walk_end before)
{
	const struct arch *a = j->u->code.arch;
	struct walk *w = j->walk;
	uint64_t where = j->where;
	uint32_t n = w->n;
	const struct base *base = NULL;
	struct frame to, begin;
	enum walk_end end;
	const struct conventions *known = a->conventions;
	enum step step = known ? known->gap_find(j, regs, tid, above, &to, &base) : STEP_NONE;

	if (step != STEP_OK && step != STEP_ROOT)
		return before;
	walk_push(j->u, w, CODE_JIT, 0, &j->ring);
	if (step == STEP_ROOT) {
		known->gap_push(j, base);
		w->gap = true;
		return WALK_ROOT;
	}
	begin = to;
	j->full_at = ++j->at;
	j->full_frame = to;
	j->full.r[a->pc] = to.pc;
	j->full.r[a->sp] = to.sp;
	j->full.known = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp;
	end = walk_frames(j, &to);
	if (end == WALK_ROOT || (nested && !w->elided && walk_beneath(j, regs, tid, n + 1, nested - 1, &to, end) == WALK_ROOT)) {
		if (base)
			known->gap_learn(j, tid, &begin, n + 1);
		*f = to;
		w->gap = true;
		return WALK_ROOT;
	}
	if (!w->elided)
		w->n = n;
	j->where = where;
	return before;
}

static struct memory
memory_of(const struct stack *s, unsigned word)
{
	return (struct memory){ s->bytes, s->lo, s->size >= word ? s->size - word + 1 : 0, word, &s->beyond };
}

void
unwind(struct unwinder *u, struct space *space, const struct regs *regs, const struct stack *stack,
       const uint64_t *chain, uint32_t nchain, struct walk *w)
{
	const struct arch *a = u->code.arch;
	struct frame f = { .pc = regs->r[a->pc] & u->mask, .sp = regs->r[a->sp], .fp = regs->r[a->fp],
	                   .fp_known = regs->known >> a->fp & 1, .exact = true };
	struct job j;
	uint32_t link;

	u->code.space = space;
	j.u = u;
	j.space = space;
	j.memory = memory_of(stack, a->word);
	j.walk = w;
	j.full = *regs;
	j.full.r[a->pc] = f.pc;   /* 32-bit ARM's pc is odd at the beginning of a handler of T32 code */
	j.full_frame = f;
	j.full_at = 0;
	j.where = 0;
	j.signals = 0;
	j.ring = 0;
	j.by_hand = j.lost = false;
	j.at = 0;
	walk_begin(w);
	w->stacks = 1;
	w->stack->sp = stack->lo;
	w->end = walk_frames(&j, &f);
	if (w->end == WALK_ROOT && stack->tid > 0)
		w->end = check_root(u, space, stack->tid, &f);
	if (__builtin_expect(w->end == WALK_NO_RULE || w->end == WALK_BAD_RULE || w->end == WALK_STACK_SHORT, 0))
		w->end = walk_beneath(&j, regs, stack->tid, 0, NESTED, &f, w->end);
	if (w->end == WALK_ROOT && w->n == 1 && is_torn(&j, regs))
		w->end = WALK_BAD_RULE;
	if (w->end == WALK_STACK_SHORT)
		note_stack(w, f.sp, j.where, FRAME_MOST);
	w->stack[w->stacks - 1].last = f.sp;
	w->stack[w->stacks - 1].end = w->end == WALK_STACK_SHORT ? j.where + a->word : f.sp;
	if (w->stack->end > stack->lo)
		w->used = w->stack->end - stack->lo;
	if (w->end == WALK_STACK_SHORT) {
		w->fp_at_cut = f.fp_known && (j.by == BY_FP || j.flags & RULE_KEEPS_FP);
		if (w->fp_at_cut && chain && (link = chain_link(&j, regs->r[a->fp], f.fp, nchain)))
			w->end = chain_splice(&j, chain, link, nchain);
	}
	walk_unroll(u, w, j.ring);
	w->sp[w->n] = f.sp;
}

void
unwind_not(struct walk *w, enum walk_end end)
{
	walk_begin(w);
	w->end = end;
}

void
unwind_chain(struct unwinder *u, struct space *space, const uint64_t *chain, uint32_t nchain, uint64_t link, struct walk *w)
{
	chain_walk(u, space, chain, nchain, link, w);
}

void
unwinder_compare(struct unwinder *u, struct space *space, uint64_t time)
{
	code_compare(&u->code, space, time);
}

uint32_t
unwinder_left(const struct unwinder *u)
{
	return u->code.pages.left;
}

uint32_t
unwind_code(struct unwinder *u, struct space *space, uint64_t pc)
{
	struct entry *e = entry_find(u, space, pc);

	return e ? e->code : CODE_UNKNOWN;
}

/* ---- life ---- */

void
unwinder_set(struct unwinder *u, const struct arch *arch)
{
	u->code.arch = arch;
	u->mask = arch == arch_host ? u->host_mask : arch->addr_mask;
}

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
	u->code.arena = u->code.pages.arena = &u->arena;
	u->host_mask = arch_host->find_mask ? arch_host->find_mask() : arch_host->addr_mask;
	unwinder_set(u, arch);
	u->code.modules = modules;
	u->codes = codes;
	u->mode = mode;
	u->max_stack = max_stack < 2 ? 2 : max_stack > STACK_MAX ? STACK_MAX : max_stack;
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	struct arena arena;

	if (!u)
		return;
	arena = u->arena;
	vec_free(&u->rule_of, &u->codes_ruled, sizeof *u->rule_of);
	vec_free(&u->rule, &u->rules_cap, sizeof *u->rule);
	index_free(&u->rule_index);
	arena_free(&arena);
}
