/* How one step out of a piece of code goes, in 12 bytes. */
#ifndef UNWIND_CFI_STEP_RULE_H
#define UNWIND_CFI_STEP_RULE_H

#include "frame.h"
#include "memory.h"

enum rule_kind {
	RULE_NONE,         /* not looked at yet */
	RULE_PLAIN,        /* by its frame description: CFA, return address and fp as the rule has them */
	RULE_GENERAL,      /* by its frame description, which says more than a rule holds */
	RULE_LINK,         /* like PLAIN, but the return address is in a register: see RULE_RA_IN_REG */
	RULE_DERIVED,      /* like PLAIN, but found by reading the instructions: to be verified */
	RULE_OTHER,        /* like DERIVED, but the CFA is the machine's other frame pointer + cfa_off.  On machines without one it is register
	                    * other_off + cfa_off */
	RULE_PASSED,       /* like DERIVED, but fp points to the record of a function that does not run yet: see callers_record.c */
	RULE_ROOT,         /* nobody called it */
	RULE_SIGRETURN,    /* a signal trampoline without a description */
	RULE_KEPT,         /* all registers of its caller are in its frame: see exception_frame.c */
	RULE_BARE,         /* nothing is known, not even its bytes: by a frame pointer */
	RULE_SILENT,       /* prof read its instructions, and they do not tell */
	RULE_LEFT,         /* there is no time to read them now */
	RULE_LOST,         /* of a module that prof could not open */
	RULE_BAD,          /* its frame description lies */
};

enum {
	RULE_BASE_FP = 1,      /* CFA = fp + cfa_off, else sp + cfa_off */
	RULE_FP_SAME = 2,      /* fp is the caller's */
	RULE_FP_LOST = 4,
	RULE_KEEPS_FP = 8,     /* fp points to a frame record */
	RULE_AFTER_CALL = 16, /* the code is the end of a call */
	RULE_REALIGNED = 32,  /* with BASE_FP: the CFA is the word at fp + cfa_off, and the return address lies in the frame record, too; without:
	                       * the CFA is the word at sp + cfa_off, and other_off more */
	RULE_BY_HAND = 128,   /* functions return to it although it has not called them */
	RULE_RA_IN_REG = 64,  /* the return address is in register ra_off; only for an interrupted pc */
};

struct rule {
	int32_t cfa_off;
	int16_t ra_off, fp_off;   /* from the CFA */
	uint8_t kind, flags;
	int16_t other_off;        /* of the machine's other frame pointer, or OTHER_*; only for DERIVED and OTHER.  See OTHER and REALIGNED */
};

enum { OTHER_LOST = INT16_MAX - 1, OTHER_SAME };

/* Makes F the caller's frame.  The rule says where the caller's fp is. */
static inline void
step_to(const struct rule *r, const struct memory *m, uint64_t cfa, uint64_t ra, struct frame *f)
{
	uint64_t at = cfa + (uint64_t)(int64_t)r->fp_off;

	if (!(r->flags & RULE_FP_SAME)) {
		/* Below sp: an epilogue has already popped it, so its value is in the register. */
		if (r->flags & RULE_FP_LOST || (!memory_word(m, at, &f->fp) && at >= f->sp))
			f->fp_known = false;
		else if (memory_has(m, at))
			f->fp_known = true;
	}
	f->sp = cfa;
	f->pc = ra;
	f->exact = false;
}

/* Steps F by a plain rule.  Its pc is the raw return address then. */
static inline enum step
step_plain(const struct rule *r, const struct memory *m, uint64_t addr_mask, struct frame *f, uint64_t *where)
{
	uint64_t cfa = (r->flags & RULE_BASE_FP ? f->fp : f->sp) + (uint64_t)(int64_t)r->cfa_off, ra, at;

	if (__builtin_expect(r->flags & RULE_BASE_FP && !f->fp_known, 0))
		return STEP_UNKNOWN;
	at = cfa + (uint64_t)(int64_t)r->ra_off;
	if (__builtin_expect(!memory_word(m, at, &ra), 0)) {
		*where = at;
		return STEP_OUTSIDE;
	}
	if (__builtin_expect(cfa <= f->sp, 0))
		return STEP_STUCK;
	step_to(r, m, cfa, ra & addr_mask, f);
	return STEP_OK;
}

#endif
