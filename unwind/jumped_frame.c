/* See jumped_frame.h.  prof finds the function that jumps in one of two ways.  Either the stack holds a return address behind a
 * call of this function, just where its frame has the return address (valgrind's dispatcher, in valgrind's own file).  Or the
 * function stands where the memory of the code begins, the code behind its jump removes the same frame, and just there is a return
 * address behind a call by an address (the prologues of qemu's code and of Guile's).  The function's instructions tell how large its frame is, so
 * no other frame lies between. */
#include "jumped_frame.h"

#include "lib/index.h"
#include "unwind/derive/derive.h"
#include "convention.h"
#include "entry.h"

enum {
	SEARCHED = 24 << 10,   /* bytes of stack */
	MAPS = 16,             /* whose beginnings prof looks at */
	AROUND = 256,          /* bytes behind the jump that may remove the frame */
	SMALLEST = 32,         /* bytes of a frame that keeps what its caller needs */
};

/* The module of the code that the frame is in, or NULL. */
static struct module *
module_of(struct job *j, const struct frame *f, uint64_t *vaddr)
{
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));

	return e && e != &j->u->spare ? entry_module(j->u, e, vaddr) : NULL;
}

/* Steps out of F as if it were in the frame of K's function.  entry_after_call would believe what prof cannot read. */
static enum step
step_by(struct job *j, const struct jumper *k, struct frame *f)
{
	struct unwinder *u = j->u;
	struct frame to = *f;
	enum step step = step_plain(&k->rule, &j->memory, u->mask, &to, &j->where);
	struct entry *e = step ? NULL : entry_probe(u, j->space, to.pc - 1);
	uint64_t vaddr, target;
	struct module *m;

	if (!e || e == &u->spare)
		return step == STEP_OUTSIDE ? step : STEP_NONE;
	m = entry_module(u, e, &vaddr);
	target = code_called(&u->code, m, vaddr);
	if (k->module->kind == MODULE_JIT ? target || !code_after_call(&u->code, m, vaddr + 1) : m != k->module || target != k->start)
		return STEP_NONE;
	*f = to;
	j->by = BY_CODE;
	j->by_hand = true;
	return STEP_OK;
}

/* Whether F may be in K's frame: not while the function itself makes it, or removes it; and code that a process made is its own. */
static bool
may_be_in(struct job *j, const struct jumper *k, const struct frame *f)
{
	uint64_t vaddr;
	struct module *m = module_of(j, f, &vaddr);

	return m && (m == k->module ? vaddr - k->start >= k->end - k->start + AROUND : k->module->kind != MODULE_JIT);
}

static bool
is_jumper(struct job *j, struct module *m, uint64_t start, struct jumper *k)
{
	bool back;

	if (m->kind != MODULE_JIT)
		return convention_host(j->u, m, start, false, k);
	*k = (struct jumper){ .module = m, .start = start, .epoch = j->space->epoch };
	return derive_jumped(&j->u->code, m, start, false, &k->rule, &k->end, &back) && back && k->rule.cfa_off >= SMALLEST;
}

/* Whether it is still what it was: a process may write other code. */
static bool
is_still(struct job *j, struct jumper *k)
{
	struct jumper now;

	if (k->module->kind != MODULE_JIT || k->epoch == j->space->epoch)
		return true;
	if (!is_jumper(j, k->module, k->start, &now) || now.end != k->end)
		return false;
	*k = now;
	return true;
}

/* OUTSIDE: F may be in a frame that ends beyond the copy. */
static enum step
step_known(struct job *j, struct frame *f, struct rule *rule)
{
	enum step found = STEP_NONE;

	for (unsigned i = 0; i < JUMPERS; i++) {
		struct jumper *k = &j->u->jumper[i];

		enum step step = k->module && may_be_in(j, k, f) && is_still(j, k) ? step_by(j, k, f) : STEP_NONE;

		if (step == STEP_OK) {
			*rule = k->rule;
			return step;
		}
		found = step == STEP_OUTSIDE && k->module->kind == MODULE_FILE ? step : found;
	}
	return found;
}

static enum step
step_new(struct job *j, struct module *m, uint64_t start, struct frame *f)
{
	struct unwinder *u = j->u;
	struct jumper k;

	if (!is_jumper(j, m, start, &k)) {
		struct cursor code = code_bytes(&u->code, m, start);

		if (!code_is_live(&u->code, m, start) && cur_left(&code))
			u->plain[hash_u64(start) % PLAINS] = (struct plain){ m, start };
		return STEP_NONE;
	}
	if (!may_be_in(j, &k, f) || step_by(j, &k, f))
		return STEP_NONE;
	u->jumper[u->jumpers++ % JUMPERS] = k;
	return STEP_OK;
}

static bool
is_plain(struct unwinder *u, const struct module *m, uint64_t start)
{
	const struct plain *p = &u->plain[hash_u64(start) % PLAINS];

	return p->module == m && p->start == start;
}

/* Looks for a return address behind a call of such a function. */
static enum step
search_stack(struct job *j, struct frame *f)
{
	struct unwinder *u = j->u;
	unsigned word = u->code.arch->word;
	uint64_t at = f->sp, ra, vaddr, start, last = 0, followed = u->code.followed;

	for (; at < f->sp + SEARCHED && memory_word(&j->memory, at, &ra); at += word) {
		struct entry *e = entry_probe(u, j->space, ra - 1);
		struct module *m;

		if (!e || e == &u->spare || (m = entry_module(u, e, &vaddr))->kind != MODULE_FILE || !(start = code_called(&u->code, m, vaddr)) ||
		    start == last || is_plain(u, m, start))
			continue;
		last = start;
		if (step_new(j, m, start, f) == STEP_OK)
			return STEP_OK;
	}
	code_in_vain(&u->code, (at - f->sp) / word + u->code.followed - followed);
	return STEP_NONE;
}

/* Looks where memory with code that the process made begins. */
static enum step
search_maps(struct job *j, struct frame *f)
{
	struct space *s = j->space;
	uint64_t followed = j->u->code.followed;
	uint32_t n = 0, i = s->n;

	while (i && n < MAPS) {   /* the first memory that a process asked for is mostly the highest */
		const struct map *map = &s->map[--i];

		if (!map->exec || (!map->module && (map->file || !(map = space_find(s, map->lo)))) || map->module->kind != MODULE_JIT)
			continue;
		n++;
		if (step_new(j, map->module, map->lo - map->bias, f) == STEP_OK)
			return STEP_OK;
	}
	code_in_vain(&j->u->code, s->n - i + j->u->code.followed - followed);
	return STEP_NONE;
}

enum step
step_jumped(struct job *j, struct frame *f)
{
	struct rule rule;
	enum step step;

	if (j->u->mode != MODE_AUTO || !j->u->code.arch->call_len)
		return STEP_NONE;
	step = step_known(j, f, &rule);
	if (step == STEP_NONE && code_has_time(&j->u->code)) {
		step = search_maps(j, f);
		step = step == STEP_NONE ? search_stack(j, f) : step;
	}
	return step;
}

bool
jumped_known(struct job *j, const struct frame *f, const struct module *m, struct rule *rule)
{
	struct frame to = *f;

	return m->kind == MODULE_JIT && j->u->mode == MODE_AUTO && step_known(j, &to, rule) == STEP_OK;
}
