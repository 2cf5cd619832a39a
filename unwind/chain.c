/* The codes of a walk; of a deep stack it keeps both ends.  Also walks that use the kernel's chain of return addresses, which
 * it found by frame pointers: from some frame on, or for the whole stack. */
#include "chain.h"

#include "entry.h"

void
walk_begin(struct walk *w)
{
	w->n = 0;
	w->elided = w->gap = w->fp_at_cut = false;
	w->used = 0;
	w->by_cfi = w->by_fp = w->by_chain = w->by_code = w->by_libunwind = 0;
}

/* Where the root's end begins in a stack that is too deep; the code before it stands for what the walk leaves out. */
static uint32_t
root_end(const struct unwinder *u)
{
	return u->max_stack / 2 + 1;
}

void
walk_push_deep(const struct unwinder *u, struct walk *w, uint32_t code, uint64_t sp, uint32_t *ring)
{
	uint32_t keep = root_end(u), room = u->max_stack - keep;

	if (!w->elided)
		*ring = 0;
	w->elided = true;
	w->code[keep - 1] = CODE_ELIDED;
	w->sp[keep - 1] = 0;
	if (!room)
		return;
	w->code[keep + *ring] = code;
	w->sp[keep + *ring] = sp;
	*ring = (*ring + 1) % room;
}

uint32_t
walk_last(const struct unwinder *u, const struct walk *w, uint32_t ring)
{
	uint32_t keep = root_end(u), room = u->max_stack - keep;

	if (!w->elided || !room)
		return w->n ? w->code[w->n - 1] : CODE_UNKNOWN;
	return w->code[keep + (ring + room - 1) % room];
}

static void
reverse(struct walk *w, uint32_t from, uint32_t n)
{
	for (uint32_t i = from, j = from + n; i + 1 < j--; i++) {
		uint32_t code = w->code[i];
		uint64_t sp = w->sp[i];

		w->code[i] = w->code[j];
		w->sp[i] = w->sp[j];
		w->code[j] = code;
		w->sp[j] = sp;
	}
}

/* The ring's codes in their order. */
void
walk_unroll(const struct unwinder *u, struct walk *w, uint32_t ring)
{
	uint32_t from = root_end(u), n = u->max_stack - from;

	if (!w->elided)
		return;
	reverse(w, from, ring);
	reverse(w, from + ring, n - ring);
	reverse(w, from, n);
}

/* ---- the kernel's own chain ---- */

uint32_t
chain_link(const struct job *j, uint64_t leaf_fp, uint64_t fp, uint32_t n)
{
	const struct arch *a = j->u->code.arch;
	uint64_t at = leaf_fp, next;

	for (uint32_t i = 0; i + 1 < n; i++, at = next) {
		if (at == fp)
			return i + 1;
		if (!memory_word(&j->memory, at + (uint64_t)(int64_t)a->rec_fp, &next) || next <= at)
			break;
	}
	return 0;
}

static bool
keeps_fp(const struct rule *r)
{
	return r->flags & RULE_KEEPS_FP || r->kind == RULE_BARE || r->kind == RULE_LOST;
}

enum walk_end
chain_splice(struct job *j, const uint64_t *chain, uint32_t i, uint32_t n)
{
	for (; i < n; i++) {
		struct entry *e = entry_probe(j->u, j->space, chain[i] - 1);

		if (!e)
			break;
		entry_rule(j->u, e);
		walk_push(j->u, j->walk, e->code, 0, &j->ring);
		j->walk->by_chain++;
		if (e->rule.kind == RULE_ROOT)
			return WALK_ROOT;
		if (!keeps_fp(&e->rule))
			break;
	}
	return WALK_STACK_SHORT;
}

/* Whether LINK is the return address of the innermost function: it has made no frame, and saved no address. */
static bool
is_linked(const struct unwinder *u, const struct rule *r, uint64_t link)
{
	return link && r->flags & RULE_RA_IN_REG && r->flags & RULE_FP_SAME && r->ra_off == u->code.arch->ra;
}

void
chain_walk(struct unwinder *u, struct space *space, const uint64_t *chain, uint32_t nchain, uint64_t link, struct walk *w)
{
	uint32_t ring = 0;

	u->code.space = space;
	walk_begin(w);
	w->end = WALK_NO_RULE;
	for (uint32_t i = 0; i < nchain && i < FRAMES_MAX; i++) {
		struct entry *e = entry_find(u, space, chain[i] - (i > 0));

		if (!e) {
			walk_push(u, w, CODE_UNKNOWN, 0, &ring);
			w->end = WALK_NO_MAP;
			break;
		}
		entry_rule(u, e);
		walk_push(u, w, e->code, 0, &ring);
		w->by_chain += i > 0;
		if (e->rule.kind == RULE_ROOT) {
			w->end = WALK_ROOT;
			break;
		}
		if (!i && is_linked(u, &e->rule, link) && (e = entry_find(u, space, (link & u->mask) - 1))) {
			walk_push(u, w, e->code, 0, &ring);
			w->by_chain++;
		}
	}
	walk_unroll(u, w, ring);
	w->sp[w->n] = 0;
}
