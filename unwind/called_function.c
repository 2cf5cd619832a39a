/* Some frames tell which function they belong to: the record leads to a call of a function that makes such a record, and a frame
 * as large as this one.  Then prof need not read the way from the function's beginning to the address. */
#include "called_function.h"

#include "entry.h"
#include "verify.h"

enum { FUNCTION_MAX = 1 << 16 };

bool
called_function(struct job *j, const struct frame *f, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct unwinder *u = j->u;
	const struct arch *a = u->code.arch;
	int16_t cfa = (int16_t)(a->rec_ra + a->word);
	struct cursor code;
	struct entry *caller;
	uint64_t ra, from, start;
	uint32_t size;

	if (!a->frame_size || f->exact || !verify_record(j, f) || !memory_word(&j->memory, f->fp + (uint64_t)(int64_t)a->rec_ra, &ra) ||
	    !(caller = entry_probe(u, j->space, ra - 1)) || caller == &u->spare || entry_module(u, caller, &from) != m)
		return false;
	start = code_called(&u->code, m, from);
	if (vaddr - start >= FUNCTION_MAX || !code_after_call(&u->code, m, vaddr + 1))
		return false;
	code = code_bytes(&u->code, m, start);
	if (!a->frame_size(code.pos, cur_left(&code), &size) || f->fp - f->sp != size)
		return false;
	*rule = (struct rule){ .kind = RULE_DERIVED, .flags = RULE_BASE_FP | RULE_KEEPS_FP | RULE_AFTER_CALL, .cfa_off = cfa,
	                       .ra_off = (int16_t)(a->rec_ra - cfa), .fp_off = (int16_t)(a->rec_fp - cfa), .other_off = OTHER_SAME };
	return true;
}
