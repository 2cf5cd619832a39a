/* Rules for code without a frame description (musl, assembly, JIT code), by following what its instructions do to sp and
 * fp: from the function's beginning if a symbol tells that, else from the address forward to a return.  What comes out
 * is a guess with a reason: whoever steps by it looks whether a return address is really there. */
#include "rule.h"

enum {
	LABELS = 200,         /* branch targets whose state is remembered */
	PASSES = 8,           /* over a function, for branches backward */
	INSNS_MAX = 8192,     /* of a function, from its beginning on */
	FORWARD_MAX = 6000,   /* followed in search of a return */
	PATHS = 400,          /* compiled Java has many before its first return */
	DEPTH_MAX = 1 << 20,
	INSN_LONGEST = 15,
	PROLOGUE_INSNS = 5,
	ENTRY_INSNS = 64,
	PAGE = 4096,
	START_PAGES = 16,     /* in which a function's beginning is looked for */
	JIT_FUNCTION = 1 << 16,
	GENERAL = 16,         /* registers */
};

/* What is in fp.  Original: what was in it at the base. */
enum in_fp { FP_ORIGINAL, FP_FRAME, FP_SLOT, FP_ELSE };

/* What is known before an instruction, relative to a base: the CFA (from the function's beginning on); sp, or fp as it
 * was, at the address asked for (forward). */
struct flow {
	uint64_t at;          /* of the instruction */
	int32_t sp;
	int32_t fp;           /* FP_FRAME: its value; FP_SLOT: where it was loaded from, in what was on the stack before */
	int32_t slot;         /* SAVED: where the original fp was pushed to */
	int32_t load_at;      /* REALIGNED: where the CFA lies, from the original fp */
	int16_t loaded[GENERAL];   /* registers that were read from below the original fp: from where, else 0 */
	uint8_t in_fp;
	uint8_t popped;       /* the register that took the return address, from the beginning on; or NO_REG */
	bool sp_known, saved;
	bool forward;
	bool base_fp;         /* forward only */
	bool record;          /* the original fp pointed to a frame record, for it was restored from there */
	bool realigned;       /* sp came from a register that was read from the frame, behind a frame record */
	bool zeroed;          /* fp is 0: there is no frame further out */
	bool called, entered; /* a call, a system call */
};

struct reader {
	struct unwinder *u;
	struct module *m;
	int32_t word;
	uint64_t vaddr;       /* asked for */
	uint64_t start;       /* of the function, or 0 */
	struct cursor run;    /* the code from RUN_AT on */
	uint64_t run_at;
};

static bool
next_insn(struct reader *r, uint64_t at, struct insn *i)
{
	uint64_t skip = at - r->run_at;

	if (skip >= cur_left(&r->run) || cur_left(&r->run) - skip < INSN_LONGEST) {
		r->run = rule_code(r->u, r->m, at);
		r->run_at = at;
		if (!cur_left(&r->run))
			return false;
		skip = 0;
	}
	r->u->arch->decode(r->run.pos + skip, cur_left(&r->run) - skip, i);
	return i->op != INSN_BAD;
}

static bool
in_bounds(int32_t v)
{
	return v > -DEPTH_MAX && v < DEPTH_MAX;
}

static void
move_sp(struct flow *f, int32_t off)
{
	if (!in_bounds(off) || !in_bounds(f->sp + off))
		f->sp_known = false;
	else
		f->sp += off;
}

/* fp is written to sp + OFF. */
static void
save_fp(struct flow *f, int32_t off)
{
	if (!f->sp_known || !in_bounds(off))
		return;
	f->saved = f->in_fp == FP_ORIGINAL || (f->saved && f->slot != f->sp + off);
	if (f->in_fp == FP_ORIGINAL)
		f->slot = f->sp + off;
}

static void
push(const struct reader *r, const struct insn *i, struct flow *f)
{
	move_sp(f, -r->word);
	if (i->of_fp)
		save_fp(f, 0);
	else if (f->slot == f->sp)
		f->saved = false;
}

/* fp is read from sp + OFF. */
static void
restore_fp(struct flow *f, int32_t off)
{
	int32_t slot = f->sp + off;

	if (!f->sp_known || !in_bounds(off))
		f->in_fp = FP_ELSE;
	else if (f->saved && f->slot == slot)
		f->in_fp = FP_ORIGINAL;
	else if (f->forward && (f->base_fp || slot >= 0)) {
		f->record |= f->base_fp && slot == 0 && f->in_fp == FP_ORIGINAL;
		f->in_fp = FP_SLOT;
		f->fp = slot;
	} else
		f->in_fp = FP_ELSE;
	f->saved = false;
}

