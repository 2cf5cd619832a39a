/* Steps that are not plain.  A walk carries only pc, sp and fp; if a frame description asks for another register, prof does
 * the walk so far again with all of them.  The same stack gives the same frames either way. */
#include "slow.h"

#include <string.h>

#include "unwind/cfi/second_opinion.h"
#include "unwind/derive/derive.h"
#include "called_function.h"
#include "conventions.h"
#include "entry.h"
#include "outermost.h"
#include "rule.h"
#include "step.h"
#include "step_bare.h"
#include "step_link.h"
#include "verify.h"

/* Signal frames of one walk: behind them sp need not rise; instructions that pop registers before a jump. */
enum { SIGNALS_MAX = 64, POPS_MOST = 8 };

static void
known_registers(const struct arch *a, const struct frame *f, struct regs *regs)
{
	regs->r[a->pc] = f->pc;
	regs->r[a->sp] = f->sp;
	regs->r[a->fp] = f->fp;
	regs->known = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp | (uint64_t)f->fp_known << a->fp;
}

static bool replay(struct job *);

/* Steps by what the instructions told, or by a frame pointer if prof cannot read them. */
static enum step
step_bare(struct job *j, const struct rule *r, struct frame *f)
{
	bool silent = r->kind == RULE_SILENT || r->kind == RULE_LEFT;
	const struct conventions *known = j->u->code.arch->conventions;
	const struct jumper *k;
	enum step step;

	if (j->u->mode == MODE_CFI)
		return STEP_NONE;
	if (r->kind == RULE_PASSED)
		return step_passed(j, r, f);
	if (!silent && r->kind != RULE_DERIVED && r->kind != RULE_OTHER)
		return step_by_record(j, r, f);
	/* This needs all registers.  If the walk carries them anyway, they belong to F. */
	if ((r->kind == RULE_OTHER || (r->flags & RULE_RA_IN_REG && f->exact)) && (j->full_frame.pc != f->pc || j->full_frame.sp != f->sp) && !replay(j))
		return STEP_NONE;
	step = silent ? outermost_last(j, f) : step_by_code(j, r, f);
	if (step == STEP_NONE)
		step = step_called_leaf(j, f);
	if (step == STEP_OK || step == STEP_OUTSIDE || step == STEP_ROOT)
		return step;
	if (known && (k = known->of(j->u)) && k->how == CODE_PASSES)   /* old records lie on its stacks */
		return step;
	step = step_by_own_record(j, f);
	if (step != STEP_NONE || !known)
		return step;
	step = known->jumped(j, f);
	return step == STEP_NONE ? known->hosted(j, f) : step;
}

static enum step step_full(struct job *, const struct entry *, struct frame *, struct regs *);

static const struct row *
entry_row(const struct job *j, const struct entry *e)
{
	uint64_t vaddr;
	struct module *m = entry_module(j->u, e, &vaddr);

	return rule_row(j->u, m, vaddr);
}

/* Gets all registers of the frame that the walk steps from, by walking there again from the last frame where they were known. */
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

/* Notes that all registers are F's after that step. */
static enum step
now_full(struct job *j, const struct frame *f, enum step step)
{
	if (step == STEP_OK) {
		j->full_frame = *f;
		j->full_at = j->at + 1;
	}
	return step;
}

/* Steps by a row, with only pc, sp and fp if these are enough. */
static enum step
step_general(struct job *j, const struct entry *e, struct frame *f)
{
	const struct row *row = entry_row(j, e);
	struct regs few;
	enum step step;

	if (!row)
		return STEP_BAD;
	if (j->full_at != j->at) {
		known_registers(j->u->code.arch, f, &few);
		if ((step = step_row(j, row, &few, f, false)) != STEP_UNKNOWN)
			return step;
		if (!replay(j) || !(row = entry_row(j, e)))   /* the cache may have let go of the row meanwhile */
			return STEP_BAD;
		j->by = BY_CFI;
	}
	return now_full(j, f, step_row(j, row, &j->full, f, true));
}

/* The instructions told something wrong, or nothing: steps by the row, which may not be true there. */
static enum step
step_late(struct job *j, const struct entry *e, struct frame *f)
{
	struct frame to = *f;
	enum step step = step_general(j, e, &to);

	if (step == STEP_OK && f->exact && !verify_caller(j, to.pc))
		return STEP_NONE;
	*f = to;
	return step;
}

/* Whether a step by a row that a process has told of its code, and that found no caller, may be tried again by RULE, which is of the
 * code itself: the process may have made other code there since. */
