/* Rules for code without a frame description (musl, assembly), by following what its instructions do to sp and fp: from
 * the function's beginning if a symbol tells that, else from the address forward to a return.  What comes out is a
 * guess with a reason: whoever steps by it looks whether a return address is really there. */
#include "rule.h"

enum {
	LABELS = 48,          /* branch targets whose state is remembered */
	PASSES = 3,           /* over a function, for branches backward */
	INSNS_MAX = 8192,     /* of a function, from its beginning on */
	FORWARD_MAX = 3000,   /* followed in search of a return */
	PATHS = 64,
	DEPTH_MAX = 1 << 20,
};

/* What is known before an instruction. */
struct flow {
	uint64_t at;          /* of the instruction */
	int32_t sp;           /* relative to the base */
	int32_t fp;           /* FP_FRAME: its value relative to the base */
	int32_t slot;         /* FP_SAVED: where the caller's fp lies, relative to the base */
	bool sp_known, fp_frame, fp_saved, fp_lost;
	bool base_fp;         /* the base is fp as it was at the address asked for; forward only */
};

struct reader {
	struct unwinder *u;
	struct module *m;
	int32_t word;
	uint64_t vaddr;       /* asked for */
	struct cursor run;    /* the code from RUN_AT on */
	uint64_t run_at;
};

static bool
next_insn(struct reader *r, uint64_t at, struct insn *i)
{
	uint64_t skip = at - r->run_at;

	if (skip >= cur_left(&r->run)) {
		r->run = rule_code(r->u, r->m, at);
		r->run_at = at;
		if (!cur_left(&r->run))
			return false;
		skip = 0;
	}
	r->u->arch->decode(r->run.pos + skip, cur_left(&r->run) - skip, i);
	return i->op != INSN_BAD;
}

static bool
in_bounds(int32_t v)
{
	return v > -DEPTH_MAX && v < DEPTH_MAX;
}

static void
move_sp(struct flow *f, int32_t off)
{
	if (!in_bounds(off) || !in_bounds(f->sp + off))
		f->sp_known = false;
	else
		f->sp += off;
}

/* ---- from the function's beginning: relative to the CFA ---- */

static void
apply(const struct reader *r, const struct insn *i, struct flow *f)
{
	switch (i->op) {
	case INSN_PUSH:
		move_sp(f, -r->word);
		if (i->of_fp && !f->fp_saved && f->sp_known) {
			f->fp_saved = true;
			f->slot = f->sp;
		}
		break;
	case INSN_POP:
		move_sp(f, r->word);
		if (i->of_fp)
			f->fp_saved = f->fp_frame = f->fp_lost = false;
		break;
	case INSN_SP_ADD:
		move_sp(f, i->off);
		break;
	case INSN_SP_LOST:
		f->sp_known = false;
		break;
	case INSN_FP_FROM_SP:
		f->fp_lost |= !f->fp_saved;
		f->fp_frame = f->sp_known && in_bounds(i->off);
		f->fp = f->fp_frame ? f->sp + i->off : 0;
		break;
	case INSN_FP_LOST:
		f->fp_lost |= !f->fp_saved;
		f->fp_frame = false;
		break;
	case INSN_SP_FROM_FP:
	case INSN_LEAVE:
		f->sp_known = f->fp_frame;
		f->sp = f->fp;
		move_sp(f, i->op == INSN_LEAVE ? r->word : i->off);
		if (i->op == INSN_LEAVE)
			f->fp_saved = f->fp_frame = false;
		break;
	}
}

struct labels {
	unsigned n;
	struct flow flow[LABELS];
};

static const struct flow *
label_at(const struct labels *l, uint64_t at)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->flow[i].at == at)
			return &l->flow[i];
	return NULL;
}

static void
add_label(struct labels *l, uint64_t at, const struct flow *f)
{
	if (l->n == LABELS || label_at(l, at))
		return;
	l->flow[l->n] = *f;
	l->flow[l->n++].at = at;
}

/* The state before the instruction that the address lies in; false where no way leads there.  One pass in the order of
 * addresses: code behind a jump or return has the state of a branch to it, seen before or in an earlier pass. */
static bool
pass(struct reader *r, uint64_t start, struct labels *l, struct flow *out)
{
	struct flow f = { .at = start, .sp = -r->word, .sp_known = true };
	const struct flow *label;
	bool live = true, after_call = false;
	struct insn i;

	for (unsigned n = 0; n < INSNS_MAX && next_insn(r, f.at, &i); n++) {
		uint64_t at = f.at;

		if ((!live || after_call) && (label = label_at(l, at))) {
			f = *label;   /* a call may not return, a branch is certain */
			live = true;
		}
		if (r->vaddr - at < i.len) {
			*out = f;
			return live;
		}
		after_call = i.op == INSN_CALL;
		if (live && (i.op == INSN_BRANCH || i.op == INSN_JUMP))
			add_label(l, at + (uint64_t)(int64_t)i.target, &f);
		if (live)
			apply(r, &i, &f);
		if (i.op >= INSN_JUMP)
			live = false;
		f.at = at + i.len;
	}
	return false;
}

