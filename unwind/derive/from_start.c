/* The way from a function's beginning to an address in it, in the order of addresses: a branch's target has the state of the
 * branch. */
#include "from_start.h"

#include <string.h>

#include "flow_rule.h"

enum {
	PASSES = 8,           /* over a function, for branches backward */
	INSNS_MAX = 8192,     /* of a function, from its beginning on */
	PROLOGUE_INSNS = 5,
};

/* The place of the label at AT, or the free place for it. */
static uint8_t *
slot_of(struct labels *l, uint64_t at)
{
	unsigned i = hash_u64(at) >> (32 - LABELS_LOG);

	while (l->slot[i] && l->at[l->slot[i] - 1] != at)
		i = (i + 1) % (1 << LABELS_LOG);
	return &l->slot[i];
}

/* Whether there is a label; then F becomes the state of the branch that led to it. */
static bool
take_label(struct labels *l, struct flow *f)
{
	unsigned n = *slot_of(l, f->at);
	uint64_t at = f->at;

	if (!n)
		return false;
	*f = l->flow[l->state[n - 1]];
	f->at = at;
	l->same = l->state[n - 1] + 1u == l->states;
	return true;
}

/* Keeps F as the last state, if it differs from that; false if there is no room. */
static bool
keep_state(struct labels *l, const struct flow *f)
{
	if (!l->same && l->states == STATES)
		return false;
	if (!l->same)
		l->flow[l->states++] = *f;
	l->same = true;
	return true;
}

static void
add_label(struct labels *l, uint64_t at, const struct flow *f)
{
	uint8_t *slot = slot_of(l, at);

	if (*slot || l->n == LABELS || !keep_state(l, f))
		return;
	l->at[l->n] = at;
	l->state[l->n++] = (uint8_t)(l->states - 1);
	*slot = (uint8_t)l->n;
}

/* The first label from AT on, or 0. */
static uint64_t
next_label(const struct labels *l, uint64_t at)
{
	uint64_t next = 0;

	for (unsigned i = 0; i < l->n; i++)
		if (l->at[i] >= at && (!next || l->at[i] < next))
			next = l->at[i];
	return next;
}

/* Whether the instruction changes nothing in F. */
static bool
leaves(const struct reader *r, const struct insn *i, const struct flow *f)
{
	return (i->op == INSN_PLAIN && i->reg == NO_REG) || i->op == INSN_BRANCH || i->op == INSN_LOAD ||
	       (i->op == INSN_CALL && f->called && r->pushed);
}

/* The state before the instruction that the address lies in; false where no way leads there.  One pass in the order of
 * addresses: code behind a jump or return has the state of a branch to it, seen before or in an earlier pass. */
static bool
pass(struct reader *r, uint64_t start, struct labels *l, struct flow *f)
{
	bool live = true, after_call = false;
	struct branches b;
	struct insn i;

	*f = flow_begin(r, start);
	flow_reread(r);
	l->same = false;
	for (unsigned n = 0; n < INSNS_MAX; n++) {
		uint64_t from;

		if (!live && !(f->at = next_label(l, f->at)))   /* what stands between need not be instructions */
			return false;
		if (!live || after_call)
			live |= take_label(l, f);   /* a call may not return, a branch is certain */
		from = f->at;
		flow_skip(r, f, r->pushed && (!l->states || (l->same && l->states == 1)), &b);   /* else a label may lie behind it */
		for (unsigned k = 0; k < b.n; k++)
			add_label(l, from + (uint64_t)b.to[k], f);
		if (!flow_insn(r, f->at, &i))
			return false;
		if (r->vaddr - f->at < i.len)
			return true;
		after_call = i.op == INSN_CALL;
		if (i.op == INSN_BRANCH || i.op == INSN_JUMP)
			add_label(l, f->at + (uint64_t)(int64_t)i.target, f);
		if (!leaves(r, &i, f)) {
			flow_apply(r, &i, f);
			l->same = false;
		}
		live = !(i.op >= INSN_JUMP || (after_call && f->ra.in == HOLDS_ELSE && !f->ra.saved));   /* else it cannot return */
		f->at += i.len;
	}
	return false;
}

bool
derive_from_start(struct reader *r, struct labels *labels, uint64_t start, struct rule *rule)
{
	struct flow f;
	unsigned before;

	labels->n = labels->states = 0;
	memset(labels->slot, 0, sizeof labels->slot);
	for (unsigned n = 0; n < PASSES; n++) {
		before = labels->n;
		if (pass(r, start, labels, &f))
			return flow_rule(r, &f, rule);
		if (labels->n == before)
			break;
	}
	return false;
}

bool
derive_from_prologue(struct reader *r, uint64_t start, struct rule *rule)
{
	struct flow f = flow_begin(r, start);
	struct insn i;

	for (unsigned n = 0; n < PROLOGUE_INSNS && flow_insn(r, f.at, &i); n++) {
		flow_apply(r, &i, &f);
		f.at += i.len;
		if (i.op == INSN_SP_ADD || i.op == INSN_FP_FROM_SP || i.op == INSN_SAVE)
			return r->vaddr >= f.at && flow_rule(r, &f, rule);
	}
	return false;
}