static bool
untold(struct job *j, const struct entry *e, struct rule *rule)
{
	uint64_t vaddr;
	struct module *m = entry_module(j->u, e, &vaddr);

	if (m->kind != MODULE_JIT || j->u->mode != MODE_AUTO)
		return false;
	rule_undescribed(j->u, m, vaddr, rule);
	return true;
}

/* Whether the innermost function only pops registers and then jumps by an address: then its table may be false (OCaml's, while it raises an
 * exception). */
static bool
leaf_jumps_away(struct job *j)
{
	struct entry *e = j->at == 1 && !j->full_at ? entry_probe(j->u, j->space, frame_at(&j->full_frame)) : NULL;
	struct insn i = { .op = INSN_POP };
	struct module *m;
	uint64_t vaddr;

	if (!e || e == &j->u->spare || !j->u->code.arch->decode || (e->rule.kind != RULE_PLAIN && e->rule.kind != RULE_GENERAL))
		return false;
	m = entry_module(j->u, e, &vaddr);
	for (unsigned n = 0; n < POPS_MOST && i.op == INSN_POP; n++, vaddr += i.len)
		code_decode(&j->u->code, m, vaddr, &i);
	return i.op == INSN_JUMP_AWAY;
}

/* The step out of code with that (copied) entry; F becomes the caller. */
static enum step
step_by(struct job *j, const struct entry *e, struct frame *f)
{
	struct rule rule;
	enum step step;

	j->by = BY_CFI;
	switch (e->rule.kind) {
	case RULE_ROOT:
		if (e->rule.flags & RULE_BY_HAND && leaf_jumps_away(j)) {   /* F is no caller, but a function that another one precedes */
			j->walk->n--;
			return STEP_NONE;
		}
		return STEP_ROOT;
	case RULE_BAD:
		return STEP_BAD;
	case RULE_PLAIN:
		return step_plain(&e->rule, &j->memory, j->u->mask, f, &j->where);
	case RULE_LINK:
		if ((step = step_link(j, &e->rule, f)) != STEP_UNKNOWN)
			return step;
		/* fall through */
	case RULE_GENERAL:
		step = step_general(j, e, f);
		return step == STEP_NONE && untold(j, e, &rule) ? step_bare(j, &rule, f) : step;
	case RULE_SIGRETURN:
	case RULE_KEPT:
		return now_full(j, f, step_sigreturn(j, &e->rule, &j->full, f));
	default:
		step = step_bare(j, &e->rule, f);
		return step == STEP_NONE && j->u->code.arch->table_row && entry_row(j, e) ? step_late(j, e, f) : step;
	}
}

/* The other frame pointer after a step to F by what instructions told, if it was KNOWN before or lies there. */
static void
other_pointer(const struct job *j, const struct rule *r, const struct frame *f, uint64_t known, struct regs *regs)
{
	unsigned other = j->u->code.arch->other;
	bool is = known >> other & 1;

	if ((r->kind != RULE_DERIVED && r->kind != RULE_OTHER) || r->other_off == OTHER_LOST)
		return;
	if (r->other_off != OTHER_SAME)
		is = memory_word(&j->memory, f->sp + (uint64_t)(int64_t)r->other_off, &regs->r[other]);
	regs->known |= (uint64_t)is << other;
}

/* One step that takes all registers along; without a row it takes pc, sp and fp alone. */
static enum step
step_full(struct job *j, const struct entry *e, struct frame *f, struct regs *regs)
{
	struct rule rule = e->rule;
	const struct row *row;
	enum step step;

	j->by = BY_CFI;
	if (rule.kind == RULE_PLAIN || rule.kind == RULE_LINK || rule.kind == RULE_GENERAL) {
		row = entry_row(j, e);
		step = row ? step_row(j, row, regs, f, true) : STEP_BAD;
		if (step != STEP_NONE || !untold(j, e, &rule))
			return step;
	}
	if (e->rule.kind == RULE_SIGRETURN || e->rule.kind == RULE_KEPT)
		return step_sigreturn(j, &e->rule, regs, f);
	if (e->rule.kind == RULE_ROOT || e->rule.kind == RULE_BAD)
		return step_by(j, e, f);
	step = step_bare(j, &rule, f);
	/* Never by way of step_by: its steps of last resort replay the walk, and would come here again. */
	if (step == STEP_NONE && j->u->code.arch->table_row && (row = entry_row(j, e))) {
		bool exact = f->exact;

		step = step_row(j, row, regs, f, true);
		return step == STEP_OK && exact && !verify_caller(j, f->pc) ? STEP_NONE : step;
	}
	if (!step) {
		uint64_t known = regs->known;

		known_registers(j->u->code.arch, f, regs);
		if (j->u->code.arch->other)
			other_pointer(j, &rule, f, known, regs);
	}
	return step;
}