static void
sp_from_fp(struct flow *f, int32_t off)
{
	f->sp_known = f->in_fp == FP_FRAME || (f->in_fp == FP_ORIGINAL && f->forward);
	if (f->in_fp == FP_ORIGINAL && f->forward) {
		f->base_fp = true;
		f->saved = false;
	}
	f->sp = f->in_fp == FP_FRAME ? f->fp : 0;
	move_sp(f, off);
}

static void
sp_from_reg(const struct reader *r, const struct insn *i, struct flow *f)
{
	f->sp_known = false;
	f->load_at = i->reg < GENERAL ? f->loaded[i->reg] : 0;
	f->realigned = f->record && f->load_at && i->off == -r->word && f->in_fp == FP_SLOT && f->fp == 0;
}

/* REG is read from OFF below the original fp. */
static void
load(struct flow *f, unsigned reg, int32_t off)
{
	if (reg < GENERAL)
		f->loaded[reg] = off < 0 && off == (int16_t)off ? (int16_t)off : 0;
}

static void
apply(const struct reader *r, const struct insn *i, struct flow *f)
{
	switch (i->op) {
	case INSN_PUSH:
		push(r, i, f);
		break;
	case INSN_POP:
		if (i->of_fp)
			restore_fp(f, 0);
		else if (f->sp_known && f->base_fp)
			load(f, i->reg, f->sp);
		else if (f->sp_known && !f->forward && f->sp == -r->word)
			f->popped = i->reg;
		move_sp(f, r->word);
		break;
	case INSN_SP_ADD:
		move_sp(f, i->off);
		break;
	case INSN_SP_LOST:
		f->sp_known = false;
		break;
	case INSN_SP_FROM_REG:
		sp_from_reg(r, i, f);
		break;
	case INSN_FP_FROM_SP:
		f->in_fp = f->sp_known && in_bounds(i->off) ? FP_FRAME : FP_ELSE;
		f->fp = f->in_fp == FP_FRAME ? f->sp + i->off : 0;
		break;
	case INSN_FP_STORE:
		save_fp(f, i->off);
		break;
	case INSN_FP_LOAD:
		restore_fp(f, i->off);
		break;
	case INSN_FP_ZERO:
	case INSN_FP_LOST:
		f->in_fp = FP_ELSE;
		f->zeroed = i->op == INSN_FP_ZERO;
		break;
	case INSN_LOAD:
		load(f, i->reg, f->in_fp == FP_ORIGINAL && f->forward ? i->off : 0);
		break;
	case INSN_SP_FROM_FP:
	case INSN_LEAVE:
		sp_from_fp(f, i->op == INSN_LEAVE ? 0 : i->off);
		if (i->op == INSN_LEAVE) {
			restore_fp(f, 0);
			move_sp(f, r->word);
		}
		break;
	case INSN_SYSCALL:
		f->entered = true;
		break;
	case INSN_CALL:
		f->called = true;
		break;
	}
}

/* ---- from the function's beginning ---- */

struct labels {
	unsigned n;
	struct flow flow[LABELS];
};

/* Paths that are still to be followed. */
struct ways {
	struct flow path[PATHS];
	uint64_t seen[PATHS];
	unsigned paths, nseen, budget;
	bool unsure;              /* one of them led nowhere */
	bool called;              /* one led to a call */
	bool entered;             /* one to a system call, and no further */
	bool by_fp;               /* one uses fp as the base of a frame */
};

/* Too large for the stack. */
struct derive_work {
	struct labels labels;
	struct ways ways;
};

static const struct flow *
label_at(const struct labels *l, uint64_t at)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->flow[i].at == at)
			return &l->flow[i];
	return NULL;
}

static void
add_label(struct labels *l, uint64_t at, const struct flow *f)
{
	if (l->n == LABELS || label_at(l, at))
		return;
	l->flow[l->n] = *f;
	l->flow[l->n++].at = at;
}

/* The state before the instruction that the address lies in; false where no way leads there.  One pass in the order of
 * addresses: code behind a jump or return has the state of a branch to it, seen before or in an earlier pass. */
static bool
pass(struct reader *r, uint64_t start, struct labels *l, struct flow *out)
{
	struct flow f = { .at = start, .sp = -r->word, .sp_known = true, .popped = NO_REG };
	const struct flow *label;
	bool live = true, after_call = false;
	struct insn i;

	for (unsigned n = 0; n < INSNS_MAX && next_insn(r, f.at, &i); n++) {
		uint64_t at = f.at;

		if ((!live || after_call) && (label = label_at(l, at))) {
			f = *label;   /* a call may not return, a branch is certain */
			live = true;
		}
		if (r->vaddr - at < i.len) {
			*out = f;
			return live;
		}
		after_call = i.op == INSN_CALL;
		if (live && (i.op == INSN_BRANCH || i.op == INSN_JUMP))
			add_label(l, at + (uint64_t)(int64_t)i.target, &f);
		if (live)
			apply(r, &i, &f);
		if (i.op >= INSN_JUMP)
			live = false;
		f.at = at + i.len;
	}
	return false;
}

