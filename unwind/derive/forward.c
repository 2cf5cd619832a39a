/* The way from an address forward to a return: what the code restores there tells where it lies, relative to the values of sp
 * or fp at the address. */
#include "forward.h"

#include "dead_ends.h"
#include "flow_rule.h"

enum {
	STRAIGHT_MAX = 24000, /* instructions that prof follows in search of a return, as long as no branch comes (x265's unrolled loops); */
	FORWARD_MAX = 6000,   /* from the first one on; */
	LEAVING_MAX = 2000,   /* and in search of a jump by an address */
	JIT_FUNCTION = 1 << 16,
	DEAD_LEAST = 16,      /* branches in vain that are worth to be remembered */
};

static bool
was_there(const uint64_t *seen, unsigned n, uint64_t at)
{
	while (n--)
		if (seen[n] == at)
			return true;
	return false;
}

static void
branch(const struct reader *r, struct ways *w, const struct flow *f, uint64_t target)
{
	uint8_t state = dead_ends_state(f);

	if (w->budget > FORWARD_MAX)
		w->budget = FORWARD_MAX;
	if (target == r->start) {   /* Go begins anew once it has found more stack */
		w->unsure = true;
		return;
	}
	if (was_there(w->seen, w->nseen, target))
		return;
	if (w->nseen == PATHS || w->paths == PATHS || (w->dead && dead_ends_has(w->dead, target, state, &w->dead_by_fp))) {
		w->unsure = true;
		return;
	}
	w->state[w->nseen] = state;
	w->seen[w->nseen++] = target;
	w->path[w->paths] = *f;
	w->path[w->paths++].at = target;
}

/* Whether a system call ends the thread. */
static bool
exits(const struct reader *r, const struct insn *i, const struct flow *f)
{
	const struct arch *a = r->src->arch;
	int32_t value;

	return i->op == INSN_SYSCALL && a->call_number != NO_REG && flow_constant(f, a->call_number, &value) &&
	       (value == a->exit[0] || value == a->exit[1]);
}

/* Where fp gets the address of the record of a function that is called at once (see callers_record.c): that function gives fp back, and removes
 * the record, which is at sp, or nobody knows where. */
static void
pass_record(struct reader *r, struct flow *f)
{
	struct cursor c = code_is_live(r->src, r->m, r->vaddr) ? code_bytes(r->src, r->m, f->at) : cur_of(NULL, 0, false);
	struct insn i;

	if (!r->src->arch->passes(c.pos, cur_left(&c)) || !flow_insn(r, f->at, &i))
		return;
	f->sp_known &= i.op == INSN_FP_FROM_SP;
	f->sp += 2 * r->word;
	f->at += i.len;
}

/* Whether the instruction jumps to another function, which may find its return address elsewhere. */
static bool
jumps_on(const struct reader *r, const struct insn *i)
{
	return r->src->passes && code_is_live(r->src, r->m, r->vaddr) && i->target;
}

