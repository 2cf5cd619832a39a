/* See saved_sp.h.  OpenSSL's code for AVX2 saves sp as it was at its entry, realigns sp, and lowers it again and again while it runs; the
 * saved word goes along, at last below sp, where the kernel's copy has nothing.  It also stays where the function first put it, because it
 * is there that the end of the function takes it from: the rows at both ends of the table name the same place, at that distance from a
 * register.  Between them the distance from sp is not known.  But the first instructions tell where the place is for each value of the saved
 * word, and at this value lies the return address.  The right word is among those that prof looks at; if they give two such values, it
 * takes none. */
#include "saved_sp.h"

#include "entry.h"
#include "rule.h"
#include "verify.h"

enum {
	OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_DEREF = 0x06, OP_PLUS_UCONST = 0x23,   /* DWARF 5, section 7.7.1 */
	ENDS = 512, EACH = 8,     /* bytes at each end of the function in which prof looks for such a row, and between two looks */
	LOWERED = 4 << 10,        /* bytes by which the function lowers sp, and of its frame, at most */
	FRAME = 8 << 10,
};

/* Whether the row says: CFA = the word at a register + *OFF, and one word more. */
static bool
is_saved(const struct arch *a, const struct row *row, int64_t *off)
{
	struct cursor c = cur_of(row->cfa_expr, row->cfa_expr ? (size_t)row->cfa_off : 0, row->big);
	uint8_t reg = cur_u8(&c);

	*off = cur_sleb(&c);
	return reg >= OP_BREG0 && reg <= OP_BREG31 && cur_u8(&c) == OP_DEREF && cur_u8(&c) == OP_PLUS_UCONST && cur_uleb(&c) == a->word &&
	       !c.bad && !cur_left(&c);
}

/* How the instructions before UNTIL make sp from what it was at the entry. */
static void
find_alignment(struct unwinder *u, struct module *m, uint64_t vaddr, uint64_t until, struct saved_place *p)
{
	uint64_t word = u->code.arch->word;
	struct insn i;

	p->from_entry = (struct alignment){ .align = word };
	for (; vaddr < until; vaddr += i.len) {
		code_decode(&u->code, m, vaddr, &i);
		if (i.op > INSN_CALL)
			break;
		alignment_follow(&p->from_entry, &i, word);
	}
	if (!alignment_is(&p->from_entry, word))
		p->off = -1;
}

/* The place of the word where the function stores it first, if the end of the function finds it there, too. */
static void
find_place(struct unwinder *u, struct module *m, uint64_t vaddr, struct saved_place *p)
{
	const struct arch *a = u->code.arch;
	int64_t last = -1;
	uint64_t at = 0, from;
	struct row row;
	struct fde fde;

	*p = (struct saved_place){ .module = m, .off = -1 };
	if (!rule_fde(u, m, vaddr, &fde))
		return;
	p->lo = fde.lo;
	p->hi = fde.hi;
	for (; at < ENDS && at < fde.hi - fde.lo && p->off < 0; at += EACH)
		if (cfi_row(a, &fde, fde.lo + at, &row) || !is_saved(a, &row, &p->off))
			p->off = -1;
	from = fde.lo + at;
	for (at = 1; at < ENDS && at < fde.hi - fde.lo && last < 0; at += EACH)
		if (cfi_row(a, &fde, fde.hi - at, &row) || !is_saved(a, &row, &last))
			last = -1;
	if (last != p->off)
		p->off = -1;
	find_alignment(u, m, fde.lo, from, p);
}

enum step
saved_sp(struct job *j, const struct frame *f, const struct row *row, uint64_t *cfa)
{
	const struct arch *a = j->u->code.arch;
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));
	struct saved_place *p = &j->u->saved;
	const struct alignment *from = &p->from_entry;
	uint64_t vaddr, at, sp, ra, found = 0;
	struct module *m;
	int64_t off;

	if (!e || e == &j->u->spare || !is_saved(a, row, &off))
		return STEP_NONE;
	m = entry_module(j->u, e, &vaddr);
	if (p->module != m || vaddr < p->lo || vaddr >= p->hi) {
		work_begin(&m->work);
		find_place(j->u, m, vaddr, p);
		work_end();
	}
	if (p->off < 0)
		return STEP_NONE;
	at = f->sp + (uint64_t)p->off;
	at += (from->after + (uint64_t)p->off - at) & (from->align - 1);
	for (uint64_t end = at + LOWERED; at < end && memory_word(&j->memory, at, &sp); at += from->align) {
		if (found && at >= found)   /* another frame */
			break;
		if (alignment_sp(from, sp) + (uint64_t)p->off != at || sp <= at || sp - at > FRAME || !memory_word(&j->memory, sp, &ra) || !verify_caller(j, ra))
			continue;
		if (found && found != sp)
			return STEP_NONE;
		found = sp;
	}
	if (!found)
		return STEP_NONE;
	*cfa = found + a->word;
	return STEP_OK;
}
