/* Rules for code without a frame description (musl, assembly, JIT code), by following what its instructions do to sp and fp:
 * from the function's beginning if a symbol tells that, else from the address forward to a return.  The result is a guess
 * with a reason: each step by it checks whether a return address is really there. */
#include "derive.h"

#include <string.h>

#include "sym/module/beginning.h"
#include "sym/module/ehframe.h"
#include "flow_rule.h"
#include "forward.h"
#include "from_start.h"
#include "function_start.h"

enum {
	ENTRY_INSNS = 64,
	JUMPS_WITHIN = 64,        /* instructions of a function that makes a frame and jumps away */
	NAMED_BEFORE = 1 << 16,   /* bytes in which prof looks for a function's beginning; places that it tries there, */
	PLACES = 8,               /* of each kind */
	ALIGNED = 16, FRAME_WITHIN = 4096,   /* bytes before an address, in which a function may begin that makes its frame at once */
};

enum { SOUGHT = 256 };

/* Too large for the stack. */
struct derive_work {
	struct labels labels;
	struct ways ways;
	struct sought {           /* addresses that derive_named was asked for, by their hash */
		uint64_t key, start;   /* START: the beginning that its last rule is from; 0: there are no more rules */
	} sought[SOUGHT];
	uint64_t place;           /* that it tried last; 0: there are no more of that kind */
};

/* False at the memory cap. */
static bool
has_work(struct code_source *src)
{
	return src->work || (src->work = arena_alloc(src->arena, sizeof *src->work));
}

/* Whether the way on from here leads to a return that takes its address from where a call left it, although the function
 * that seems to begin before has stored it.  Then that one ended by a call that does not return, and this is the next
 * function. */
static bool
leaves_by_register(struct reader *r, const struct rule *rule)
{
	struct rule other;

	return !r->pushed && !(rule->flags & RULE_RA_IN_REG) && derive_forward(r, &r->src->work->ways, r->vaddr, false, &other) && other.flags & RULE_RA_IN_REG;
}

/* Whether a call ends before AT, with nothing but equal bytes between. */
static bool
is_behind_last_call(struct reader *r, uint64_t at)
{
	struct cursor c = code_bytes(r->src, r->m, at - ALIGNED);
	const uint8_t *p = cur_take(&c, ALIGNED);
	unsigned equal = 0;

	while (p && equal < ALIGNED && p[ALIGNED - 1 - equal] == p[ALIGNED - 1])
		equal++;
	for (unsigned n = 0; n <= equal; n++)
		if (code_after_call(r->src, r->m, at - n))
			return true;
	return false;
}

/* Whether a function that does not begin with a push (Mono's) begins between LO and the address: it makes its frame by one instruction at
 * a multiple of 16, and the way on from the address takes just that frame away.  Then LO is the beginning of a function that ends in a
 * call which never returns. */
static bool
begins_by_frame(struct reader *r, uint64_t lo, bool returns, const struct rule *found, struct rule *rule)
{
	uint64_t at = r->vaddr & ~(uint64_t)(ALIGNED - 1);
	struct insn i;

	for (; at > lo && r->vaddr - at < FRAME_WITHIN; at -= ALIGNED) {
		code_decode(r->src, r->m, at, &i);
		if (i.op == INSN_SP_ADD && i.off < 0)
			break;
	}
	return at > lo && r->vaddr - at < FRAME_WITHIN && is_behind_last_call(r, at) &&
	       derive_forward(r, &r->src->work->ways, r->vaddr + returns, returns, rule) &&
	       !(rule->flags & RULE_BASE_FP) && rule->cfa_off == -i.off - rule->ra_off && rule->cfa_off != found->cfa_off;
}

static bool
derive(struct reader *r, struct rule *rule)
{
	struct code_source *src = r->src;
	uint64_t lo, hi;
	bool jit = code_is_live(r->src, r->m, r->vaddr), named, returns, starts, begins;
	struct rule other;

	if (!has_work(src))
		return false;
	if (jit && src->passes) {
		src->arch->callers_record(r, &src->work->ways, code_after_call(src, r->m, r->vaddr + 1), rule);
		return true;
	}
	named = !jit && (code_function(src, r->m, r->vaddr, &lo, &hi) || ehframe_start(src->modules, r->m, r->vaddr, &lo, &hi));
	starts = named || function_start(src, r->m, r->vaddr, &lo);
	begins = starts && derive_from_start(r, &src->work->labels, lo, rule) && (named || !leaves_by_register(r, rule));
	/* For a return address, the address to look up is one less; the call has destroyed what was in the register. */
	returns = (r->vaddr + 1) % src->arch->align == 0 && code_after_call(src, r->m, r->vaddr + 1);
	if (begins && jit && r->pushed && !(rule->flags & RULE_BASE_FP) && begins_by_frame(r, lo, returns, rule, &other)) {
		*rule = other;
		return true;
	}
	if (begins && (r->pushed || !returns || !(rule->flags & RULE_RA_IN_REG)))
		return true;
	r->start = named ? lo : 0;
	return derive_forward(r, &r->src->work->ways, r->vaddr + returns, returns, rule) ||
	       (jit && r->pushed && !returns && !src->switches && function_behind_zeros(src, r->m, r->vaddr, &hi) && derive_from_start(r, &src->work->labels, hi, rule)) ||
	       (starts && jit && derive_from_prologue(r, lo, rule)) ||
	       (jit && function_part(src, r->m, r->vaddr, &lo) && derive_from_start(r, &src->work->labels, lo, rule) &&
	        !(returns && rule->flags & RULE_RA_IN_REG)) ||
	       ((src->arch->decode_other || src->arch->between) && !named && !returns && function_aligned(src, r->m, r->vaddr, &lo) &&
	        derive_from_start(r, &src->work->labels, lo, rule));
}

