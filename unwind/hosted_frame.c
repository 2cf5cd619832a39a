/* See hosted_frame.h.  A function makes a frame and jumps by an address to code that leaves that frame alone, and jumps by an address,
 * too.  Where it jumps, sp is the function's own: the function's instructions tell how far that lies below the return address, and the
 * code's tell by how much sp rises until then.  Just at that place there must be a return address behind a call of the function.
 *
 * An interpreter's loop is the host of code that its compiler made (PHP).  It is known by its symbol, because it is called by an
 * address.  A function that makes room for whole stacks is the host of the code of its file that has no description, because that code
 * keeps its own frames elsewhere (GHC's StgRun: its code has a stack of its own, in rbp).  If it is in a library, it is the host of such
 * code in all files: this library is known by the symbol of the place where the code returns to. */
#include "hosted_frame.h"

#include <string.h>

#include "sym/elf/symbol_tables.h"
#include "sym/module/ehframe.h"
#include "unwind/derive/derive.h"
#include "convention.h"
#include "entry.h"
#include "rule.h"
#include "verify.h"

enum {
	RISE_MOST = 4096,
	FIRST_INSNS = 10,
	ASSEMBLY_LEAST = 8 << 10,      /* bytes of an interpreter's loop */
	MADE_MOST = 512,               /* bytes of its frame, and of what code below it keeps */
	RESERVE_LEAST = 16 << 10,      /* bytes of a frame that are room for others */
	DESCRIPTIONS_MOST = 1 << 14,   /* of a file in which prof looks for such a function: larger ones are C++ */
};

/* Whether one of the function's first instructions makes so large a frame. */
static bool
makes_reserve(struct unwinder *u, struct module *m, uint64_t at)
{
	struct insn i;

	for (unsigned n = 0; n < FIRST_INSNS; n++, at += i.len) {
		code_decode(&u->code, m, at, &i);
		if (i.op >= INSN_CALL)
			return false;
		if (i.op == INSN_SP_ADD && i.off <= -RESERVE_LEAST)
			return true;
	}
	return false;
}

static bool
find_reserve(struct unwinder *u, struct module *m, struct jumper *k)
{
	uint64_t start;

	if (ehframe_number(u->code.modules, m, DESCRIPTIONS_MOST))
		return false;
	for (uint32_t i = 0; (start = ehframe_number(u->code.modules, m, i)) && work_step(1); i++)
		if (makes_reserve(u, m, start) && convention_host(u, m, start, false, k) && k->rule.cfa_off >= RESERVE_LEAST)
			return true;
	return false;
}

static const struct jumper *
reserve_in(struct unwinder *u, struct module *m)
{
	struct jumper k;

	if (u->reserve.module == m)
		return &u->reserve;
	if (m->reserveless || m->kind != MODULE_FILE || m->bad || m->elf.machine != u->code.arch->machine)
		return NULL;
	work_begin(&m->work);
	m->reserveless = !find_reserve(u, m, &k);
	work_end();
	if (m->reserveless)
		return NULL;
	u->reserve = k;
	return &u->reserve;
}

/* The library of the process that has the runtime, or NULL. */
static struct module *
find_runtime(const struct space *s)
{
	struct symbol_tables t;
	struct raw_symbol symbol;

	for (uint32_t i = 0; i < s->n; i++) {
		struct module *m = s->map[i].exec ? s->map[i].module : NULL;

		if (!m || m->kind != MODULE_FILE || m->bad || m->reserveless || m->runtimeless)
			continue;
		work_begin(&m->work);
		symbol_tables_find(&t, &m->elf);
		m->runtimeless = !symbol_tables_named(&m->elf, &t.dynsym, "StgReturn", &symbol);
		work_end();
		if (!m->runtimeless)
			return m;
	}
	return NULL;
}

/* The function that makes room for code of this file, or NULL. */
static const struct jumper *
reserve_of(struct unwinder *u, struct module *m)
{
	const struct space *s = u->code.space;
	const struct jumper *own = reserve_in(u, m);

	if (own || !s)
		return own;
	if (u->runtime_epoch != s->epoch || u->runtime_bound != s->bound) {
		u->runtime = find_runtime(s);
		u->runtime_epoch = s->epoch;
		u->runtime_bound = s->bound;
	}
	return u->runtime ? reserve_in(u, u->runtime) : NULL;
}

const struct jumper *
hosted_switches(struct job *j)
{
	const struct jumper *k = convention_of(j->u);

	return k && k->how == CODE_SWITCHES ? k : NULL;
}

