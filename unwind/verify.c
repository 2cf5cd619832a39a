/* Steps out of code without a frame description: by the frame pointer, by what its instructions told (derive.c).  Each is
 * taken only if what it finds can be a return address; else the stack is cut, for a wrong frame is worse than none. */
#include "rule.h"

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
static bool
caller(struct job *j, uint64_t ra)
{
	struct entry *e = entry_probe(j->u, j->space, ra - 1);

	return e && e != &j->u->spare && (entry_after_call(j->u, e) || by_hand(j, e));
}

/* Whether an interrupted function whose code cannot be read may stand before its own frame record: right behind the call
 * or before the return there is a return address at sp, and behind the push the old fp. */
static bool
recordless(struct job *j, const struct frame *f)
{
	uint64_t top;

	return memory_word(&j->memory, f->sp, &top) && (top == f->fp || entry_probe(j->u, j->space, top - 1));
}

/* Whether fp may point to a frame record. */
static bool
plausible(const struct job *j, const struct frame *f)
{
	return f->fp_known && f->fp % j->u->arch->word == 0 && f->fp >= f->sp && f->fp - f->sp < REACH;
}

enum step
verify_fp(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t ra, fp, at = f->fp + (uint64_t)(int64_t)a->rec_ra;

	j->by = BY_FP;
	if (!plausible(j, f))
		return STEP_NONE;
	if (!memory_word(&j->memory, at, &ra) || !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &fp)) {
		j->where = at;
		return STEP_OUTSIDE;
	}
	ra &= a->addr_mask;
	if (!ra)
		return fp ? STEP_NONE : STEP_ROOT;
	if (j->u->mode == MODE_FP ? !entry_probe(j->u, j->space, ra - 1)
	                          : !caller(j, ra) || (f->exact && recordless(j, f)))
		return STEP_NONE;
	*f = (struct frame){ .pc = ra, .sp = at + a->word, .fp = fp, .fp_known = true, .jumped = f->jumped };
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

/* By a return address that was popped: of the leaf, whose registers are all known. */
static enum step
step_popped(const struct job *j, const struct rule *r, struct frame *f)
{
	const struct arch *a = j->u->arch;

	if (j->full_at || j->full.r[a->pc] != f->pc || j->full.r[a->sp] != f->sp || !(j->full.known >> r->ra_off & 1))
		return STEP_UNKNOWN;
	f->pc = j->full.r[r->ra_off];
	f->sp += (uint64_t)(int64_t)r->cfa_off;
	f->exact = false;
	if (r->flags & RULE_FP_LOST)
		f->fp_known = false;
	return STEP_OK;
}

/* Java's interpreter calls by a jump, with a return address of its own making.  F, the caller, then has a frame record. */
static bool
returns_by_hand(struct job *j, const struct frame *f)
{
	struct entry *e = entry_probe(j->u, j->space, f->pc);
	uint64_t ra, vaddr;

	return e && e != &j->u->spare && entry_module(j->u, e, &vaddr)->kind == MODULE_JIT && plausible(j, f) &&
	       memory_word(&j->memory, f->fp + (uint64_t)(int64_t)j->u->arch->rec_ra, &ra) && entry_probe(j->u, j->space, ra);
}

/* A thread that has just been made, on its own stack: it comes out of a system call with 0, and there is nothing to return
 * to as there is for who made it (glibc's clone3 has no table there). */
static bool
just_made(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->arch;
	struct entry *e = f->exact && !j->at ? entry_probe(j->u, j->space, f->pc - a->syscall_len) : NULL;
	struct cursor c;
	struct insn i;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare || j->full_at || j->full.r[a->pc] != f->pc || !(j->full.known >> a->result & 1) ||
	    j->full.r[a->result])
		return false;
	m = entry_module(j->u, e, &vaddr);
	c = rule_code(j->u, m, vaddr);
	a->decode(c.pos, cur_left(&c), &i);
	return i.op == INSN_SYSCALL && i.len == a->syscall_len;
}

enum step
verify_derived(struct job *j, const struct rule *r, struct frame *f)
{
	struct frame to = *f;
	enum step step;

	j->by = r->flags & RULE_KEEPS_FP ? BY_FP : BY_CODE;
	if (r->flags & RULE_BASE_FP && !plausible(j, f))
		return STEP_NONE;
	if (r->flags & RULE_REALIGNED)
		step = step_realigned(j, r, &to);
	else if (r->flags & RULE_RA_POPPED)
		step = step_popped(j, r, &to);
	else
		step = step_plain(r, &j->memory, j->u->arch->addr_mask, &to, &j->where);
	if (step)
		return step;
	/* A frame record of zeros is how a thread begins; any other zero is no return address. */
	if (!to.pc && r->flags & RULE_KEEPS_FP && to.fp_known && !to.fp)
		return STEP_ROOT;
	if (!to.pc || (!caller(j, to.pc) && !returns_by_hand(j, &to)))
		return !(r->flags & RULE_RA_POPPED) && just_made(j, f) ? STEP_ROOT : STEP_NONE;
	if (f->fp_known && to.sp - f->fp == 2 * (uint64_t)j->u->arch->word && to.fp_known)   /* a frame record says the same */
		j->by = BY_FP;
	*f = to;
	return STEP_OK;
}
