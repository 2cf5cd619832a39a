/* Code whose callers make the frame records of their callees.  SBCL's compiled code calls like this: the caller makes a frame record for its callee, stores its own fp there, lets fp
 * point to the record, and calls.  The callee begins by popping its return address into the record, and returns as all functions do that keep
 * frame records.  So in a function's body fp points to its record, and calls leave fp as it was.  But from the moment when fp points to the
 * record of a callee, until the return address is there, the record holds only where the caller's own record is; behind it lies an old word.
 * Some functions in assembly have no record, or make one for themselves: the way from there to a return tells. */
#include "flow_rule.h"
#include "forward.h"

enum {
	ENTERS_INSNS = 5,     /* before the return address is popped */
	PASSES_MOST = 28,     /* bytes from fp's move to the end of the call */
	SAVES_FP = 0x55,
};

/* Whether the code is on its way to the beginning of a function, by a jump or two. */
static bool
enters(struct reader *r)
{
	struct code_source *src = r->src;
	uint64_t at = code_address(src, r->m, r->vaddr);
	struct cursor c;
	struct insn i;

	for (unsigned n = 0; at && n < ENTERS_INSNS; n++) {
		c = code_pages_of_space(&src->pages, src->space, at);
		if (src->arch->takes(c.pos, cur_left(&c)))
			return true;
		src->arch->decode(c.pos, cur_left(&c), &i);
		if (i.op != INSN_PLAIN && i.op != INSN_JUMP && (i.op != INSN_RETURN || !i.target))
			return false;
		at += i.op == INSN_PLAIN ? i.len : (uint64_t)(int64_t)i.target;
		if (i.op == INSN_RETURN) {
			c = code_pages_of_space(&src->pages, src->space, at);
			at = cur_u64(&c);
		}
	}
	return false;
}

/* Whether fp points to the record of the function that is called next; or, if RETURNS, whether that function returns here. */
static bool
has_passed(struct reader *r, bool returns)
{
	const struct arch *a = r->src->arch;
	uint64_t at = r->vaddr + returns;
	struct insn i;

	for (unsigned back = PASSES_MOST; back; back--) {
		struct cursor c = code_bytes(r->src, r->m, at - back - 1);
		bool saved = cur_u8(&c) == SAVES_FP;   /* a function in assembly begins */
		unsigned call = c.bad || saved ? 0 : a->passes(c.pos, cur_left(&c)), to = 0, from;

		for (from = 0; call && to < back && to <= call; to += i.len ? i.len : back) {
			a->decode(c.pos + to, cur_left(&c) - to, &i);
			from = to;
		}
		if (call && to == back && (returns ? from == call : to <= call))
			return true;
	}
	return false;
}

/* The rule at the reader's address.  RETURNS: it is of a return address.  WAYS: as for derive_forward. */
void
derive_callers_record(struct reader *r, struct ways *w, bool returns, struct rule *rule)
{
	const struct arch *a = r->src->arch;

	if (!returns && enters(r))
		*rule = (struct rule){ .kind = RULE_PASSED, .flags = RULE_FP_SAME, .cfa_off = a->word, .ra_off = (int16_t)-a->word };
	else if (has_passed(r, returns)) {
		flow_record(r, rule);
		rule->kind = returns ? RULE_DERIVED : RULE_PASSED;
	} else if (!derive_forward(r, w, r->vaddr + returns, returns, rule))
		*rule = (struct rule){ .kind = RULE_SILENT };
}
