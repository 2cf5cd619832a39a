/* Steps out of code without a frame description: by the frame pointer, by what its instructions told (derive.c).  A step
 * counts only if what it finds can be a return address; else prof cuts the stack, because a wrong frame is worse than
 * none. */
#include "step_bare.h"

#include "entry.h"
#include "java.h"
#include "outermost.h"
#include "step_link.h"
#include "unwind/derive/derive.h"
#include "verify.h"

enum { REACH = 1 << 20 };   /* a frame record never leads further */
enum { OWN_MAX = 4096 };    /* bytes of a frame that prof looks at */
enum { LEAF_MAX = 256 };    /* bytes of code without a frame */

/* Whether an interrupted function, with code that prof cannot read, may have no frame record yet, or not any more.  Right
 * behind the call, or before the return, a return address is at sp; behind the push, the old fp is there.  Or the register
 * holds another return address than RA, the record's. */
static bool
recordless(struct job *j, const struct frame *f, uint64_t ra)
{
	const struct arch *a = j->u->code.arch;
	uint64_t top;

	if (a->ra != a->pc) {
		top = j->full.r[a->ra] & j->u->mask;
		return !verify_known(j, f) || !(j->full.known >> a->ra & 1) || (top != ra && verify_caller(j, top));
	}
	return memory_word(&j->memory, f->sp, &top) && (top == f->fp || entry_probe(j->u, j->space, top - 1));
}

/* If a frame record may lie anywhere in its frame, the caller's record, if there is one, tells the caller's sp: at FP, as
 * the rule at RA says. */
static bool
sp_of_record(struct job *j, uint64_t ra, uint64_t fp, uint64_t *sp)
{
	const struct arch *a = j->u->code.arch;
	struct entry *e = entry_probe(j->u, j->space, ra - 1);
	const struct rule *r;
	uint64_t at;

	if (!e || e == &j->u->spare)
		return false;
	entry_rule(j->u, e);
	r = &e->rule;
	if (r->kind == RULE_BARE || r->kind == RULE_ROOT || r->kind == RULE_SILENT || r->kind == RULE_LEFT)
		return true;
	if ((r->kind != RULE_PLAIN && r->kind != RULE_DERIVED) || r->flags & RULE_RA_IN_REG)
		return false;
	if (r->flags & RULE_BASE_FP)
		return true;
	at = fp - (uint64_t)((int64_t)r->cfa_off + r->fp_off - a->rec_fp);
	if (r->flags & (RULE_FP_SAME | RULE_FP_LOST) || r->ra_off - r->fp_off != a->rec_ra - a->rec_fp || at < *sp ||
	    at - *sp > REACH)
		return false;
	*sp = at;
	return true;
}

enum step
step_by_record(struct job *j, const struct rule *r, struct frame *f)
{
	const struct arch *a = j->u->code.arch;
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
	                            (a->rec_loose && !sp_of_record(j, ra, fp, &sp)))
		return STEP_NONE;
	*f = (struct frame){ .pc = ra, .sp = sp, .fp = fp, .fp_known = true, .jumped = f->jumped };
	return STEP_OK;
}

enum step
step_passed(struct job *j, const struct rule *r, struct frame *f)
{
	struct frame own = *f;

	j->where = f->fp + (uint64_t)(int64_t)j->u->code.arch->rec_fp;
	if (!verify_record(j, f))
		return STEP_NONE;
	if (!memory_word(&j->memory, j->where, &own.fp))
		return STEP_OUTSIDE;
	if (own.fp <= f->fp || step_plain(r, &j->memory, j->u->mask, &own, &j->where) || !verify_caller(j, own.pc))
		return STEP_NONE;
	if (!(r->flags & RULE_BASE_FP))   /* the function that does not run yet will remove its record */
		own.sp = f->fp + (uint64_t)(int64_t)j->u->code.arch->rec_ra + j->u->code.arch->word;
	j->by = BY_FP;
	*f = own;
	return STEP_OK;
}

/* Whether ADDR lies in code without a file. */
static bool
is_jit(struct job *j, uint64_t addr)
{
	struct entry *e = entry_probe(j->u, j->space, addr);
	uint64_t vaddr;

	return e && e != &j->u->spare && entry_module(j->u, e, &vaddr)->kind == MODULE_JIT;
}

/* For JIT code whose instructions told nothing: such compilers use fp for frame records or for values, but not for the address of
 * a local (which is where an old record might lie).  If F had no record of its own, fp would be a caller's, and F's return address
 * would lie on the way there.  If there is no such word, the record is F's.  (Java's interpreter makes return addresses that
 * follow no call, so any address of JIT code counts.) */
enum step
step_by_own_record(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	struct frame to = { .fp_known = true, .jumped = f->jumped };
	uint64_t word;

	if (a->ra != a->pc || j->u->mode != MODE_AUTO || !verify_record(j, f) || f->fp - f->sp > OWN_MAX || !is_jit(j, frame_at(f)))
		return STEP_NONE;
	for (uint64_t at = f->sp; at < f->fp; at += a->word)
		if (!memory_word(&j->memory, at, &word) || is_jit(j, word - 1) || verify_caller(j, word))
			return STEP_NONE;
	j->by = BY_FP;
	j->by_hand = true;
	j->where = f->fp + (uint64_t)(int64_t)a->rec_ra;
	if (!memory_word(&j->memory, j->where, &to.pc) || !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &to.fp))
		return STEP_OUTSIDE;
	to.sp = j->where + a->word;
	if (!to.pc && !to.fp)
		return STEP_ROOT;
	if (!java_returns(j, &to))
		return STEP_NONE;
	*f = to;
	return STEP_OK;
}