/* Follows one path; true where it led to a rule. */
static bool
follow(struct reader *r, struct ways *w, struct flow f, struct rule *rule)
{
	struct insn i;

	for (;; f.at += i.len) {
		if (r->src->passes)
			pass_record(r, &f);
		if (!w->budget || !flow_insn(r, f.at, &i)) {
			i.op = INSN_BAD;
		} else if (r->m->kind == MODULE_JIT && flow_far(r, &i, &f) && !f.record && code_is_made(r->src, r->m, f.far.addr)) {
			branch(r, w, &f, f.far.addr);   /* the code that leaves PyPy's loops */
			w->entered |= f.entered;
			w->called |= f.called;
			return false;
		}
		if (i.op == INSN_BAD || i.op == INSN_JUMP_AWAY || i.op == INSN_RETURN) {
			if (i.op == INSN_RETURN && i.restores)
				flow_restore(r, &i, &f);
			if ((i.op == INSN_RETURN && !jumps_on(r, &i)) || f.record)
				if (flow_returned(r, &f, rule))
					return true;
			w->misses |= i.op == INSN_RETURN;
			w->unsure = true;
			return false;
		}
		w->budget--;
		if (i.op == INSN_JUMP && code_is_live(r->src, r->m, r->vaddr) && (i.target > JIT_FUNCTION || i.target < -JIT_FUNCTION)) {
			w->unsure = true;   /* this way leads to the runtime, which may remove the frame */
			return r->src->passes && f.record && flow_returned(r, &f, rule);
		}
		w->by_fp |= i.local && f.fp.in == HOLDS_ORIGINAL;
		if (i.op == INSN_BRANCH || i.op == INSN_JUMP)
			branch(r, w, &f, f.at + (uint64_t)(int64_t)i.target);
		if (i.op == INSN_JUMP || i.op == INSN_STOP || exits(r, &i, &f)) {
			w->entered |= f.entered || i.op == INSN_SYSCALL;
			w->called |= f.called;
			return false;
		}
		flow_apply(r, &i, &f);
	}
}

/* Remembers where prof has followed all ways in vain. */
static void
remember(struct reader *r, const struct ways *w)
{
	if (r->m->kind == MODULE_JIT && !r->src->passes && !w->misses && w->budget && w->nseen >= DEAD_LEAST && w->nseen < PATHS)
		dead_ends_add(r->src, w->dead, w->seen, w->state, w->nseen, w->by_fp);
}

/* Follows all ways from there; true where one led to a rule. */
static bool
follow_all(struct reader *r, struct ways *w, const struct flow *begin, struct rule *rule)
{
	flow_reread(r);
	w->paths = w->nseen = 0;
	w->unsure = w->called = w->entered = w->by_fp = w->misses = w->dead_by_fp = false;
	w->budget = STRAIGHT_MAX;
	if (follow(r, w, *begin, rule))
		return true;
	while (w->paths && w->budget)
		if (follow(r, w, w->path[--w->paths], rule))
			return true;
	return false;
}

bool
derive_forward(struct reader *r, struct ways *w, uint64_t start, bool returns, struct rule *rule)
{
	const struct flow begin = { .at = start, .sp_known = true, .forward = true, .popped = NO_REG };

	w->dead = r->m->kind == MODULE_JIT && !r->src->passes ? dead_ends_around(r->src, start) : NULL;
	if (follow_all(r, w, &begin, rule))
		return true;
	if (w->dead_by_fp && !w->by_fp) {   /* whether this code uses fp so, the ways alone tell */
		w->dead = NULL;
		if (follow_all(r, w, &begin, rule))
			return true;
	}
	remember(r, w);
	if (w->by_fp)
		flow_record(r, rule);
	else if (returns && w->entered && !w->unsure && !w->called && !w->paths)
		*rule = (struct rule){ .kind = RULE_ROOT };   /* this way ends the thread: musl's clone */
	else
		return false;
	return true;
}

bool
derive_leaving(struct reader *r, struct ways *w, uint64_t start, int32_t *rise)
{
	struct flow f = { .at = start, .sp_known = true, .forward = true, .popped = NO_REG };
	struct insn i;

	flow_reread(r);
	w->paths = w->nseen = 0;
	w->dead = NULL;
	for (unsigned n = 0; n < LEAVING_MAX && flow_insn(r, f.at, &i); n++) {
		if (i.op == INSN_JUMP_AWAY) {
			*rise = f.sp;
			return f.sp_known && f.sp >= 0;
		}
		if (i.op == INSN_BRANCH || i.op == INSN_JUMP)
			branch(r, w, &f, f.at + (uint64_t)(int64_t)i.target);
		if (i.op < INSN_JUMP) {
			flow_apply(r, &i, &f);
			f.at += i.len;
		} else if (w->paths)
			f = w->path[--w->paths];
		else
			break;
	}
	return false;
}
