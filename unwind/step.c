/* A step by a full row: everything that a frame description can say (DWARF 5 section 6.4.3).  If a register's slot was not
 * copied, the register becomes unknown; only the CFA and the return address are necessary. */
#include "step.h"

#include "unwind/cfi/expr.h"
#include "exception_frame.h"
#include "conventions.h"
#include "verify.h"

struct stepper {
	struct job *job;
	const struct row *row;
	const struct regs *regs;   /* of the callee, with its pc and sp */
	const struct frame *frame;
	uint64_t cfa;
};

static enum step
eval(struct stepper *s, const uint8_t *expr, uint64_t len, const uint64_t *initial, uint64_t *v)
{
	struct cursor c = cur_of(expr, (size_t)len, s->row->big);

	return expr_eval(c, s->job->u->code.arch, s->regs, &s->job->memory, initial, v);
}

static enum step
find_cfa(struct stepper *s)
{
	const struct conventions *known = s->job->u->code.arch->conventions;
	const struct row *row = s->row;
	enum step step;

	if (row->cfa_expr) {
		step = eval(s, row->cfa_expr, (uint64_t)row->cfa_off, NULL, &s->cfa);
		if (step != STEP_OUTSIDE || !s->frame->exact || s->cfa >= s->frame->sp || !known)
			return step;
		return known->saved_sp(s->job, s->frame, row, &s->cfa) == STEP_OK ? STEP_OK : step;
	}
	if (!(s->regs->known >> row->cfa_reg & 1))
		return STEP_UNKNOWN;
	s->cfa = s->regs->r[row->cfa_reg] + (uint64_t)row->cfa_off;
	return STEP_OK;
}

/* The caller's value of a register; at STEP_OUTSIDE *V is the address it should lie at. */
static enum step
find_reg(struct stepper *s, unsigned reg, uint64_t *v)
{
	struct place p = row_place(s->row, reg);
	uint64_t at = s->cfa + (uint64_t)(int64_t)p.off;
	unsigned from = reg;
	enum step step;

	switch (p.how) {
	case HOW_UNDEFINED:
		return STEP_NONE;
	case HOW_VALUE:
		*v = at;
		return STEP_OK;
	case HOW_VALUE_EXPR:
		return eval(s, p.expr, (uint64_t)p.off, &s->cfa, v);
	case HOW_EXPR:
		if ((step = eval(s, p.expr, (uint64_t)p.off, &s->cfa, &at))) {
			*v = at;
			return step;
		}
		/* At the end of a realigned frame, gcc's tables still have fp's place at fp after the pop: then fp is in the register.  At
		 * the end of a frame as long as SVE's vectors, they still count the return address's place from another sp: then it is
		 * lost. */
		if (s->frame->exact && !s->row->signal && at >= s->cfa) {
			if (reg == s->row->ra)
				return STEP_BAD;
			break;
		}
		/* fall through */
	case HOW_OFFSET:
		if (memory_word(&s->job->memory, at, v))
			return STEP_OK;
		if (at >= s->frame->sp || reg == s->row->ra) {
			*v = at;
			return STEP_OUTSIDE;
		}
		break;   /* popped already: the register has the value */
	case HOW_REGISTER:
		from = (unsigned)p.off;
		break;
	}
	if (from >= REGS || !(s->regs->known >> from & 1))
		return STEP_UNKNOWN;
	*v = s->regs->r[from];
	return STEP_OK;
}

/* Also in the body of a frame as long as SVE's vectors, if it has a frame pointer, gcc's tables may count the places of fp
 * and the return address from another sp.  The row is true only if fp is stored where fp points to. */
static bool
at_record(struct stepper *s)
{
	unsigned fp = s->job->u->code.arch->fp;
	struct place p = row_place(s->row, fp);
	uint64_t at;

	return p.how != HOW_EXPR || (!eval(s, p.expr, (uint64_t)p.off, &s->cfa, &at) && at == s->regs->r[fp]);
}

