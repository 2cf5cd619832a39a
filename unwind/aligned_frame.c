/* See aligned_frame.h.  Media codecs (x265, dav1d: all that is made with x86inc) have functions without a description that begin with
 * pushes, "mov %rsp,REG; and $-ALIGN,%rsp; sub $SIZE,%rsp", and mostly at once a store of REG in the frame.  They end with a load of sp from
 * there, or from REG, with pops, and a return.  Between them sp does not change.  So the copy of sp can be tested: the first instructions must
 * make the frame's sp of it.  prof tests it when it makes the rule for an address; later samples there only look for a return address. */
#include "aligned_frame.h"

#include "unwind/derive/flow.h"
#include "verify.h"

enum {
	REACH = 128 << 10,   /* bytes before an address in which prof looks for the function's beginning, and behind it for its end: */
	RETURNS = 6,         /* not behind so many returns */
	PIECE = 256,
	COPY_LEN = 3,        /* bytes of the instruction that copies sp; and of the one that loads it from the frame, at most */
	LOAD_LEN = 8,
	FIRST_INSNS = 3,     /* that align sp, at most */
	POPS = 8,
	FRAME = 1 << 16,
};

struct aligned {
	uint64_t copied, made;       /* behind the instruction that copies sp, and behind those that align it */
	struct alignment alignment;
	uint8_t reg;                 /* that has the copy: DWARF's number */
	bool stored;                 /* the end finds the copy in the frame, at sp + OFF */
	int32_t off;
	uint8_t pops, fp_pop;        /* words above the copy until the return address; the number of fp's + 1, or 0 */
};

/* Whether "mov %rsp,REG" is at P, with a register that is no frame pointer. */
static bool
copies_sp(const uint8_t *p, uint8_t *reg)
{
	static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5 };
	unsigned more = *p & 1;

	*reg = (uint8_t)(more ? 8 + (p[2] & 7) : dwarf[p[2] & 7]);
	return (*p & ~1) == 0x48 && p[1] == 0x89 && (p[2] & 0xf8) == 0xe0 && (more || (p[2] & 6) != 4);
}

/* Whether the instruction at VADDR is "mov OFF(%rsp),%rsp". */
static bool
loads_sp(struct unwinder *u, const struct module *m, uint64_t vaddr, int32_t *off)
{
	struct cursor c = code_bytes(&u->code, m, vaddr);
	const uint8_t *p = c.pos;
	unsigned size;

	if (cur_left(&c) < LOAD_LEN || p[0] != 0x48 || p[1] != 0x8b || (p[2] & 0x3f) != 0x24 || p[2] >= 0xc0 || p[3] != 0x24)
		return false;
	size = p[2] == 0x24 ? 0 : p[2] == 0x64 ? 1 : 4;
	*off = size ? x86_number(p + 4, size) : 0;
	return true;
}

/* Whether such a function begins before COPIED. */
static bool
aligns(struct unwinder *u, struct module *m, uint64_t copied, struct aligned *a)
{
	uint64_t word = u->code.arch->word;
	struct insn i;

	a->alignment = (struct alignment){ .align = word };
	a->copied = a->made = copied;
	for (unsigned n = 0; n < FIRST_INSNS; n++, a->made += i.len) {
		code_decode(&u->code, m, a->made, &i);
		if (i.op != INSN_SP_ADD && (i.op != INSN_SP_LOST || i.off >= 0))
			break;
		alignment_follow(&a->alignment, &i, word);
	}
	return a->alignment.align > word && alignment_is(&a->alignment, word);
}

