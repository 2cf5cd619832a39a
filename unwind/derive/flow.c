/* What an instruction does to sp, fp and the return address, as far as prof can follow it.  The decoder of each machine fills
 * struct insn; this file applies it to what is known. */
#include "flow.h"

#include <string.h>

enum { DEPTH_MAX = 1 << 20 };

struct reader
flow_reader(struct code_source *src, struct module *m, uint64_t vaddr)
{
	const struct arch *a = src->arch;

	return (struct reader){ .src = src, .m = m, .word = a->word, .pushed = a->ra == a->pc ? a->word : 0, .vaddr = vaddr,
	                        .other = code_other(src, m, vaddr) };
}

/* A call pushes the return address, so calls change nothing; or a call leaves it in a register. */
struct flow
flow_begin(const struct reader *r, uint64_t start)
{
	return (struct flow){ .at = start, .sp = -r->pushed, .sp_known = true, .popped = NO_REG, .called = r->pushed,
	                      .ra = { .in = r->pushed ? HOLDS_ELSE : HOLDS_ORIGINAL, .saved = r->pushed, .slot = -r->pushed } };
}

void
flow_reread(struct reader *r)
{
	r->run = cur_of(NULL, 0, false);
}

/* The code at AT, or NULL. */
static const uint8_t *
code_at(struct reader *r, uint64_t at, uint64_t *n)
{
	uint64_t skip = at - r->run_at, left = cur_left(&r->run);

	if (skip >= left || left - skip < INSN_LONGEST) {
		r->run = code_bytes(r->src, r->m, at);
		r->run_at = at;
		if (!(left = cur_left(&r->run)))
			return NULL;
		skip = 0;
	}
	*n = left - skip;
	return r->run.pos + skip;
}

bool
flow_insn(struct reader *r, uint64_t at, struct insn *i)
{
	const struct arch *a = r->src->arch;

	r->src->followed++;
	if (!(r->insn = code_at(r, at, &r->left)))
		return false;
	(r->other ? a->decode_other : a->decode)(r->insn, r->left, i);
	return i->op != INSN_BAD;
}

bool
flow_far(const struct reader *r, const struct insn *i, struct flow *f)
{
	return r->src->arch->far && r->src->arch->far(r->insn, r->left, i, &f->far);
}

