/* What is asked besides of machines with two instruction sets and a frame pointer of each (A32 and T32): which set code is of,
 * and where the other frame pointer went.  And leaves whose description is not true. */
#include "sym/module/symtab.h"
#include "unwind/cfi/step_rule.h"

enum { AROUND = 64, ARGUMENTS = 16, ASSEMBLY = 128, ALIGNED = 16 };

bool
rule_other(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	unsigned at = vaddr & 3;
	struct symbol s;
	struct cursor c;

	if (!u->arch->decode_other)
		return false;
	if (at == 1 || at == 2)   /* instructions of four bytes would be aligned, and their last byte is the fourth */
		return true;
	if (symtab_find(u->modules, m, vaddr, &s))
		return s.thumb;
	for (at = AROUND; at; at -= 4) {
		c = rule_code(u, m, (vaddr & ~(uint64_t)3) - at);
		if (cur_left(&c) > at)
			break;
	}
	c = rule_code(u, m, (vaddr & ~(uint64_t)3) - at);
	return u->arch->is_other(c.pos, cur_left(&c), at);
}

void
rule_decode(struct unwinder *u, struct module *m, uint64_t vaddr, struct insn *i)
{
	struct cursor c = rule_code(u, m, vaddr);

	(rule_other(u, m, vaddr) ? u->arch->decode_other : u->arch->decode)(c.pos, cur_left(&c), i);
}

/* Whether the way from AT to START is straight, and a push of no frame's registers comes first. */
static bool
leads_to(struct unwinder *u, struct module *m, uint64_t at, uint64_t start)
{
	struct cursor c = rule_code(u, m, at);
	struct insn i;

	if (!u->arch->prologue(c.pos, cur_left(&c)))
		return false;
	rule_decode(u, m, at, &i);
	if (i.op != INSN_SAVE || i.ra_at != NO_SLOT)
		return false;
	for (at += i.len; at < start; at += i.len) {
		rule_decode(u, m, at, &i);
		if (i.op != INSN_PLAIN)
			return false;
	}
	return at == start;
}

uint64_t
derive_arguments(struct unwinder *u, struct module *m, uint64_t start)
{
	unsigned step = rule_other(u, m, start) ? 2 : 4;

	for (unsigned back = step; back <= ARGUMENTS && back < start; back += step)
		if (leads_to(u, m, start - back, start))
			return start - back;
	return start;
}

bool
derive_aligned(struct unwinder *u, const struct module *m, uint64_t vaddr, uint64_t *start)
{
	for (uint64_t at = vaddr & ~(uint64_t)(ALIGNED - 1); vaddr - at < ASSEMBLY && at >= ALIGNED; at -= ALIGNED) {
		struct cursor c = rule_code(u, m, at - 4);
		uint32_t before = cur_u32(&c);

		*start = at;
		if (!c.bad && (before == 0 || before == 0xbf00bf00 || before == 0x8000f3af))
			return true;
	}
	return false;
}

void
derive_other(const struct job *j, const struct rule *r, const struct frame *f, uint64_t known, struct regs *regs)
{
	unsigned other = j->u->arch->other;
	bool is = known >> other & 1;

	if ((r->kind != RULE_DERIVED && r->kind != RULE_OTHER) || r->other_off == OTHER_LOST)
		return;
	if (r->other_off != OTHER_SAME)
		is = memory_word(&j->memory, f->sp + (uint64_t)(int64_t)r->other_off, &regs->r[other]);
	regs->known |= (uint64_t)is << other;
}

struct entry *
step_again(struct job *j, struct frame *f)
{
	struct frame leaf = j->full_frame;
	struct unwinder *u = j->u;
	struct entry *e = j->at == 1 && !j->full_at && u->mode == MODE_AUTO ? entry_probe(u, j->space, frame_at(&leaf)) : NULL;
	struct module *m;
	struct rule rule;
	uint64_t vaddr;

	if (!e || e == &u->spare || (e->rule.kind != RULE_PLAIN && e->rule.kind != RULE_GENERAL))
		return NULL;
	m = entry_module(u, e, &vaddr);
	derive_rule(u, m, vaddr, &rule);
	if (rule.kind != RULE_DERIVED || verify_derived(j, &rule, &leaf))
		return NULL;
	entry_set_rule(u, entry_find(u, j->space, frame_at(&j->full_frame)), &rule);
	*f = leaf;
	j->walk->by_cfi--;
	j->walk->by_code++;
	return entry_find(u, j->space, frame_at(f));
}