/* What the caller's frame must have: fp too must not be lost just because a register was not carried along. */
static enum step
find_frame(struct stepper *s, struct frame *f, bool all)
{
	const struct arch *a = s->job->u->code.arch;
	enum step step;
	uint8_t how;

	if ((step = find_reg(s, s->row->ra, &f->pc))) {
		s->job->where = f->pc;
		return step == STEP_NONE ? STEP_ROOT : step;
	}
	how = row_place(s->row, s->row->ra).how;
	if (how == HOW_SAME && !f->exact)
		return STEP_BAD;   /* a call would have destroyed it */
	if (how == HOW_EXPR && !s->row->signal && (!verify_caller(s->job, f->pc & s->job->u->mask) || !at_record(s)))
		return STEP_BAD;
	if (s->row->truth == ROW_TOLD && !verify_caller(s->job, f->pc & s->job->u->mask))
		return STEP_NONE;
	f->sp = s->cfa;
	if (row_place(s->row, a->sp).how != HOW_SAME && (step = find_reg(s, a->sp, &f->sp))) {
		s->job->where = f->sp;
		return step == STEP_NONE ? STEP_BAD : step;
	}
	step = find_reg(s, a->fp, &f->fp);
	if (step == STEP_UNKNOWN && !all && row_place(s->row, a->fp).how != HOW_SAME)
		return step;
	f->fp_known = !step;
	return STEP_OK;
}

/* sp must rise, except if a signal came between, or if a leaf has no frame and its return address in a register. */
static bool
moves_on(const struct row *row, const struct frame *from, const struct frame *to)
{
	return row->signal || to->sp > from->sp ||
	       (row_place(row, row->ra).how != HOW_OFFSET && to->sp == from->sp && from->exact && to->pc != from->pc);
}

enum step
step_row(struct job *j, const struct row *row, struct regs *regs, struct frame *f, bool all)
{
	const struct arch *a = j->u->code.arch;
	struct frame to = *f;
	struct regs out;
	struct stepper s = { j, row, regs, f, 0 };
	enum step step;

	if ((step = find_cfa(&s))) {
		j->where = s.cfa;
		return step;
	}
	if ((step = find_frame(&s, &to, all)))
		return step;
	to.pc &= j->u->mask;
	if (!moves_on(row, f, &to))
		return STEP_STUCK;
	/* It keeps registers that calls need not preserve, too: if a caller's CFA depends on one (OpenSSL's, on rax), its callee
	 * does preserve it. */
	out.known = regs->known & ~row->set;
	for (uint64_t keep = out.known; keep; keep &= keep - 1)
		out.r[__builtin_ctzll(keep)] = regs->r[__builtin_ctzll(keep)];
	for (uint64_t set = row->set; set; set &= set - 1) {
		unsigned r = (unsigned)__builtin_ctzll(set);

		if (!find_reg(&s, r, &out.r[r]))
			out.known |= (uint64_t)1 << r;
	}
	out.r[a->pc] = to.pc;
	out.r[a->sp] = to.sp;
	out.known |= (uint64_t)1 << a->pc | (uint64_t)1 << a->sp;
	*regs = out;
	to.exact = row->signal;
	to.jumped |= row->signal;
	*f = to;
	return STEP_OK;
}

enum step
step_sigreturn(struct job *j, const struct rule *r, struct regs *regs, struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	struct regs out = { .r[VECTOR] = regs->r[VECTOR], .known = regs->known & (uint64_t)1 << VECTOR };
	uint64_t need = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp;
	bool exact = true;
	enum step step;

	for (unsigned i = 0; i < a->nsigregs; i++) {
		uint64_t at = f->sp + (uint64_t)r->cfa_off + a->sigregs[i].sp_off;

		if (memory_word(&j->memory, at, &out.r[a->sigregs[i].reg]))
			out.known |= (uint64_t)1 << a->sigregs[i].reg;
		else
			j->where = at;
	}
	if ((out.known & need) != need)
		return STEP_OUTSIDE;
	if (r->kind == RULE_KEPT && (step = exception_frame(j, f, &out, &exact)))
		return step;
	out.r[a->pc] &= j->u->mask;
	*regs = out;
	f->pc = out.r[a->pc];
	f->sp = out.r[a->sp];
	f->fp = out.r[a->fp];
	f->fp_known = out.known >> a->fp & 1;
	f->exact = exact;
	f->jumped |= r->kind == RULE_SIGRETURN;
	return STEP_OK;
}
