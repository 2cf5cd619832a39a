/* ARM's _Unwind_RaiseException and the functions like it (libgcc's libunwind.S and unwind-arm-common.inc) store all their caller's
 * registers in their frame.  In its second phase the unwinder goes from frame to frame: it changes these registers, until they are
 * those of the function that catches.  So these registers tell where the walk goes on: at first behind the call, then outside of
 * the frames that were left. */
#include "exception_frame.h"

#include "entry.h"
#include "rule.h"
#include "verify.h"

enum { R7 = 7, R11 = 11, SP = 13, LR, PC, FRAME = 72, OWN_CODE = 64, REACH = 1 << 20 };

/* Whether the frame pointer may belong to another frame than sp.  The unwinder replaces a frame's registers one by one, so fp may
 * already be the caller's; then the frame has it stored. */
static bool
torn(const struct memory *m, uint64_t sp, uint64_t fp)
{
	uint64_t word;

	if (fp < sp || fp - sp > REACH)
		return false;   /* fp belongs to no frame, so no step uses it */
	for (; sp < fp && memory_word(m, sp, &word); sp += m->word)
		if (word == fp)
			return true;
	return sp < fp;
}

/* Whether the word that the function at PC stored last is its return address. */
static bool
stores_last(struct job *j, uint64_t pc)
{
	struct entry *e = entry_probe(j->u, j->space, pc - 1);
	const struct row *row;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return false;
	m = entry_module(j->u, e, &vaddr);
	return (row = rule_row(j->u, m, vaddr)) && row_place(row, LR).how == HOW_OFFSET && row->reg[LR].off == -4;
}

/* Whether sp, pc and lr belong to one frame; changes PC so that they do.  The return address out of a frame lies at the
 * frame's end; it is in lr before it is in pc.  HANDLER: pc is a handler's address, so it is right. */
static bool
of_one_frame(struct job *j, uint64_t sp, uint64_t lr, uint64_t *pc, bool handler)
{
	uint64_t word;

	if (!memory_word(&j->memory, sp - 4, &word) || (word != lr && word != *pc))
		return false;
	if (word == *pc || handler)
		return true;
	if (!stores_last(j, *pc & j->u->mask))
		return false;
	*pc = lr;
	return true;
}

enum step
exception_frame(struct job *j, const struct frame *f, struct regs *regs, bool *exact)
{
	uint64_t sp = regs->r[SP], lr = regs->r[LR], pc = regs->r[PC], base = f->sp + FRAME;

	if (f->pc - (pc & j->u->mask) < OWN_CODE)   /* in A32 code pc is the function's own at first */
		pc = lr;
	*exact = !verify_caller(j, pc & j->u->mask);
	if (sp < base || (sp > base && !of_one_frame(j, sp, lr, &pc, *exact)))
		return STEP_NONE;
	regs->r[PC] = pc & j->u->mask;
	if (torn(&j->memory, sp, regs->r[R7]))
		regs->known &= ~((uint64_t)1 << R7);
	if (torn(&j->memory, sp, regs->r[R11]))
		regs->known &= ~((uint64_t)1 << R11);
	return STEP_OK;
}