/* HotSpot's stubs find the method of an interface, and jump there: no way leads to a return.  The word at sp is the return address of a direct
 * call of that stub, and sp is as it will be at the jump. */
enum step
step_called_leaf(struct job *j, struct frame *f)
{
	struct unwinder *u = j->u;
	const unsigned word = u->code.arch->word;
	struct entry *e, *caller;
	uint64_t ra, vaddr, from;
	struct module *m;
	int32_t rise;

	if (!f->exact || u->code.arch->ra != u->code.arch->pc || u->mode != MODE_AUTO || !memory_word(&j->memory, f->sp, &ra) ||
	    !is_jit(j, f->pc) || !is_jit(j, ra - 1))
		return STEP_NONE;
	caller = entry_probe(u, j->space, ra - 1);
	m = entry_module(u, caller, &from);
	if (!(e = entry_probe(u, j->space, f->pc)) || entry_module(u, e, &vaddr) != m || vaddr - code_called(&u->code, m, from) >= LEAF_MAX ||
	    !derive_rise(&u->code, m, vaddr, &rise) || rise)
		return STEP_NONE;
	j->by = BY_CODE;
	j->by_hand = true;
	*f = (struct frame){ .pc = ra, .sp = f->sp + word, .fp = f->fp, .fp_known = f->fp_known, .jumped = f->jumped };
	return STEP_OK;
}

/* By the CFA, or the sp, that the function saved when it aligned its frame. */
static enum step
step_realigned(struct job *j, const struct rule *r, struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	bool by_fp = r->flags & RULE_BASE_FP;
	uint64_t from = by_fp ? f->fp : f->sp, cfa, ra, again, fp;

	j->where = f->fp + a->word;
	if (by_fp && (!memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &fp) ||
	              !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_ra, &again)))
		return STEP_OUTSIDE;
	j->where = from + (uint64_t)(int64_t)r->cfa_off;
	if (!memory_word(&j->memory, j->where, &cfa))
		return STEP_OUTSIDE;
	if (!by_fp)
		cfa += (uint64_t)(int64_t)r->other_off;
	j->where = cfa + (uint64_t)(int64_t)r->ra_off;
	if (cfa <= from || cfa - from > REACH)
		return STEP_NONE;
	if (!memory_word(&j->memory, j->where, &ra))
		return STEP_OUTSIDE;
	if (!by_fp)
		step_to(r, &j->memory, cfa, ra & j->u->mask, f);
	else if (ra == again)
		*f = (struct frame){ .pc = ra, .sp = cfa, .fp = fp, .fp_known = true, .jumped = f->jumped };
	return by_fp && ra != again ? STEP_NONE : STEP_OK;
}

/* Changes a rule with a CFA by a register other than sp and fp to one by sp, for this moment.  All registers must be those of F. */
static bool
by_other(const struct job *j, struct rule *r, const struct frame *f)
{
	const struct arch *a = j->u->code.arch;
	unsigned reg = a->other ? a->other : (unsigned)r->other_off % REGS;
	int64_t off = (int64_t)(j->full.r[reg] - f->sp) + r->cfa_off;

	r->cfa_off = (int32_t)off;
	return j->full_frame.sp == f->sp && j->full.known >> reg & 1 && off >= 0 && off < REACH;
}

/* By a return address that a part of a function has taken into the function's frame, in which it runs: sp stays where it is. */
static enum step
step_part(struct job *j, const struct rule *r, struct frame *f)
{
	uint64_t ra;

	j->where = f->sp + (uint64_t)(int64_t)r->ra_off;
	if (!memory_word(&j->memory, j->where, &ra))
		return STEP_OUTSIDE;
	if ((ra & j->u->mask) == f->pc)
		return STEP_STUCK;
	step_to(r, &j->memory, f->sp, ra & j->u->mask, f);
	return STEP_OK;
}

enum step
step_by_code(struct job *j, const struct rule *rule, struct frame *f)
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
	else if (j->u->code.arch->called && !(r->flags & RULE_BASE_FP) && !r->cfa_off && r->ra_off >= 0)
		step = step_part(j, r, &to);
	else
		step = step_plain(r, &j->memory, j->u->mask, &to, &j->where);
	if (step)
		return step;
	/* A thread begins with a frame record of zeros, or with a zero in the register; any other zero is no return address. */
	if (!to.pc && (r->flags & RULE_KEEPS_FP || (j->u->code.arch->ra != j->u->code.arch->pc && !j->u->code.arch->other)) && to.fp_known && !to.fp)
		return STEP_ROOT;
	if (j->u->code.arch->ra != j->u->code.arch->pc && outermost_program(j, &to))
		return STEP_ROOT;
	j->by_hand = !to.pc || !verify_caller(j, to.pc);
	if (j->by_hand && !java_returns(j, &to) && !java_sender(j, r, f, &to))
		return !(r->flags & RULE_RA_IN_REG) && outermost_just_made(j, f) ? STEP_ROOT : STEP_NONE;
	if (f->fp_known && to.sp - f->fp == 2 * (uint64_t)j->u->code.arch->word && to.fp_known)   /* a frame record says the same */
		j->by = BY_FP;
	*f = to;
	return STEP_OK;
}