/* Whether RA follows a call of K's function; that of a loop may be by an address. */
static bool
may_call(struct job *j, const struct jumper *k, bool loop, uint64_t ra)
{
	struct entry *e = entry_probe(j->u, j->space, ra - 1);
	uint64_t vaddr, target;
	struct module *m;

	if (!e || e == &j->u->spare || (m = entry_module(j->u, e, &vaddr))->kind != MODULE_FILE || m->bad)
		return false;
	target = code_called(&j->u->code, m, vaddr);
	return target ? m == k->module && target == k->start : loop && code_after_call(&j->u->code, m, vaddr + 1);
}

bool
hosted_called(struct job *j, const struct jumper *k, uint64_t ra)
{
	return may_call(j, k, false, ra);
}

enum step
hosted_rule(struct job *j, const struct frame *f, struct module *m, uint64_t vaddr, struct rule *rule)
{
	struct unwinder *u = j->u;
	const struct jumper *k;
	struct frame to = *f;
	uint64_t followed = u->code.followed;
	bool loop = m->kind == MODULE_JIT;
	enum step step = STEP_NONE;
	int32_t rise;

	if (u->mode != MODE_AUTO || !u->code.arch->call_len || !(k = loop ? convention_of(u) : reserve_of(u, m)) || k->how != CODE_HOSTED || (loop && !code_has_time(&u->code)))
		return STEP_NONE;
	if (derive_rise(&u->code, m, vaddr, &rise) && rise <= RISE_MOST) {
		*rule = k->rule;
		rule->cfa_off += rise;
		step = step_plain(rule, &j->memory, u->mask, &to, &j->where);
		if (step == STEP_OK ? may_call(j, k, loop, to.pc) : step == STEP_OUTSIDE)
			return step;
	}
	if (loop)
		code_in_vain(&u->code, u->code.followed - followed);
	return STEP_NONE;
}

/* Whether the call before RA is of an interpreter's loop, in assembly, whose table knows one frame for all of it; then its RULE. */
static bool
calls_assembly(struct job *j, uint64_t ra, struct rule *rule)
{
	struct unwinder *u = j->u;
	struct entry *e = entry_probe(u, j->space, ra - 1);
	uint64_t vaddr, target, lo, hi;
	struct rule last;
	struct module *m;

	if (!e || e == &u->spare || (m = entry_module(u, e, &vaddr))->kind != MODULE_FILE || m->bad || !(target = code_called(&u->code, m, vaddr)) ||
	    !ehframe_start(u->code.modules, m, target, &lo, &hi) || hi - lo < ASSEMBLY_LEAST)
		return false;
	return rule_find(u, m, lo, rule) && rule_find(u, m, hi - 1, &last) && !memcmp(rule, &last, sizeof last) && rule->kind == RULE_PLAIN &&
	       !(rule->flags & RULE_BASE_FP) && rule->cfa_off > (int32_t)u->code.arch->word;
}

/* Steps out of code that an interpreter's compiler made, and that runs in the frame of its loop, below which it may keep more (LuaJIT's
 * traces).  No other frame lies between, and the loop has written all of its frame, so that no old return address is there; one may be in
 * what the code keeps, which is less than the loop's frame has. */
static enum step
step_assembly(struct job *j, struct frame *f)
{
	uint64_t at, ra, old = 0, own;
	struct frame to = *f;
	struct rule rule;
	enum step step;

	for (at = f->sp; at - f->sp < MADE_MOST; at += j->u->code.arch->word) {
		if (!memory_word(&j->memory, at, &ra))
			return STEP_NONE;
		if (!verify_caller(j, ra))
			continue;
		if (calls_assembly(j, ra, &rule) && (own = (uint64_t)(rule.cfa_off + rule.ra_off)) <= at - f->sp && (!old || old < at - own))
			break;
		old = at;
	}
	if (at - f->sp >= MADE_MOST || at - f->sp >= (uint64_t)(2 * rule.cfa_off + rule.ra_off))
		return STEP_NONE;
	rule.cfa_off = (int32_t)(at - f->sp) - rule.ra_off;
	step = step_plain(&rule, &j->memory, j->u->mask, &to, &j->where);
	if (step == STEP_OK)
		*f = to;
	return step;
}

enum step
step_hosted(struct job *j, struct frame *f)
{
	struct entry *e = entry_probe(j->u, j->space, frame_at(f));
	struct rule rule;
	uint64_t vaddr;
	struct module *m;
	enum step step;

	if (!e || e == &j->u->spare)
		return STEP_NONE;
	m = entry_module(j->u, e, &vaddr);
	step = hosted_rule(j, f, m, vaddr, &rule);
	if (step == STEP_OK)
		step = step_plain(&rule, &j->memory, j->u->mask, f, &j->where);
	else if (step == STEP_NONE && m->kind == MODULE_JIT && j->u->mode == MODE_AUTO && j->u->code.arch->call_len)
		step = step_assembly(j, f);
	if (step == STEP_OK) {
		j->by = BY_CODE;
		j->by_hand = true;
	}
	return step;
}