static bool
from_start(struct reader *r, uint64_t start, struct rule *rule)
{
	struct labels labels = { .n = 0 };
	struct flow f;
	unsigned n = 0;

	while (!pass(r, start, &labels, &f))
		if (++n == PASSES)
			return false;
	*rule = (struct rule){ .kind = RULE_DERIVED, .ra_off = (int16_t)-r->word };
	if (f.fp_frame && f.fp_saved && (!f.sp_known || (f.fp == f.slot && f.fp == -2 * r->word))) {
		rule->flags |= RULE_BASE_FP;
		rule->cfa_off = -f.fp;
	} else if (f.sp_known && f.sp <= -r->word)
		rule->cfa_off = -f.sp;
	else if (f.sp_known && f.sp >= 0)
		rule->kind = RULE_ROOT;   /* has popped what would be its return address: a thread's start */
	else
		return false;
	if (f.fp_saved && f.slot == (int16_t)f.slot)
		rule->fp_off = (int16_t)f.slot;
	else
		rule->flags |= f.fp_lost || f.fp_saved ? RULE_FP_LOST : RULE_FP_SAME;
	return true;
}

/* ---- forward to a return: relative to sp or fp at the address ---- */

static void
follow(const struct reader *r, const struct insn *i, struct flow *f)
{
	switch (i->op) {
	case INSN_PUSH:
		move_sp(f, -r->word);
		break;
	case INSN_POP:
		if (i->of_fp && f->sp_known && (f->base_fp || f->sp >= 0)) {
			f->fp_saved = true;
			f->slot = f->sp;
		}
		move_sp(f, r->word);
		break;
	case INSN_SP_ADD:
		move_sp(f, i->off);
		break;
	case INSN_SP_LOST:
		f->sp_known = false;
		break;
	case INSN_FP_FROM_SP:
	case INSN_FP_LOST:
		f->fp_lost = true;
		break;
	case INSN_SP_FROM_FP:
	case INSN_LEAVE:
		f->sp_known = !f->fp_lost && !f->fp_saved;
		f->base_fp = true;
		f->sp = 0;
		if (i->op == INSN_LEAVE) {
			f->fp_saved = f->sp_known;
			f->slot = 0;
		}
		move_sp(f, i->op == INSN_LEAVE ? r->word : i->off);
		break;
	}
}

static bool
returned(const struct reader *r, const struct flow *f, struct rule *rule)
{
	int32_t cfa = f->sp + r->word;

	if (!f->sp_known || (!f->base_fp && f->sp < 0))
		return false;
	*rule = (struct rule){ .kind = RULE_DERIVED, .cfa_off = cfa, .ra_off = (int16_t)-r->word };
	rule->flags = f->base_fp ? RULE_BASE_FP : 0;
	if (f->fp_saved && f->slot - cfa == (int16_t)(f->slot - cfa))
		rule->fp_off = (int16_t)(f->slot - cfa);
	else
		rule->flags |= f->fp_saved || f->fp_lost ? RULE_FP_LOST : RULE_FP_SAME;
	return true;
}

static bool
was_there(const uint64_t *seen, unsigned n, uint64_t at)
{
	while (n--)
		if (seen[n] == at)
			return true;
	return false;
}

static bool
forward(struct reader *r, uint64_t start, struct rule *rule)
{
	struct flow path[PATHS] = { { .at = start, .sp_known = true } };
	uint64_t seen[PATHS];
	unsigned paths = 1, nseen = 0, budget = FORWARD_MAX;
	bool unsure = false;
	struct insn i;

	while (paths) {
		struct flow f = path[--paths];

		for (;; f.at += i.len) {
			if (!budget-- || !next_insn(r, f.at, &i) || i.op == INSN_JUMP_AWAY) {
				unsure = true;
				break;
			}
			if (i.op == INSN_RETURN && returned(r, &f, rule))
				return true;
			if (i.op == INSN_RETURN || i.op == INSN_STOP) {
				unsure |= i.op == INSN_RETURN;
				break;
			}
			if (i.op == INSN_BRANCH || i.op == INSN_JUMP) {
				uint64_t target = f.at + (uint64_t)(int64_t)i.target;
				bool again = was_there(seen, nseen, target);

				if (!again && (nseen == PATHS || paths == PATHS))
					unsure = true;
				else if (!again) {
					seen[nseen++] = target;
					path[paths] = f;
					path[paths++].at = target;
				}
				if (i.op == INSN_JUMP)
					break;
			}
			follow(r, &i, &f);
		}
		if (budget > FORWARD_MAX)
			return false;
	}
	*rule = (struct rule){ .kind = RULE_ENDLESS };
	return !unsure;
}

bool
derive_rule(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct reader r = { .u = u, .m = m, .word = u->arch->word, .vaddr = vaddr };
	uint64_t lo, hi;
	struct cursor c;
	const struct arch *a = u->arch;

	if (!a->decode || !a->after_call)
		return false;
	if (!rule_function(u, m, vaddr, &lo, &hi) || !from_start(&r, lo, rule)) {
		c = rule_code(u, m, vaddr - 7);   /* an address as looked up: of a return address it is one less */
		if (!forward(&r, vaddr + (cur_left(&c) >= 8 && a->after_call(c.pos + 8, 8)), rule))
			return false;
	}
	if (rule->flags & RULE_BASE_FP && rule->cfa_off + rule->ra_off == a->rec_ra &&
	    rule->cfa_off + rule->fp_off == a->rec_fp && !(rule->flags & (RULE_FP_SAME | RULE_FP_LOST)))
		rule->flags |= RULE_KEEPS_FP;
	return true;
}

uint64_t
derive_first_call(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	struct reader r = { .u = u, .m = m, .word = u->arch->word, .vaddr = vaddr };
	struct insn i;
	uint64_t at = vaddr;

	for (unsigned n = 0; u->arch->decode && n < 64 && next_insn(&r, at, &i) && i.op != INSN_RETURN; n++) {
		at += i.len;
		if (i.op == INSN_CALL)
			return at;
	}
	return vaddr;
}
