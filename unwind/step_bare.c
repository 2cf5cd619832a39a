/* Steps out of code without a frame description: by the frame pointer, by what its instructions told (derive.c).  Each is
 * taken only if what it finds can be a return address; else the stack is cut, for a wrong frame is worse than none. */
#include "unwind/cfi/step_rule.h"

enum { REACH = 1 << 20 };   /* a frame record beyond the copy, but no further than this, is believed */

/* What is returned to without ever having called: by a signal's handler the trampoline, by a coroutine its end. */
static bool
by_hand(struct job *j, struct entry *e)
{
	const struct row *row;
	uint64_t vaddr;
	struct module *m;

	entry_rule(j->u, e);
	if (e->rule.kind != RULE_GENERAL)
		return e->rule.kind == RULE_SIGRETURN || e->rule.flags & RULE_BY_HAND;
	m = entry_module(j->u, e, &vaddr);
	return (row = rule_row(j->u, m, vaddr)) && row->signal;
}

/* Whether RA can be a return address. */
bool
verify_caller(struct job *j, uint64_t ra)
{
	struct entry *e = entry_probe(j->u, j->space, ra - 1);

	return e && e != &j->u->spare && (entry_after_call(j->u, e) || by_hand(j, e));
}

/* Whether an interrupted function whose code cannot be read may stand before its own frame record: right behind the call
 * or before the return there is a return address at sp, and behind the push the old fp; or another than the record's, RA,
 * in its register. */
static bool
recordless(struct job *j, const struct frame *f, uint64_t ra)
{
	const struct arch *a = j->u->arch;
	uint64_t top;

	if (a->ra != a->pc) {
		top = j->full.r[a->ra] & j->u->mask;
		return !verify_known(j, f) || !(j->full.known >> a->ra & 1) || (top != ra && verify_caller(j, top));
	}
	return memory_word(&j->memory, f->sp, &top) && (top == f->fp || entry_probe(j->u, j->space, top - 1));
}

/* Whether fp may point to a frame record. */
bool
verify_record(const struct job *j, const struct frame *f)
{
	return f->fp_known && f->fp % j->u->arch->word == 0 && f->fp >= f->sp && f->fp - f->sp < REACH;
}

enum step
verify_fp(struct job *j, const struct rule *r, struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t ra, fp, sp, at = f->fp + (uint64_t)(int64_t)a->rec_ra;

	j->by = BY_FP;
	if (!verify_record(j, f))
		return STEP_NONE;
	if (!memory_word(&j->memory, at, &ra) || !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &fp)) {
		j->where = at;
		return STEP_OUTSIDE;
	}
	ra &= j->u->mask;
	sp = at + a->word;
	if (!ra)
		return fp ? STEP_NONE : STEP_ROOT;
	if (j->u->mode == MODE_FP ? !entry_probe(j->u, j->space, ra - 1)
	                          : !verify_caller(j, ra) || (f->exact && !(r->flags & RULE_KEEPS_FP) && recordless(j, f, ra)) ||
	                            (a->rec_loose && !derive_sp(j, ra, fp, &sp)))
		return STEP_NONE;
	*f = (struct frame){ .pc = ra, .sp = sp, .fp = fp, .fp_known = true, .jumped = f->jumped };
	return STEP_OK;
}

/* By the CFA that the function saved when it aligned its frame. */
static enum step
step_realigned(struct job *j, const struct rule *r, struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t cfa, ra, again, fp;

	j->where = f->fp + a->word;
	if (!memory_word(&j->memory, f->fp + (uint64_t)(int64_t)r->cfa_off, &cfa) ||
	    !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &fp) ||
	    !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_ra, &again))
		return STEP_OUTSIDE;
	j->where = cfa + (uint64_t)(int64_t)r->ra_off;
	if (cfa <= f->fp || cfa - f->fp > REACH)
		return STEP_NONE;
	if (!memory_word(&j->memory, j->where, &ra))
		return STEP_OUTSIDE;
	if (ra != again)
		return STEP_NONE;
	*f = (struct frame){ .pc = ra, .sp = cfa, .fp = fp, .fp_known = true, .jumped = f->jumped };
	return STEP_OK;
}

/* A thread that has just been made, on its own stack: it comes out of a system call with 0. */
bool
verify_just_made(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->arch;
	struct entry *e = verify_known(j, f) && j->full.known >> a->result & 1 && !j->full.r[a->result]
	                ? entry_probe(j->u, j->space, f->pc - a->syscall_len) : NULL;
	struct insn i;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return false;
	m = entry_module(j->u, e, &vaddr);
	rule_decode(j->u, m, vaddr, &i);
	return i.op == INSN_SYSCALL && i.len == a->syscall_len;
}

/* The rule of one whose CFA hangs on the other frame pointer, here and now: by sp.  All registers are those of F. */
static bool
by_other(const struct job *j, struct rule *r, const struct frame *f)
{
	const struct arch *a = j->u->arch;
	int64_t off = (int64_t)(j->full.r[a->other] - f->sp) + r->cfa_off;

	r->cfa_off = (int32_t)off;
	return j->full_frame.sp == f->sp && j->full.known >> a->other & 1 && off >= 0 && off < REACH;
}

enum step
verify_derived(struct job *j, const struct rule *rule, struct frame *f)
{
	struct rule now = *rule;
	const struct rule *r = &now;
	struct frame to = *f;
	enum step step;

	if (r->kind == RULE_OTHER && !by_other(j, &now, f))
		return STEP_NONE;
	j->by = r->flags & RULE_KEEPS_FP ? BY_FP : BY_CODE;
	if (r->flags & RULE_BASE_FP && !verify_record(j, f))
		return STEP_NONE;
	if (r->flags & RULE_REALIGNED)
		step = step_realigned(j, r, &to);
	else if (r->flags & RULE_RA_IN_REG)
		step = step_link(j, r, &to);
	else
		step = step_plain(r, &j->memory, j->u->mask, &to, &j->where);
	if (step)
		return step;
	/* A frame record of zeros is how a thread begins, or the register's one; any other zero is no return address. */
	if (!to.pc && (r->flags & RULE_KEEPS_FP || (j->u->arch->ra != j->u->arch->pc && !j->u->arch->other)) && to.fp_known && !to.fp)
		return STEP_ROOT;
	if (j->u->arch->ra != j->u->arch->pc && derive_outermost(j, &to))
		return STEP_ROOT;
	j->by_hand = !to.pc || !verify_caller(j, to.pc);
	if (j->by_hand && !derive_returns(j, &to) && !derive_sender(j, r, f, &to))
		return !(r->flags & RULE_RA_IN_REG) && verify_just_made(j, f) ? STEP_ROOT : STEP_NONE;
	if (f->fp_known && to.sp - f->fp == 2 * (uint64_t)j->u->arch->word && to.fp_known)   /* a frame record says the same */
		j->by = BY_FP;
	*f = to;
	return STEP_OK;
}
