/* Rules for code without a frame description (musl, assembly, JIT code), by following what its instructions do to sp and
 * fp: from the function's beginning if a symbol tells that, else from the address forward to a return.  What comes out
 * is a guess with a reason: whoever steps by it looks whether a return address is really there. */
#include "flow.h"

#include <string.h>

enum {
	ENTRY_INSNS = 64,
	PAGE = 4096,
	START_PAGES = 16,     /* in which a function's beginning is looked for */
	NAMED_BEFORE = 1 << 16,   /* bytes, likewise */
	NAMED_FILE = 4 << 20, NAMED_ALL = 48 << 20,   /* bytes that are searched for names of it: of a file, and all in all */
};

static bool
has_byte(uint64_t word, uint8_t byte)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t x = word ^ ones * byte;

	return (x - ones) & ~x & ones << 7;
}

/* Whether a mark of beginnings is among the 8 bytes. */
static bool
marked(const struct arch *a, const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return has_byte(word, a->marks[0]) || has_byte(word, a->marks[1]);
}

static bool
may_begin(const struct arch *a, uint8_t byte)
{
	return !a->marks[0] || byte == a->first[0] || byte == a->first[1] || byte == a->first[2];
}

/* The last beginning before P + *END, of which LEFT bytes may be read; *END becomes where. */
static bool
last_beginning(const struct arch *a, const uint8_t *p, uint64_t left, unsigned align, uint64_t *end)
{
	bool behind = true;   /* what is next to the word may have the mark */

	while (*end) {
		unsigned n = *end >= 8 && a->marks[0] ? 8 : 1;

		if (n == 8) {
			bool here = marked(a, p + *end - 8), either = here || behind;

			behind = here;
			if (!either) {
				*end -= 8;
				continue;
			}
		}
		while (n--)
			if (--*end % align == 0 && may_begin(a, p[*end]) && a->prologue(p + *end, left - *end))
				return true;
	}
	return false;
}

bool
derive_start(struct unwinder *u, struct module *m, uint64_t vaddr, uint64_t *start)
{
	uint64_t at = vaddr, page = vaddr & ~(uint64_t)(PAGE - 1);
	unsigned align = u->arch->decode_other && !rule_other(u, m, vaddr) ? 4 : u->arch->align;

	for (unsigned n = 0; u->arch->prologue && n < START_PAGES && page; n++, at = page - 1, page -= PAGE) {
		struct cursor c = rule_code(u, m, page);
		uint64_t end = at - page + 1;

		if (cur_left(&c) < end)
			return false;
		if (last_beginning(u->arch, c.pos, cur_left(&c), align, &end)) {
			for (unsigned push = 1; push && u->arch->push_before; end -= push)
				push = u->arch->push_before(c.pos + end, end);
			*start = u->arch->decode_other ? derive_arguments(u, m, page + end) : page + end;
			return true;
		}
	}
	return false;
}

/* Whether the way on from here leads to a return that takes its address from where a call left it, though the function
 * that seems to begin before has stored it: it ended by a call that does not return, and this is the next one. */
static bool
leaves_by_register(struct reader *r, const struct rule *rule)
{
	struct rule other;

	return !r->pushed && !(rule->flags & RULE_RA_IN_REG) && derive_forward(r, r->vaddr, false, &other) && other.flags & RULE_RA_IN_REG;
}

static bool
derive(struct reader *r, struct rule *rule)
{
	struct unwinder *u = r->u;
	uint64_t lo, hi;
	bool jit = r->m->kind == MODULE_JIT, named, returns, starts, begins;

	if (!u->work && !(u->work = arena_alloc(&u->arena, sizeof *u->work)))
		return false;
	named = !jit && (rule_function(u, r->m, r->vaddr, &lo, &hi) || ehframe_start(u->modules, r->m, r->vaddr, &lo, &hi));
	starts = named || derive_start(u, r->m, r->vaddr, &lo);
	begins = starts && derive_from_start(r, lo, rule) && (named || !leaves_by_register(r, rule));
	if (begins && (r->pushed || !(rule->flags & RULE_RA_IN_REG)))
		return true;
	/* An address as looked up: of a return address it is one less; the call has destroyed what was in the register. */
	returns = (r->vaddr + 1) % u->arch->align == 0 && rule_after_call(u, r->m, r->vaddr + 1);
	if (begins && !returns)
		return true;
	r->start = named ? lo : 0;
	return derive_forward(r, r->vaddr + returns, returns, rule) || (starts && jit && derive_from_prologue(r, lo, rule)) ||
	       (u->arch->decode_other && !named && !returns && derive_aligned(u, r->m, r->vaddr, &lo) && derive_from_start(r, lo, rule));
}

