/* See step_link.h. */
#include "step_link.h"

#include "outermost.h"
#include "verify.h"

enum step
step_link(struct job *j, const struct rule *r, struct frame *f)
{
	uint64_t cfa = (r->flags & RULE_BASE_FP ? f->fp : f->sp) + (uint64_t)(int64_t)r->cfa_off, ra;

	if (!verify_known(j, f) || !(j->full.known >> r->ra_off & 1) || (r->flags & RULE_BASE_FP && !f->fp_known))
		return STEP_UNKNOWN;
	ra = j->full.r[r->ra_off] & j->u->mask;
	if (cfa < f->sp || (cfa == f->sp && ra == f->pc))
		return STEP_STUCK;
	if (outermost_thread(j, f))
		return STEP_ROOT;
	step_to(r, &j->memory, cfa, ra, f);
	return STEP_OK;
}
