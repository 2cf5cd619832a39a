/* See verify.h. */
#include "verify.h"

#include "entry.h"
#include "rule.h"

enum { REACH = 1 << 20 };   /* a frame record beyond the copy, but no further than this, is believed */

/* Code to which others return although it never called: a signal's handler returns to the trampoline, a coroutine to its end. */
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

/* Whether fp may point to a frame record. */
bool
verify_record(const struct job *j, const struct frame *f)
{
	return f->fp_known && f->fp % j->u->code.arch->word == 0 && f->fp >= f->sp && f->fp - f->sp < REACH;
}
