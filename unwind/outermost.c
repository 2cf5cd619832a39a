/* What a walk needs beside rules: where a call leaves the return address in a register, and where code tells nothing. */
#include "unwind/cfi/step_rule.h"

#include <string.h>

enum {
	REACH = 1 << 20,            /* the next frame record is no further away */
	CLONE3 = 435,               /* a system call, where machines have a call_number */
	CLONE_BYTES = 40,           /* that its wrappers have around it, no more */
	WORDS_MAX = 1 << 20,        /* of a command */
	AUX_MAX = 64,               /* the auxiliary vector's types */
	LAST_MAX = 64,              /* words of a frame that has but a root behind it */
	ARGUMENTS = 256 * 8,        /* bytes, of a Java method */
};

bool
derive_sp(struct job *j, uint64_t ra, uint64_t fp, uint64_t *sp)
{
	const struct arch *a = j->u->arch;
	struct entry *e = entry_probe(j->u, j->space, ra - 1);
	const struct rule *r;
	uint64_t at;

	if (!e || e == &j->u->spare)
		return false;
	entry_rule(j->u, e);
	r = &e->rule;
	if (r->kind == RULE_BARE || r->kind == RULE_ROOT || r->kind == RULE_SILENT)
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

/* Whether a system call was made by the instructions before F, and its stack is not just the caller's, as vfork's is. */
static bool
on_new_stack(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->arch;
	struct entry *e = entry_probe(j->u, j->space, f->pc - CLONE_BYTES);
	const uint8_t *p;
	bool entered = false;
	struct cursor code;
	struct insn i;
	uint64_t vaddr;
	struct module *m;

	if (!e || e == &j->u->spare)
		return false;
	m = entry_module(j->u, e, &vaddr);
	code = rule_code(j->u, m, vaddr);
	if (!(p = cur_take(&code, CLONE_BYTES)))
		return false;
	for (unsigned at = 0; at < CLONE_BYTES; at += a->align) {
		if (!memcmp(p + at, a->same_stack, a->align))
			return false;
		a->decode(p + at, CLONE_BYTES - at, &i);
		entered |= i.op == INSN_SYSCALL;
	}
	return entered;
}

/* The same where the return address in its register is that of who made it: by clone with a stack as its second argument,
 * or by clone3. */
static bool
begins_here(struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t number;

	if (a->call_number == NO_REG)
		return false;
	number = j->full.r[a->call_number];
	if (number == a->clone && !j->full.r[a->result] && j->full.r[a->result + 1] == f->sp)
		return verify_known(j, f) && on_new_stack(j, f);   /* also some instructions later */
	return number == CLONE3 && verify_just_made(j, f);
}

enum step
step_link(struct job *j, const struct rule *r, struct frame *f)
{
	uint64_t cfa = (r->flags & RULE_BASE_FP ? f->fp : f->sp) + (uint64_t)(int64_t)r->cfa_off, ra;

	if (!verify_known(j, f) || !(j->full.known >> r->ra_off & 1) || (r->flags & RULE_BASE_FP && !f->fp_known))
		return STEP_UNKNOWN;
	ra = j->full.r[r->ra_off] & j->u->mask;
	if (cfa < f->sp || (cfa == f->sp && ra == f->pc))
		return STEP_STUCK;
	if (begins_here(j, f))
		return STEP_ROOT;
	step_to(r, &j->memory, cfa, ra, f);
	return STEP_OK;
}

/* Skips pointers to strings further up, in their order, and the 0 behind them. */
static bool
skip_strings(const struct memory *m, uint64_t *at, uint64_t *n)
{
	uint64_t last = *at, string;

	for (*n = 0; memory_word(m, *at, &string); ++*n) {
		*at += m->word;
		if (!string)
			return true;
		if (string <= last || string - *at > REACH)
			break;
		last = string;
	}
	return false;
}

bool
derive_outermost(struct job *j, const struct frame *f)
{
	const struct memory *m = &j->memory;
	uint64_t argc, n, at = f->sp + m->word, aux;
	struct entry *e;

	if (!memory_word(m, f->sp, &argc) || !argc || argc > WORDS_MAX || !skip_strings(m, &at, &n) || n != argc ||
	    !skip_strings(m, &at, &n) || !memory_word(m, at, &aux) || !aux || aux > AUX_MAX)
		return false;
	if ((e = entry_probe(j->u, j->space, f->pc - 1)))
		entry_rule(j->u, e);
	return !e || e->rule.kind != RULE_ROOT;   /* else the entry point's code did call */
}

void
derive_mend(const struct unwinder *u, const struct fde *fde, uint64_t vaddr, struct row *row)
{
	const struct arch *a = u->arch;
	struct row next;
	struct place ra;
	const uint8_t *p = fde->insns.pos;
	uint32_t by;

	while (p < fde->insns.end && !*p)
		p++;
	if (p == fde->insns.end && !row->signal)
		row->truth = ROW_MUTE;

	if (vaddr == fde->lo && !cfi_row(a, fde, vaddr + a->align, &next) && row_place(&next, next.ra).how == HOW_OFFSET &&
	    next.reg[next.ra].off >= 0 && next.cfa_off == row->cfa_off)
		by = (uint32_t)next.reg[next.ra].off + a->word;
	else {
		ra = row_place(row, row->ra);
		by = ra.how == HOW_OFFSET && ra.off >= 0 ? (uint32_t)ra.off + a->word : 0;
	}
	if (!by || by > 64 || row->cfa_expr || row->signal)
		return;
	row->cfa_off = (int64_t)((uint64_t)row->cfa_off + by);
	for (unsigned r = 0; r < REGS; r++)
		if (row->set >> r & 1 && (row->reg[r].how == HOW_OFFSET || row->reg[r].how == HOW_VALUE))
			row->reg[r].off = (int32_t)((uint32_t)row->reg[r].off - by);
}

enum step
step_last(struct job *j, struct frame *f)
{
	const struct arch *a = j->u->arch;
	uint64_t at = f->sp, ra;
	struct entry *e;

	for (unsigned n = 0; a->ra == a->pc && n < LAST_MAX && memory_word(&j->memory, at, &ra); n++) {
		at += a->word;
		if (!verify_caller(j, ra))
			continue;
		e = entry_probe(j->u, j->space, ra - 1);
		entry_rule(j->u, e);
		if (e->rule.kind != RULE_ROOT || e->rule.flags & RULE_BY_HAND)   /* which a pointer to a function looks like */
			break;
		j->by = BY_CODE;
		*f = (struct frame){ .pc = ra, .sp = at, .jumped = f->jumped };
		return STEP_OK;
	}
	return STEP_NONE;
}

/* Java's interpreter calls by a jump, with a return address of its own making.  F, the caller, then has a frame record. */
static bool
returns_by_hand(struct job *j, const struct frame *f)
{
	struct entry *e = entry_probe(j->u, j->space, f->pc);
	uint64_t ra, vaddr;

	return e && e != &j->u->spare && entry_module(j->u, e, &vaddr)->kind == MODULE_JIT && verify_record(j, f) &&
	       memory_word(&j->memory, f->fp + (uint64_t)(int64_t)j->u->arch->rec_ra, &ra) && entry_probe(j->u, j->space, ra);
}

bool
derive_returns(struct job *j, const struct frame *f)
{
	return f->pc && (verify_caller(j, f->pc) || returns_by_hand(j, f));
}

/* HotSpot's interpreter keeps its caller's sp right below where its fp points to. */
bool
derive_sender(struct job *j, const struct rule *r, const struct frame *f, struct frame *to)
{
	const struct arch *a = j->u->arch;
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));
	struct frame from = *f;
	uint64_t vaddr;

	if (f->exact || r->flags & (RULE_BASE_FP | RULE_RA_IN_REG) || !e || e == &j->u->spare ||
	    entry_module(j->u, e, &vaddr)->kind != MODULE_JIT || !memory_word(&j->memory, f->sp - 3ul * a->word, &from.sp) ||
	    from.sp <= f->sp || from.sp - f->sp > ARGUMENTS || step_plain(r, &j->memory, j->u->mask, &from, &j->where) ||
	    !derive_returns(j, &from))
		return false;
	*to = from;
	return true;
}