static void
note_record(const struct arch *a, struct rule *rule)
{
	if (rule->flags & RULE_BASE_FP && !(rule->flags & (RULE_REALIGNED | RULE_FP_SAME | RULE_FP_LOST)) &&
	    rule->cfa_off + rule->ra_off == a->rec_ra && rule->cfa_off + rule->fp_off == a->rec_fp)
		rule->flags |= RULE_KEEPS_FP;
}

void
derive_rule(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct reader r = flow_reader(u, m, vaddr);
	const struct arch *a = u->arch;
	struct cursor code = rule_code(u, m, vaddr);

	*rule = (struct rule){ .kind = RULE_BARE };
	if (!a->decode || !a->after_call || !cur_left(&code))
		return;
	if (!derive(&r, rule))
		*rule = (struct rule){ .kind = RULE_SILENT };
	note_record(a, rule);
}

/* What a file's code calls, or its code and data have the address of. */
static void
find_spots(struct unwinder *u, const struct module *m, uint64_t vaddr, bool called)
{
	struct spots *spots = &u->work->spots;

	*spots = (struct spots){ .lo = vaddr > NAMED_BEFORE ? vaddr - NAMED_BEFORE : 1, .end = vaddr + 1, .called = called };
	for (uint32_t i = 0; i < m->elf.nload && u->work->sought_in < NAMED_ALL; i++) {
		const struct segment *s = &m->elf.load[i];
		struct cursor c = elf_from(&m->elf, s->vaddr);
		uint64_t word;

		if (called && !s->exec)
			continue;
		u->work->sought_in += cur_left(&c);
		if (s->exec)
			u->arch->named(spots, c.pos, cur_left(&c), s->vaddr);
		for (; !s->exec && cur_left(&c) >= sizeof word; c.pos += sizeof word) {
			memcpy(&word, c.pos, sizeof word);
			spots_add(spots, word);
		}
	}
}

/* Whether nobody has asked yet. */
static bool
is_new(struct derive_work *w, const struct module *m, uint64_t vaddr)
{
	uint64_t key = vaddr ^ (uint64_t)m->id << 48, *sought = &w->sought[hash_u64(key) % SOUGHT];
	bool new = *sought != key;

	*sought = key;
	return new;
}

bool
derive_named(struct unwinder *u, struct module *m, uint64_t vaddr, unsigned *next, struct rule *rule)
{
	struct derive_work *w = u->work;
	struct reader r = flow_reader(u, m, vaddr);

	if (!u->arch->named || !w || m->bad || m->kind != MODULE_FILE || m->elf.machine != u->arch->machine || m->size > NAMED_FILE ||
	    w->sought_in >= NAMED_ALL || (!*next && !is_new(w, m, vaddr)))
		return false;
	for (; *next < 2 * SPOTS; ++*next) {
		if (*next % SPOTS == 0)
			find_spots(u, m, vaddr, !*next);
		if (*next % SPOTS < w->spots.n && derive_from_start(&r, w->spots.at[*next % SPOTS], rule)) {
			note_record(u->arch, rule);
			++*next;
			return true;
		}
	}
	return false;
}

uint64_t
derive_entry_end(struct unwinder *u, struct module *m, uint64_t entry)
{
	struct reader r = flow_reader(u, m, entry);
	uint64_t at = entry, called = entry;
	struct insn i;

	for (unsigned n = 0; u->arch->decode && n < ENTRY_INSNS && flow_insn(&r, at, &i); n++) {
		at += i.len;
		if (i.op == INSN_JUMP_AWAY)
			return at;
		if (i.op == INSN_CALL && called == entry)
			called = at;
		if (i.op >= INSN_JUMP)
			return called == entry ? at : called;
	}
	return called;
}