/* The caller's fp, in a rule whose CFA lies CFA above the base.  A register is believed to be as it was only where it was
 * not pushed: not all ways to a place may have been seen. */
static void
rule_fp(const struct flow *f, int32_t cfa, struct rule *rule)
{
	bool saved = f->in_fp == FP_SLOT || (f->saved && !f->forward);
	int32_t slot = (f->in_fp == FP_SLOT ? f->fp : f->slot) - cfa;

	if (saved && slot == (int16_t)slot)
		rule->fp_off = (int16_t)slot;
	else
		rule->flags |= f->in_fp == FP_ORIGINAL && !saved ? RULE_FP_SAME : RULE_FP_LOST;
}

/* The rule where F is known, relative to the CFA. */
static bool
rule_here(const struct reader *r, const struct flow *f, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_DERIVED, .ra_off = (int16_t)-r->word };
	if (f->in_fp == FP_FRAME && f->saved && (!f->sp_known || (f->fp == f->slot && f->fp == -2 * r->word))) {
		rule->flags |= RULE_BASE_FP;
		rule->cfa_off = -f->fp;
	} else if (f->sp_known && f->sp <= -r->word)
		rule->cfa_off = -f->sp;
	else if (f->sp_known && f->zeroed)
		rule->kind = RULE_ROOT;   /* has popped what would be its return address, and no frame: a thread's start */
	else if (f->sp_known && f->sp == 0 && f->popped != NO_REG) {
		rule->flags |= RULE_RA_POPPED;
		rule->ra_off = f->popped;
	} else
		return false;
	rule_fp(f, 0, rule);
	return true;
}

static bool
from_start(struct reader *r, uint64_t start, struct rule *rule)
{
	struct labels *labels = &r->u->work->labels;
	struct flow f;
	unsigned before;

	labels->n = 0;
	for (unsigned n = 0; n < PASSES; n++) {
		before = labels->n;
		if (pass(r, start, labels, &f))
			return rule_here(r, &f, rule);
		if (labels->n == before)
			break;
	}
	return false;
}

/* As the frame is once it has been made: for code that no branch leads to (a handler), or that too many do. */
static bool
from_prologue(struct reader *r, uint64_t start, struct rule *rule)
{
	struct flow f = { .at = start, .sp = -r->word, .sp_known = true, .popped = NO_REG };
	struct insn i;

	for (unsigned n = 0; n < PROLOGUE_INSNS && next_insn(r, f.at, &i); n++) {
		apply(r, &i, &f);
		f.at += i.len;
		if (i.op == INSN_SP_ADD || i.op == INSN_FP_FROM_SP)
			return r->vaddr >= f.at && rule_here(r, &f, rule);
	}
	return false;
}

/* ---- forward to a return ---- */

/* By a frame record: 0 below fp that of the caller, then the return address. */
static void
record_rule(const struct reader *r, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_DERIVED, .flags = RULE_BASE_FP, .cfa_off = 2 * r->word,
	                       .ra_off = (int16_t)-r->word, .fp_off = (int16_t)(-2 * r->word) };
}

static bool
returned(const struct reader *r, const struct flow *f, struct rule *rule)
{
	int32_t cfa = f->sp + r->word;

	if (f->sp_known && (f->base_fp || f->sp >= 0)) {
		*rule = (struct rule){ .kind = RULE_DERIVED, .cfa_off = cfa, .ra_off = (int16_t)-r->word };
		rule->flags = f->base_fp ? RULE_BASE_FP : 0;
		rule_fp(f, cfa, rule);
		return true;
	}
	if (!f->record)
		return false;
	record_rule(r, rule);
	if (f->realigned) {
		rule->flags |= RULE_REALIGNED;
		rule->cfa_off = f->load_at;
	}
	return true;
}

static bool
was_there(const uint64_t *seen, unsigned n, uint64_t at)
{
	while (n--)
		if (seen[n] == at)
			return true;
	return false;
}

static void
branch(const struct reader *r, struct ways *w, const struct flow *f, uint64_t target)
{
	if (target == r->start) {   /* Go begins anew once it has found more stack */
		w->unsure = true;
		return;
	}
	if (was_there(w->seen, w->nseen, target))
		return;
	if (w->nseen == PATHS || w->paths == PATHS) {
		w->unsure = true;
		return;
	}
	w->seen[w->nseen++] = target;
	w->path[w->paths] = *f;
	w->path[w->paths++].at = target;
}

