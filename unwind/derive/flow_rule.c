/* What is known of sp, fp and the return address, as a rule.  Each is a guess with a reason: the step that uses it checks
 * whether a return address is really there. */
#include "flow_rule.h"

/* The caller's fp, in a rule whose CFA lies CFA above the base.  prof believes that a register is unchanged only if it was
 * not pushed, because prof may not have seen all paths to a place. */
static void
rule_fp(const struct flow *f, int32_t cfa, struct rule *rule)
{
	bool saved = f->fp.in == HOLDS_SLOT || (f->fp.saved && !f->forward);
	int32_t slot = (f->fp.in == HOLDS_SLOT ? f->fp.at : f->fp.slot) - cfa;

	if (saved && slot == (int16_t)slot)
		rule->fp_off = (int16_t)slot;
	else
		rule->flags |= f->fp.in == HOLDS_ORIGINAL && !saved ? RULE_FP_SAME : RULE_FP_LOST;
}

/* The caller's other frame pointer, in such a rule. */
static int16_t
rule_off(const struct flow *f, const struct held *h, int32_t cfa)
{
	bool saved = h->in == HOLDS_SLOT || (h->saved && !f->forward);
	int32_t slot = (h->in == HOLDS_SLOT ? h->at : h->slot) - cfa;

	if (!saved)
		return h->in == HOLDS_ORIGINAL && !h->at ? OTHER_SAME : OTHER_LOST;
	return slot < OTHER_LOST && slot > INT16_MIN ? (int16_t)slot : OTHER_LOST;
}

/* Adds the return address to the rule: false where it is lost. */
static bool
rule_ra(const struct reader *r, const struct flow *f, int32_t cfa, struct rule *rule)
{
	bool there = !f->sp_known || f->ra.slot >= f->sp;   /* another copy may be gone with the frame */
	bool saved = f->ra.in == HOLDS_SLOT || (f->ra.saved && !f->forward && there);
	int32_t slot = (f->ra.in == HOLDS_SLOT ? f->ra.at : f->ra.slot) - cfa;

	if (saved) {
		rule->ra_off = (int16_t)slot;
		return slot == rule->ra_off;
	}
	rule->flags |= RULE_RA_IN_REG;
	rule->ra_off = r->src->arch->ra;
	return f->ra.in == HOLDS_ORIGINAL;
}

/* Whether fp points to a frame record. */
static bool
at_record(const struct arch *a, const struct flow *f)
{
	return f->fp.slot == f->fp.at + a->rec_fp && f->ra.saved && f->ra.slot == f->fp.at + a->rec_ra;
}

/* Whether a thread begins here: then its return address was popped, is lost, or is zero. */
static bool
begins_thread(const struct reader *r, const struct flow *f)
{
	if (f->ra.in == HOLDS_ZERO)
		return !f->ra.saved;   /* else it is only a number in a register */
	/* On i686 the stack is another one after the system call, though sp seems to be the same. */
	if (r->pushed)
		return f->fp.in == HOLDS_ZERO && f->sp_known && (f->sp > -r->pushed || (f->entered && r->src->arch->clone));
	return f->entered && ((f->fp.in == HOLDS_ZERO && f->ra.in == HOLDS_ELSE && !f->ra.saved) || (f->sp_known && f->sp > 0));
}

bool
flow_rule(const struct reader *r, const struct flow *f, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_DERIVED };
	if (begins_thread(r, f)) {
		rule->kind = RULE_ROOT;
		return true;
	}
	if (f->fp.in == HOLDS_FRAME && f->fp.saved && (!f->sp_known || at_record(r->src->arch, f))) {
		rule->flags |= RULE_BASE_FP;
		rule->cfa_off = -f->fp.at;
	} else if (f->sp_known && (f->sp <= -r->pushed || (f->sp == 0 && f->ra.saved && f->ra.slot >= 0)))
		rule->cfa_off = -f->sp;
	else if (!f->sp_known && f->other.in == HOLDS_FRAME && f->other.saved) {
		rule->kind = RULE_OTHER;
		rule->cfa_off = -f->other.at;
	}
	else if (f->sp_known && f->sp == 0 && f->popped != NO_REG) {
		rule->flags |= RULE_RA_IN_REG;
		rule->ra_off = f->popped;
		rule_fp(f, 0, rule);
		return true;
	} else
		return false;
	rule_fp(f, 0, rule);
	rule->other_off = rule_off(f, &f->other, 0);
	return rule_ra(r, f, 0, rule);
}

bool
flow_kept(const struct reader *r, const struct flow *f, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_DERIVED, .cfa_off = -f->sp, .other_off = OTHER_LOST };
	if (!f->sp_known || f->sp >= -r->pushed)
		return false;
	rule_fp(f, 0, rule);
	if (rule->flags & RULE_FP_SAME)
		rule->flags ^= RULE_FP_SAME | RULE_FP_LOST;
	return rule_ra(r, f, 0, rule) && !(rule->flags & RULE_RA_IN_REG);
}

void
flow_record(const struct reader *r, struct rule *rule)
{
	const struct arch *a = r->src->arch;
	int32_t cfa = a->rec_ra + r->word;

	if (a->rec_loose)
		*rule = (struct rule){ .kind = RULE_BARE, .flags = RULE_KEEPS_FP };
	else
		*rule = (struct rule){ .kind = RULE_DERIVED, .flags = RULE_BASE_FP, .cfa_off = cfa,
		                       .ra_off = (int16_t)(a->rec_ra - cfa), .fp_off = (int16_t)(a->rec_fp - cfa) };
}

bool
flow_returned(const struct reader *r, const struct flow *f, struct rule *rule)
{
	int32_t cfa = f->sp + r->pushed;

	if (f->sp_known && (f->base_fp || f->base_other || f->sp >= 0) && !(r->src->passes && f->record)) {
		*rule = (struct rule){ .kind = f->base_other ? RULE_OTHER : RULE_DERIVED, .cfa_off = cfa, .ra_off = (int16_t)-r->pushed };
		rule->flags = f->base_fp ? RULE_BASE_FP : 0;
		rule_fp(f, cfa, rule);
		rule->other_off = rule_off(f, &f->other, cfa);
		if (r->pushed || rule_ra(r, f, cfa, rule))
			return true;
	}
	if (!f->record)
		return false;
	flow_record(r, rule);
	if (f->realigned) {
		rule->flags |= RULE_REALIGNED;
		rule->cfa_off = f->load_at;
	}
	return true;
}