static void
note_record(const struct arch *a, struct rule *rule)
{
	if (rule->flags & RULE_BASE_FP && !(rule->flags & (RULE_REALIGNED | RULE_FP_SAME | RULE_FP_LOST)) &&
	    rule->cfa_off + rule->ra_off == a->rec_ra && rule->cfa_off + rule->fp_off == a->rec_fp)
		rule->flags |= RULE_KEEPS_FP;
}

void
derive_rule(struct code_source *src, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct reader r = flow_reader(src, m, vaddr);
	const struct arch *a = src->arch;
	struct cursor code = code_bytes(src, m, vaddr);
	uint64_t followed;

	*rule = (struct rule){ .kind = RULE_BARE };
	if (!a->decode || !a->after_call || !cur_left(&code))
		return;
	if (code_is_live(src, m, vaddr) && !code_has_time(src)) {
		rule->kind = RULE_LEFT;
		return;
	}
	followed = src->followed;
	if (!derive(&r, rule)) {
		*rule = (struct rule){ .kind = RULE_SILENT };
		if (code_is_live(src, m, vaddr))
			code_in_vain(src, src->followed - followed);
	}
	note_record(a, rule);
}

static bool
from_start(struct reader *r, uint64_t start, struct rule *rule)
{
	if (!derive_from_start(r, &r->src->work->labels, start, rule))
		return false;
	note_record(r->src->arch, rule);
	return true;
}

bool
derive_named(struct code_source *src, struct module *m, uint64_t vaddr, unsigned *next, struct rule *rule)
{
	struct derive_work *w = src->work;
	struct reader r = flow_reader(src, m, vaddr);
	uint64_t key = vaddr ^ (uint64_t)m->id << 48, lo = vaddr > NAMED_BEFORE ? vaddr - NAMED_BEFORE : 1;
	struct sought *k = w ? &w->sought[hash_u64(key) % SOUGHT] : NULL;

	if (src->passes || !k || m->bad || m->elf.machine != src->arch->machine)
		return false;
	if (!*next && k->key == key) {   /* the rule was forgotten since */
		*next = BEGINNINGS * PLACES;
		return k->start && from_start(&r, k->start, rule);
	}
	k->key = key;
	for (; *next < BEGINNINGS * PLACES; ++*next) {
		w->place = *next % PLACES ? w->place : vaddr + 1;
		if (!w->place-- || !beginning_before(src->modules, m, *next / PLACES, lo, &w->place)) {
			w->place = 0;
			continue;
		}
		if (from_start(&r, k->start = w->place, rule)) {
			++*next;
			return true;
		}
	}
	k->start = 0;
	return false;
}

bool
derive_jumped(struct code_source *src, struct module *m, uint64_t start, bool past, struct rule *rule, uint64_t *end, bool *back)
{
	struct reader r = flow_reader(src, m, start);
	struct flow f = flow_begin(&r, start);
	struct insn i = { .op = INSN_BAD };
	struct rule behind;

	if (!src->arch->decode || !has_work(src))
		return false;
	for (unsigned n = 0; n < JUMPS_WITHIN && flow_insn(&r, f.at, &i) && (i.op < INSN_CALL || (past && i.op == INSN_BRANCH)); n++) {
		flow_apply(&r, &i, &f);
		f.at += i.len;
	}
	if (i.op != INSN_JUMP_AWAY || !flow_kept(&r, &f, rule))
		return false;
	*end = f.at + i.len;
	*back = derive_forward(&r, &src->work->ways, *end, false, &behind) && !(behind.flags & RULE_BASE_FP) &&
	        behind.cfa_off == rule->cfa_off && behind.ra_off == rule->ra_off && behind.fp_off == rule->fp_off;
	return true;
}

bool
derive_rise(struct code_source *src, struct module *m, uint64_t vaddr, int32_t *rise)
{
	struct reader r = flow_reader(src, m, vaddr);
	bool returns = (vaddr + 1) % src->arch->align == 0 && code_after_call(src, m, vaddr + 1);

	return src->arch->decode && has_work(src) && derive_leaving(&r, &src->work->ways, vaddr + returns, rise);
}

uint64_t
derive_entry_end(struct code_source *src, struct module *m, uint64_t entry)
{
	struct reader r = flow_reader(src, m, entry);
	uint64_t at = entry, called = entry;
	struct insn i;

	for (unsigned n = 0; src->arch->decode && n < ENTRY_INSNS && flow_insn(&r, at, &i); n++) {
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