/* --call-graph fp: uses only the frame pointer, and ends at roots. */
static enum step
step_fp(struct job *j, const struct entry *e, struct frame *f)
{
	return e->rule.kind == RULE_ROOT ? STEP_ROOT : step_by_record(j, &e->rule, f);
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

/* For libunwind: constants lie in files. */
static struct cursor
constants(void *ctx, uint64_t addr)
{
	const struct job *j = ctx;
	struct entry *e = entry_probe(j->u, j->space, addr);
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return cur_of(NULL, 0, false);
	m = entry_module(j->u, e, &vaddr);
	return code_bytes(&j->u->code, m, vaddr);
}

/* If prof cannot step by the description, libunwind does.  Then prof checks that its return address is one, and that the
 * step went up the stack. */
static enum step
step_second(struct job *j, struct entry *e, struct frame *f, enum step step)
{
	struct unwinder *u = j->u;
	const struct second_sight sight = { u->code.arch, u->mask, &j->memory, constants, j };
	struct frame to = *f;
	struct regs regs;
	struct fde fde;
	uint64_t vaddr;
	struct module *m = entry_module(u, e, &vaddr);
	enum step second;

	if (!rule_fde(u, m, vaddr, &fde))
		return step;
	if (replay(j))
		regs = j->full;
	else
		known_registers(u->code.arch, f, &regs);
	second = second_step(&sight, &fde, frame_at(f) - vaddr, &regs, &to);
	if (second)
		return second == STEP_ROOT ? second : step;
	e = entry_probe(u, j->space, frame_at(&to));
	if (!e || (!to.exact && (to.sp < f->sp || (to.sp == f->sp && !f->exact) || !entry_after_call(u, e))))
		return step;
	j->full = regs;
	*f = to;
	j->by = BY_SECOND;
	return now_full(j, f, STEP_OK);
}

/* The instructions told something wrong: steps by what they tell from a place where something names the function, if there
 * is one. */
static enum step
step_named(struct job *j, struct entry *copy, struct frame *f)
{
	struct unwinder *u = j->u;
	uint64_t vaddr, at = frame_at(f);
	struct module *m = entry_module(u, copy, &vaddr);
	struct rule rule = { .kind = RULE_NONE };
	struct entry *e;
	unsigned next = 0;

	do
		if (!derive_named(&u->code, m, vaddr, &next, &rule))
			return STEP_NONE;
	while (step_bare(j, &rule, f) != STEP_OK);
	rule.flags |= copy->rule.flags & RULE_AFTER_CALL;
	copy->rule = rule;
	j->flags = rule.flags;
	if ((e = entry_find(u, j->space, at)) && e->code == copy->code)
		entry_set_rule(u, e, &rule);
	if (u->full_always)
		known_registers(u->code.arch, f, &j->full);
	return u->full_always ? now_full(j, f, STEP_OK) : STEP_OK;
}

/* The instructions told something wrong, or nothing: steps by those that the process has there now, if the file may have others. */
static enum step
step_remade(struct job *j, const struct entry *copy, struct frame *f)
{
	struct unwinder *u = j->u;
	uint64_t vaddr, at = frame_at(f);
	struct module *m = entry_module(u, copy, &vaddr);
	struct rule rule;
	struct entry *e;

	if (!module_may_differ(m, vaddr) || u->full_always)
		return STEP_NONE;
	u->code.remade = true;
	rule_undescribed(u, m, vaddr, &rule);
	u->code.remade = false;
	if ((rule.kind != RULE_DERIVED && rule.kind != RULE_OTHER) || !memcmp(&rule, &copy->rule, sizeof rule) || step_bare(j, &rule, f) != STEP_OK)
		return STEP_NONE;
	rule.flags |= copy->rule.flags & RULE_AFTER_CALL;
	j->flags = rule.flags;
	j->by_hand = true;   /* the bytes may change */
	if ((e = entry_find(u, j->space, at)) && e->code == copy->code)
		e->rule = rule;
	return STEP_OK;
}

/* Words beyond the copied stack are no constants, as a rule. */
static bool
wants_second(const struct job *j, const struct entry *e, enum step step)
{
	if (j->u->mode == MODE_FP)
		return false;
	return e->rule.kind == RULE_BAD ||
	       (e->rule.kind == RULE_GENERAL && (step == STEP_BAD || (step == STEP_OUTSIDE && entry_probe(j->u, j->space, j->where))));
}

/* The rule of F's entry; the frame itself may tell more than its code. */
static void
find_rule(struct job *j, struct entry *e, const struct frame *f)
{
	struct unwinder *u = j->u;
	const struct conventions *known = u->code.arch->conventions;
	struct rule rule, aligned;
	uint64_t vaddr;
	struct module *m;

	if (entry_described(u, e))
		return;
	m = entry_module(u, e, &vaddr);
	if (u->mode == MODE_AUTO && !(m->kind == MODULE_JIT ? known && known->jumped_known(j, f, m, &rule) : called_function(j, f, m, vaddr, &rule)))
		switch (known ? known->hosted_rule(j, f, m, vaddr, &rule) : STEP_NONE) {
		case STEP_OK:
			break;
		case STEP_OUTSIDE:   /* the instructions alone would tell something wrong */
			rule = (struct rule){ .kind = RULE_LEFT };
			break;
		default:
			rule_undescribed(u, m, vaddr, &rule);
			if (rule.kind == RULE_SILENT && known && known->aligned_rule(j, f, m, vaddr, &aligned))
				rule = aligned;
		}
	else if (u->mode != MODE_AUTO)
		rule_undescribed(u, m, vaddr, &rule);
	rule.flags |= e->rule.flags;
	entry_set_rule(u, e, &rule);
}

enum step
step_slow(struct job *j, struct entry *e, struct frame *f)
{
	struct entry copy;   /* its place may go to another address meanwhile */
	enum step step;

	copy = *e;
	if (!copy.rule.kind || copy.rule.kind == RULE_LEFT) {
		find_rule(j, &copy, f);
		if ((e = entry_find(j->u, j->space, copy.addr)) && e->code == copy.code)
			e->rule = copy.rule;
	}
	j->flags = copy.rule.flags;
	step = j->u->mode == MODE_FP ? step_fp(j, &copy, f) : step_tested(j, &copy, f);
	if (__builtin_expect(step && wants_second(j, &copy, step), 0))
		step = step_second(j, &copy, f, step);
	if (__builtin_expect(step == STEP_NONE && (copy.rule.kind == RULE_DERIVED || copy.rule.kind == RULE_SILENT), 0) && j->u->mode == MODE_AUTO) {
		step = step_remade(j, &copy, f);
		step = step == STEP_NONE ? step_named(j, &copy, f) : step;
	}
	if (!step && f->exact && ++j->signals > SIGNALS_MAX)
		step = STEP_STUCK;
	if (step == STEP_NONE && copy.rule.kind == RULE_LOST)
		j->lost = true;
	j->derived.kind = RULE_NONE;
	if (copy.rule.kind == RULE_DERIVED && !(j->flags & (RULE_REALIGNED | RULE_RA_IN_REG)) && !j->by_hand &&
	    j->u->code.arch->ra == j->u->code.arch->pc)
		j->derived = copy.rule;
	if (!step) {
		j->walk->by_cfi += j->by == BY_CFI;
		j->walk->by_fp += j->by == BY_FP;
		j->walk->by_code += j->by == BY_CODE;
		j->walk->by_libunwind += j->by == BY_SECOND;
	}
	return step;
}

struct entry *
step_again(struct job *j, struct frame *f)
{
	struct frame leaf = j->full_frame;
	struct unwinder *u = j->u;
	struct entry *e = j->at == 1 && !j->full_at && u->mode == MODE_AUTO ? entry_probe(u, j->space, frame_at(&leaf)) : NULL;
	struct module *m;
	struct rule rule;
	uint64_t vaddr;

	if (!e || e == &u->spare || (e->rule.kind != RULE_PLAIN && e->rule.kind != RULE_GENERAL))
		return NULL;
	m = entry_module(u, e, &vaddr);
	derive_rule(&u->code, m, vaddr, &rule);
	if (rule.kind != RULE_DERIVED || step_by_code(j, &rule, &leaf))
		return NULL;
	entry_set_rule(u, entry_find(u, j->space, frame_at(&j->full_frame)), &rule);
	*f = leaf;
	j->walk->by_cfi--;
	j->walk->by_code++;
	return entry_find(u, j->space, frame_at(f));
}
