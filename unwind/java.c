/* See java.h. */
#include "java.h"

#include "entry.h"
#include "verify.h"

enum { ARGUMENTS = 256 * 8 };   /* bytes, of a Java method */

/* Java's interpreter calls by a jump, with a return address that it makes itself.  F, the caller, then has a frame record. */
static bool
returns_by_hand(struct job *j, const struct frame *f)
{
	struct entry *e = entry_probe(j->u, j->space, f->pc);
	uint64_t ra, vaddr;

	return e && e != &j->u->spare && entry_module(j->u, e, &vaddr)->kind == MODULE_JIT && verify_record(j, f) &&
	       memory_word(&j->memory, f->fp + (uint64_t)(int64_t)j->u->code.arch->rec_ra, &ra) && entry_probe(j->u, j->space, ra);
}

bool
java_returns(struct job *j, const struct frame *f)
{
	return f->pc && (verify_caller(j, f->pc) || returns_by_hand(j, f));
}

/* HotSpot's interpreter keeps its caller's sp right below where its fp points to. */
bool
java_sender(struct job *j, const struct rule *r, const struct frame *f, struct frame *to)
{
	const struct arch *a = j->u->code.arch;
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));
	struct frame from = *f;
	uint64_t vaddr;

	if (f->exact || r->flags & (RULE_BASE_FP | RULE_RA_IN_REG) || !e || e == &j->u->spare ||
	    entry_module(j->u, e, &vaddr)->kind != MODULE_JIT || !memory_word(&j->memory, f->sp - 3ul * a->word, &from.sp) ||
	    from.sp <= f->sp || from.sp - f->sp > ARGUMENTS || step_plain(r, &j->memory, j->u->mask, &from, &j->where) ||
	    !java_returns(j, &from))
		return false;
	*to = from;
	return true;
}