/* Follows one path; true where it led to a rule. */
static bool
follow(struct reader *r, struct ways *w, struct flow f, struct rule *rule)
{
	struct insn i;

	for (;; f.at += i.len) {
		if (!w->budget || !next_insn(r, f.at, &i) || i.op == INSN_JUMP_AWAY || i.op == INSN_RETURN) {
			if ((w->budget && i.op == INSN_RETURN) || f.record)
				if (returned(r, &f, rule))
					return true;
			w->unsure = true;
			return false;
		}
		w->budget--;
		if (i.op == INSN_JUMP && r->m->kind == MODULE_JIT && (i.target > JIT_FUNCTION || i.target < -JIT_FUNCTION)) {
			w->unsure = true;   /* to the runtime, which may take the frame away */
			return false;
		}
		w->by_fp |= i.local && f.in_fp == FP_ORIGINAL;
		if (i.op == INSN_BRANCH || i.op == INSN_JUMP)
			branch(r, w, &f, f.at + (uint64_t)(int64_t)i.target);
		if (i.op == INSN_JUMP || i.op == INSN_STOP) {
			w->entered |= f.entered;
			w->called |= f.called;
			return false;
		}
		apply(r, &i, &f);
	}
}

/* RETURNS: behind a call. */
static bool
forward(struct reader *r, uint64_t start, bool returns, struct rule *rule)
{
	const struct flow begin = { .at = start, .sp_known = true, .forward = true, .popped = NO_REG };
	struct ways *w = &r->u->work->ways;

	w->paths = w->nseen = 0;
	w->unsure = w->called = w->entered = w->by_fp = false;
	w->budget = FORWARD_MAX;
	if (follow(r, w, begin, rule))
		return true;
	while (w->paths && w->budget)
		if (follow(r, w, w->path[--w->paths], rule))
			return true;
	if (w->by_fp)
		record_rule(r, rule);
	else if (returns && w->entered && !w->unsure && !w->called && !w->paths)
		*rule = (struct rule){ .kind = RULE_ROOT };   /* ends the thread: musl's clone */
	else
		return false;
	return true;
}

bool
derive_start(struct unwinder *u, struct module *m, uint64_t vaddr, uint64_t *start)
{
	uint64_t at = vaddr, page = vaddr & ~(uint64_t)(PAGE - 1);

	for (unsigned n = 0; u->arch->prologue && n < START_PAGES && page; n++, at = page - 1, page -= PAGE) {
		struct cursor c = rule_code(u, m, page);
		uint64_t i = at - page + 1;

		if (cur_left(&c) < i)
			return false;
		while (i--)
			if (u->arch->prologue(c.pos + i, cur_left(&c) - i)) {
				*start = page + i;
				return true;
			}
	}
	return false;
}

static bool
derive(struct reader *r, struct rule *rule)
{
	struct unwinder *u = r->u;
	uint64_t lo, hi;
	bool jit = r->m->kind == MODULE_JIT, named, returns, begins;

	if (!u->work && !(u->work = arena_alloc(&u->arena, sizeof *u->work)))
		return false;
	named = !jit && rule_function(u, r->m, r->vaddr, &lo, &hi);
	begins = named || derive_start(u, r->m, r->vaddr, &lo);
	if (begins && from_start(r, lo, rule))
		return true;
	r->start = named ? lo : 0;
	returns = rule_after_call(u, r->m, r->vaddr + 1);   /* an address as looked up: of a return address it is one less */
	return forward(r, r->vaddr + returns, returns, rule) || (begins && jit && from_prologue(r, lo, rule));
}

void
derive_rule(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct reader r = { .u = u, .m = m, .word = u->arch->word, .vaddr = vaddr };
	const struct arch *a = u->arch;
	struct cursor code = rule_code(u, m, vaddr);

	*rule = (struct rule){ .kind = RULE_BARE };
	if (!a->decode || !a->after_call || !cur_left(&code))
		return;
	if (!derive(&r, rule))
		*rule = (struct rule){ .kind = RULE_SILENT };
	if (rule->flags & RULE_BASE_FP && !(rule->flags & (RULE_REALIGNED | RULE_FP_SAME | RULE_FP_LOST)) &&
	    rule->cfa_off + rule->ra_off == a->rec_ra && rule->cfa_off + rule->fp_off == a->rec_fp)
		rule->flags |= RULE_KEEPS_FP;
}

uint64_t
derive_entry_end(struct unwinder *u, struct module *m, uint64_t entry)
{
	struct reader r = { .u = u, .m = m, .word = u->arch->word, .vaddr = entry };
	uint64_t at = entry, called = entry;
	struct insn i;

	for (unsigned n = 0; u->arch->decode && n < ENTRY_INSNS && next_insn(&r, at, &i); n++) {
		at += i.len;
		if (i.op == INSN_JUMP_AWAY)
			return at;
		if (i.op == INSN_CALL && called == entry)
			called = at;
		if (i.op >= INSN_JUMP)
			break;
	}
	return called;
}
