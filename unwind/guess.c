/* Steps out of code that says nothing of itself: by the frame pointer, by what its instructions told (derive.c), by
 * looking through the stack.  Each is taken only if what it finds can be a return address. */
#include "rule.h"

enum {
	SCAN_WORDS = 256,
	TRIAL = 2,                /* frames that must unwind behind a word that was found */
	REACH = 1 << 20,          /* a frame record beyond the copy, but no further than this, is believed */
};

/* A signal's handler is not called: it returns to the trampoline. */
static bool
trampoline(struct job *j, struct entry *e)
{
	const struct row *row;
	uint64_t vaddr;
	struct module *m;

	entry_rule(j->u, e);
	if (e->rule.kind != RULE_GENERAL)
		return e->rule.kind == RULE_SIGRETURN;
	m = entry_module(j->u, e, &vaddr);
	return (row = rule_row(j->u, m, vaddr)) && row->signal;
}

/* Whether RA can be a return address. */
static bool
caller(struct job *j, uint64_t ra)
{
	struct entry *e = entry_probe(j->u, j->space, ra - 1);

	return e && e != &j->u->spare && (entry_after_call(j->u, e) || trampoline(j, e));
}

enum step
guess_fp(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t ra, fp, at = f->fp + (uint64_t)(int64_t)a->rec_ra;

	j->by = BY_FP;
	if (!f->fp_known || f->fp % a->word || f->fp < f->sp)
		return STEP_NONE;
	if (!memory_word(&j->memory, at, &ra) || !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_fp, &fp)) {
		j->where = at;
		return f->fp - f->sp < REACH ? STEP_OUTSIDE : STEP_NONE;
	}
	ra &= a->addr_mask;
	if (!ra ? fp != 0 : j->u->mode == MODE_FP ? !entry_probe(j->u, j->space, ra - 1) : !caller(j, ra))
		return STEP_NONE;
	*f = (struct frame){ .pc = ra, .sp = at + a->word, .fp = fp, .fp_known = true, .jumped = f->jumped };
	return STEP_OK;
}

enum step
guess_derived(struct job *j, const struct rule *r, struct frame *f)
{
	struct frame to = *f;
	enum step step = step_plain(r, &j->memory, j->u->arch->addr_mask, &to, &j->where);

	j->by = BY_GUESS;
	if (step)
		return step;
	if (to.pc && !caller(j, to.pc))
		return STEP_NONE;
	*f = to;
	return STEP_OK;
}

/* One frame of a trial, with no more than pc, sp and fp. */
static enum step
try_step(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->arch;
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));
	struct rule r;
	const struct row *row;
	struct regs regs = { .known = (uint64_t)1 << a->pc | (uint64_t)1 << a->sp | (uint64_t)f->fp_known << a->fp };
	struct module *m;
	uint64_t vaddr;

	if (!e || e == &j->u->spare)
		return STEP_NONE;
	entry_rule(j->u, e);
	r = e->rule;
	switch (r.kind) {
	case RULE_ROOT:
		return STEP_ROOT;
	case RULE_PLAIN:
	case RULE_DERIVED:
		return guess_derived(j, &r, f);
	case RULE_BARE:
	case RULE_JIT:
		return guess_fp(j, f);
	case RULE_GENERAL:
		m = entry_module(j->u, e, &vaddr);
		if (!(row = rule_row(j->u, m, vaddr)))
			return STEP_NONE;
		regs.r[a->pc] = f->pc;
		regs.r[a->sp] = f->sp;
		regs.r[a->fp] = f->fp;
		return step_row(j, row, &regs, f, true);
	}
	return STEP_NONE;
}

/* Whether the frame and the next one unwind; STEP_OUTSIDE where the copy ends before that is known. */
static enum step
holds(struct job *j, struct frame f)
{
	for (unsigned i = 0; i < TRIAL; i++) {
		enum step step = try_step(j, &f);

		if (step == STEP_ROOT || (!step && !f.pc))
			return STEP_OK;
		if (step)
			return step;
	}
	return STEP_OK;
}

enum step
guess_scan(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->arch;
	struct frame to = { .fp = f->fp, .fp_known = f->fp_known, .jumped = f->jumped };
	struct entry *e;
	uint64_t at = f->sp;

	for (unsigned i = 0; i < SCAN_WORDS && memory_word(&j->memory, at, &to.pc); i++, at += a->word) {
		to.pc &= a->addr_mask;
		to.sp = at + a->word;
		if (!to.pc || !(e = entry_probe(j->u, j->space, to.pc - 1)) || !entry_after_call(j->u, e))
			continue;
		j->by = BY_GUESS;
		switch (holds(j, to)) {
		case STEP_OK:
			*f = to;
			return STEP_OK;
		case STEP_OUTSIDE:
			return STEP_OUTSIDE;
		default:
			break;
		}
	}
	return STEP_NONE;
}