/* Finds where the function restores the caller's sp and returns: the first such place from VADDR on. */
static bool
find_end(struct unwinder *u, struct module *m, uint64_t vaddr, struct aligned *a)
{
	struct reader r = flow_reader(&u->code, m, vaddr + REACH);
	struct flow f = { .at = vaddr };
	struct insn i = { .op = INSN_PLAIN };
	struct branches b;
	unsigned returns = 0;

	*a = (struct aligned){ .pops = 0 };
	for (; !a->stored && i.op != INSN_SP_FROM_REG; f.at += i.len) {
		flow_skip(&r, &f, true, &b);
		if (f.at >= r.vaddr || !flow_insn(&r, f.at, &i) || (i.op == INSN_RETURN && ++returns > RETURNS))
			return false;
		if (i.op != INSN_SP_LOST)
			continue;
		a->stored = loads_sp(u, m, f.at, &a->off);
		flow_reread(&r);
	}
	a->reg = i.reg;
	for (; a->pops <= POPS && !i.off && flow_insn(&r, f.at, &i); f.at += i.len) {
		if (i.op == INSN_RETURN)
			return !i.target;
		if (i.op == INSN_POP) {
			a->pops++;
			a->fp_pop = i.of_fp ? a->pops : a->fp_pop;
		} else if (i.op != INSN_PLAIN)
			return false;
	}
	return false;
}

/* Whether the function that begins there has just this end. */
static bool
ends_so(struct unwinder *u, struct module *m, const struct aligned *a)
{
	struct aligned own;

	return find_end(u, m, a->made, &own) && own.stored == a->stored && own.off == a->off && own.pops == a->pops && own.fp_pop == a->fp_pop &&
	       (own.stored || own.reg == a->reg);
}

/* Finds the nearest such beginning before VADDR. */
static bool
find_begin(struct unwinder *u, struct module *m, uint64_t vaddr, struct aligned *a)
{
	uint64_t lo = vaddr & ~(uint64_t)(PIECE - 1), n, left;
	uint8_t reg;

	for (; lo && vaddr - lo < REACH; lo -= PIECE) {
		struct cursor c = code_bytes(&u->code, m, lo);

		left = cur_left(&c);
		n = left < COPY_LEN ? 0 : left - COPY_LEN < PIECE ? left - COPY_LEN + 1 : PIECE;
		while (n-- > 0) {
			if (c.pos[n + 1] != 0x89 || !copies_sp(c.pos + n, &reg) || (!a->stored && reg != a->reg))
				continue;
			if (aligns(u, m, lo + n + COPY_LEN, a) && a->copied <= vaddr) {
				a->reg = reg;
				return ends_so(u, m, a);
			}
			c = code_bytes(&u->code, m, lo);   /* it may lie elsewhere now */
			if (cur_left(&c) < left)
				break;
		}
	}
	return false;
}

/* The rule for the frame with the copy in its register, or at sp + OFF. */
static struct rule
rule_of(const struct arch *arch, const struct aligned *a, bool stored)
{
	int16_t cfa = (int16_t)((a->pops + 1) * arch->word);
	struct rule r = { .kind = stored ? RULE_DERIVED : RULE_OTHER, .ra_off = (int16_t)-arch->word };

	r.flags = stored ? RULE_REALIGNED : 0;
	r.cfa_off = stored ? a->off : cfa;
	r.other_off = stored ? cfa : a->reg;
	if (a->fp_pop)
		r.fp_off = (int16_t)((a->fp_pop - 1) * arch->word - cfa);
	else
		r.flags |= RULE_FP_SAME;
	return r;
}

bool
aligned_rule(struct job *j, const struct frame *f, struct module *m, uint64_t vaddr, struct rule *rule)
{
	const struct arch *arch = j->u->code.arch;
	bool known = verify_known(j, f), found;
	struct aligned a;
	uint64_t copy;

	if (m->kind != MODULE_FILE || m->bad || f->sp % arch->word)
		return false;
	work_begin(&m->work);
	found = find_end(j->u, m, vaddr + !f->exact, &a) && find_begin(j->u, m, vaddr, &a);
	work_end();
	if (!found)
		return false;
	*rule = rule_of(arch, &a, a.stored && vaddr > a.made);
	if (rule->kind == RULE_OTHER) {
		copy = j->full.r[a.reg];
		return known && (vaddr < a.made || alignment_sp(&a.alignment, copy) == f->sp) && copy - f->sp < FRAME;
	}
	if (memory_word(&j->memory, f->sp + (uint64_t)(int64_t)a.off, &copy))
		return alignment_sp(&a.alignment, copy) == f->sp && copy - f->sp < FRAME;
	return (f->sp - a.alignment.after) % a.alignment.align == 0;   /* the step tells that the copy of the stack is too short */
}