void
flow_skip(struct reader *r, struct flow *f, bool calls, struct branches *b)
{
	const uint8_t *p;
	uint64_t n;

	b->n = 0;
	if (r->src->arch->skip && (p = code_at(r, f->at, &n)))
		f->at += r->src->arch->skip(p, n, r->vaddr - f->at, calls, b);
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

/* Notes that an instruction writes the register to sp + OFF. */
static void
save(const struct flow *f, struct held *h, int32_t off)
{
	if (!f->sp_known || !in_bounds(off) || (h->saved && h->in == HOLDS_ORIGINAL))
		return;
	h->saved = h->in == HOLDS_ORIGINAL || (h->saved && h->slot != f->sp + off);
	if (h->in == HOLDS_ORIGINAL)
		h->slot = f->sp + off;
}

static void
push(const struct reader *r, const struct insn *i, struct flow *f)
{
	move_sp(f, -r->word);
	f->record |= r->src->passes && f->forward && f->fp.in == HOLDS_ORIGINAL && i->off == r->src->arch->rec_ra;   /* for a function that it jumps to */
	if (i->of_fp)
		save(f, &f->fp, 0);
	else if (f->fp.slot == f->sp)
		f->fp.saved = false;
	if (f->forward || !r->pushed || !f->sp_known)
		return;
	if (f->popped != NO_REG && i->reg == f->popped)   /* the code popped the return address, and pushes it again further down */
		f->ra.saved = true, f->ra.slot = f->sp;
	else if (f->ra.slot == f->sp)
		f->ra.saved = false;
}

/* Notes that an instruction reads the register from sp + OFF. */
static void
restore(const struct flow *f, struct held *h, int32_t off)
{
	int32_t slot = f->sp + off;

	if (f->sp_known && in_bounds(off) && h->saved && (h->slot == slot || h->slot == ANYWHERE)) {
		h->in = HOLDS_ORIGINAL;
		h->at = 0;
	} else if (f->sp_known && in_bounds(off) && f->forward && (f->base_fp || f->base_other || slot >= 0)) {
		h->in = HOLDS_SLOT;
		h->at = slot;
	} else {
		h->in = HOLDS_ELSE;
		if (f->sp_known && in_bounds(off) && h->slot >= f->sp)
			return;   /* what was saved is still there */
	}
	h->saved = false;
}

static void
restore_fp(const struct reader *r, struct flow *f, int32_t off)
{
	bool original = f->fp.in == HOLDS_ORIGINAL;

	restore(f, &f->fp, off);
	f->record |= f->base_fp && original && f->fp.in == HOLDS_SLOT && f->fp.at == r->src->arch->rec_fp;
}

void
flow_restore(const struct reader *r, const struct insn *i, struct flow *f)
{
	if (i->fp_at != NO_SLOT)
		restore_fp(r, f, i->fp_at);
	if (i->ra_at != NO_SLOT)
		restore(f, &f->ra, i->ra_at);
	if (r->src->arch->other && i->other_at != NO_SLOT)
		restore(f, &f->other, i->other_at);
	move_sp(f, i->off);
}

static void
sp_from_fp(struct flow *f, bool other, int32_t off)
{
	const struct held *h = other ? &f->other : &f->fp;

	f->sp_known = h->in == HOLDS_FRAME || (h->in == HOLDS_ORIGINAL && f->forward);
	f->sp = h->at;
	if (h->in == HOLDS_ORIGINAL && f->forward) {
		f->base_fp = !other;
		f->base_other = other;
		f->fp.saved = f->other.saved = false;
		f->ra.slot = ANYWHERE;   /* its place relative to fp is not known; but what a function stores, it loads again */
	}
	move_sp(f, off);
}

static void
sp_from_reg(const struct reader *r, const struct insn *i, struct flow *f)
{
	f->sp_known = false;
	f->load_at = i->reg < GENERAL ? f->loaded[i->reg] : 0;
	f->realigned = f->record && f->load_at && i->off == -r->word && f->fp.in == HOLDS_SLOT && f->fp.at == 0;
}

/* Notes that an instruction reads REG from OFF below the original fp. */
static void
load(struct flow *f, unsigned reg, int32_t off)
{
	if (reg < GENERAL)
		f->loaded[reg] = off < 0 && off == (int16_t)off ? (int16_t)off : 0;
}

/* No machine makes frames with register 0. */
bool
flow_constant(const struct flow *f, unsigned reg, int32_t *value)
{
	const struct constant *c = &f->constant[reg % CONSTANTS];

	*value = c->value;
	return reg && c->reg == reg;
}

static void
constant(const struct insn *i, struct flow *f)
{
	struct constant *c = &f->constant[i->reg % CONSTANTS];

	if (i->op == INSN_CONST)
		*c = (struct constant){ i->off, i->reg };
	else if (c->reg == i->reg && __builtin_add_overflow(c->value, i->off, &c->value))
		c->reg = 0;
}

/* Instructions that change sp, or use it. */
static void
apply_sp(const struct reader *r, const struct insn *i, struct flow *f)
{
	int32_t value;

	switch (i->op) {
	case INSN_PUSH:
		push(r, i, f);
		break;
	case INSN_POP:
		if (i->of_fp)
			restore_fp(r, f, 0);
		else if (f->sp_known && f->base_fp)
			load(f, i->reg, f->sp);
		else if (f->sp_known && !f->forward && f->sp == -r->word && i->ra_at != NO_SLOT) {   /* into the caller's frame */
			f->ra.saved = true;
			f->ra.slot = i->ra_at;
		} else if (f->sp_known && !f->forward && f->sp == -r->word)
			f->popped = i->reg;
		move_sp(f, r->word);
		break;
	case INSN_SP_ADD:
		move_sp(f, i->off);
		break;
	case INSN_SP_ADD_REG:
	case INSN_SP_FROM_FP_REG:
		if (i->op == INSN_SP_FROM_FP_REG)
			sp_from_fp(f, false, 0);
		if (!flow_constant(f, i->reg, &value) || value == INT32_MIN)
			f->sp_known = false;
		else
			move_sp(f, i->off < 0 ? -value : value);
		break;
	case INSN_SP_LOST:
		f->sp_known = false;
		break;
	case INSN_SP_FROM_REG:
		sp_from_reg(r, i, f);
		break;
	case INSN_SP_FROM_FP:
	case INSN_LEAVE:
		sp_from_fp(f, i->other, i->op == INSN_LEAVE ? 0 : i->off);
		if (i->op == INSN_LEAVE) {
			restore_fp(r, f, 0);
			move_sp(f, r->word);
		}
		break;
	case INSN_SAVE:
		move_sp(f, i->off);
		if (i->fp_at != NO_SLOT)
			save(f, &f->fp, i->fp_at);
		if (i->ra_at != NO_SLOT)
			save(f, &f->ra, i->ra_at);
		if (r->src->arch->other && i->other_at != NO_SLOT)
			save(f, &f->other, i->other_at);
		break;
	case INSN_RESTORE:
		flow_restore(r, i, f);
		break;
	}
}

void
flow_apply(const struct reader *r, const struct insn *i, struct flow *f)
{
	struct held *h = i->other ? &f->other : &f->fp;
	int32_t value;

	switch (i->op) {
	case INSN_FP_FROM_SP:
		h->in = f->sp_known && in_bounds(i->off) ? HOLDS_FRAME : HOLDS_ELSE;
		h->at = h->in == HOLDS_FRAME ? f->sp + i->off : 0;
		break;
	case INSN_FP_ADD:
		if (in_bounds(i->off) && in_bounds(h->at + i->off))
			h->at += i->off;
		else
			h->in = HOLDS_ELSE;
		break;
	case INSN_FP_LOAD:   /* else fp may be any pointer */
		f->record |= r->src->passes && f->forward && h->in == HOLDS_ORIGINAL && i->off == r->src->arch->rec_fp;
		h->in = HOLDS_ELSE;
		break;
	case INSN_FP_ZERO:
	case INSN_FP_LOST:
		f->fp.in = i->op == INSN_FP_ZERO ? HOLDS_ZERO : HOLDS_ELSE;
		break;
	case INSN_RA_ZERO:
	case INSN_RA_LOST:
		f->ra.in = i->op == INSN_RA_ZERO ? HOLDS_ZERO : HOLDS_ELSE;
		break;
	case INSN_CONST:
	case INSN_CONST_ADD:
		constant(i, f);
		break;
	case INSN_LOAD:
		load(f, i->reg, f->fp.in == HOLDS_ORIGINAL && f->forward ? i->off : 0);
		break;
	case INSN_SYSCALL:
		f->entered = true;
		break;
	case INSN_CALL:
		f->called = true;
		if (!r->pushed)
			memset(f->constant, 0, sizeof f->constant);
		if (f->ra.in != HOLDS_ZERO)   /* a thread's first function has no return address, also after its calls */
			f->ra.in = HOLDS_ELSE;
		break;
	case INSN_PLAIN:
		if (flow_constant(f, i->reg, &value))
			f->constant[i->reg % CONSTANTS].reg = 0;
		break;
	default:
		apply_sp(r, i, f);
	}
}
