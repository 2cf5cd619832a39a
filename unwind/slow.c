/* Steps that are not plain.  Only pc, sp and fp are carried along a walk; where a frame description asks for another
 * register, the walk so far is done again with all of them.  Same stack, same frames either way. */
#include "rule.h"

enum { SIGNALS_MAX = 64 };   /* signal frames of one walk: behind them sp need not rise */

static void
known_registers(const struct arch *a, const struct frame *f, struct regs *regs)
{
	regs->r[a->pc] = f->pc;
	regs->r[a->sp] = f->sp;
	regs->r[a->fp] = f->fp;
	regs->known = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp | (uint64_t)f->fp_known << a->fp;
}

/* By what its instructions told, or by a frame pointer where they cannot be read. */
static enum step
step_bare(struct job *j, const struct rule *r, struct frame *f)
{
	enum step step = STEP_NONE;

	if (j->u->mode == MODE_CFI || r->kind == RULE_SILENT)
		return STEP_NONE;
	if (r->kind != RULE_DERIVED)
		return verify_fp(j, f);
	step = verify_derived(j, r, f);
	return step == STEP_OK || step == STEP_OUTSIDE || step == STEP_ROOT ? step : STEP_NONE;
}

static enum step step_full(struct job *, const struct entry *, struct frame *, struct regs *);

static const struct row *
entry_row(const struct job *j, const struct entry *e)
{
	uint64_t vaddr;
	struct module *m = entry_module(j->u, e, &vaddr);

	return rule_row(j->u, m, vaddr);
}

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
step_general(struct job *j, const struct entry *e, struct frame *f)
{
	const struct row *row = entry_row(j, e);
	struct regs few;
	enum step step;

	if (!row)
		return STEP_BAD;
	if (j->full_at != j->at) {
		known_registers(j->u->arch, f, &few);
		if ((step = step_row(j, row, &few, f, false)) != STEP_UNKNOWN)
			return step;
		if (!replay(j) || !(row = entry_row(j, e)))   /* the cache may have let go of the row meanwhile */
			return STEP_BAD;
		j->by = BY_CFI;
	}
	return now_full(j, f, step_row(j, row, &j->full, f, true));
}

/* The step out of code with that (copied) entry; F becomes the caller. */
static enum step
step_by(struct job *j, const struct entry *e, struct frame *f)
{
	j->by = BY_CFI;
	switch (e->rule.kind) {
	case RULE_ROOT:
		return STEP_ROOT;
	case RULE_BAD:
		return STEP_BAD;
	case RULE_PLAIN:
		return step_plain(&e->rule, &j->memory, j->u->arch->addr_mask, f, &j->where);
	case RULE_GENERAL:
		return step_general(j, e, f);
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
	enum step step;

	j->by = BY_CFI;
	if (e->rule.kind == RULE_PLAIN || e->rule.kind == RULE_GENERAL) {
		row = entry_row(j, e);
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
	return e->rule.kind == RULE_ROOT ? STEP_ROOT : verify_fp(j, f);
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

enum step
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
		j->walk->by_code += j->by == BY_CODE;
	}
	return step;
}
