/* Rules: how a walk steps out of the code at an address of a module.
 *
 * A frame description is a program.  To run it for every frame would take long, so prof runs it once for each new address, and the
 * result becomes a value of 12 bytes (step_rule.h).  For nearly all code that is a plain rule: the CFA is sp or fp and a number,
 * the return address and fp lie near it.  A description that says more keeps its row (cfi.h), the last few in a cache; the rule
 * then says no more than that.
 *
 * prof asks the descriptions of code in this order: .eh_frame, .debug_frame or what a jitdump or the process has brought, but Go's own table
 * before .debug_frame; then .ARM.exidx.  prof knows some code better than its description does: the entry point and other code
 * that nobody calls are roots, trampolines of signals have a known layout, and some descriptions are known to be wrong at some
 * places.
 *
 * If nothing describes the code, prof looks at the code itself (rule_undescribed), in the end by reading its instructions
 * (derive.h).  The result is a guess with a reason: prof verifies each step by it (step_bare.h).
 *
 * A rule holds for its code, whatever walk has found it.  So prof can keep it. */
#include "rule.h"

#include <string.h>

#include "lib/filemap.h"
#include "lib/work.h"
#include "conventions.h"
#include "sym/jit/jit.h"
#include "sym/module/symtab.h"
#include "unwind/derive/derive.h"
#include "unwind/derive/kept_rules.h"
#include "unwind/derive/sigreturn.h"

enum {
	FUNCTION_ALIGN = 16,
	EDGE = 256,           /* bytes at the beginning of code that a process describes */
};
/* Pages of files count as memory, too: prof looks at them once in so many new addresses, and gives them back. */
enum { TRIM_EVERY = 32, FILES_MOST = 4 << 20 };

/* ---- roots ---- */

/* Whether VADDR lies in the function at the file's entry point.  Its end is known, or prof follows the code. */
static bool
at_entry(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	uint64_t entry = m->elf.entry & ~(uint64_t)(u->code.arch->align - 1), lo, hi;

	if (!entry || vaddr < entry || vaddr - entry > 4096)
		return false;
	if ((ehframe_start(u->code.modules, m, entry, &lo, &hi) || (!u->code.arch->table_row && code_function(&u->code, m, entry, &lo, &hi))) &&
	    lo <= entry && vaddr < hi)
		return true;
	return vaddr < derive_entry_end(&u->code, m, entry);
}

/* ---- rows ---- */

bool
rule_fde(struct unwinder *u, struct module *m, uint64_t vaddr, struct fde *fde)
{
	return m->kind == MODULE_JIT ? jit_frame(m, vaddr, fde) : ehframe_find(u->code.modules, m, vaddr, fde);
}

/* Go's own table tells sp alone: it says nothing of the frame pointer where code has moved sp. */
static bool
go_row(struct unwinder *u, struct module *m, uint64_t vaddr, struct row *row)
{
	const struct arch *a = u->code.arch;
	bool pushed = a->ra == a->pc;   /* by the call */
	uint32_t depth;

	if (!symtab_depth(u->code.modules, m, vaddr, &depth))
		return false;
	row->set = UINT64_C(1) << a->ra | UINT64_C(1) << a->fp;
	row->cfa_off = (int64_t)depth + (pushed ? a->word : 0);
	row->cfa_expr = NULL;
	row->cfa_reg = a->sp;
	row->ra = a->ra;
	row->signal = row->ra_signed = false;
	row->truth = ROW_TRUE;
	row->debug = true;
	row->reg[a->fp] = (struct place){ .how = depth ? HOW_UNDEFINED : HOW_SAME };
	row->reg[a->ra] = (struct place){ .how = pushed || depth ? HOW_OFFSET : HOW_SAME, .off = pushed ? -(int32_t)a->word : -(int32_t)depth };
	return true;
}

/* Whether such a description says of the first instructions what holds only behind them.  qemu describes all of its code by one row,
 * and the code that makes the frame, and removes it, stands at the beginning. */
static bool
early(const struct arch *a, const struct fde *fde, uint64_t vaddr)
{
	struct row row;

	return fde->told && vaddr - fde->lo < EDGE &&
	       (cfi_row(a, fde, fde->lo, &row) || row.cfa_expr || row.cfa_reg != a->sp || row.cfa_off != (a->ra == a->pc ? a->word : 0));
}

/* Gets the WHOLE row, or only what a plain rule takes of it. */
static const char *
read_row(struct unwinder *u, struct module *m, uint64_t vaddr, bool whole, struct row *row, bool *found)
{
	struct fde fde;
	const char *why = NULL;

	*found = rule_fde(u, m, vaddr, &fde) && !early(u->code.arch, &fde, vaddr);
	if ((!*found || fde.debug) && m->kind != MODULE_JIT && go_row(u, m, vaddr, row)) {
		*found = true;
		return NULL;
	}
	if (!*found)
		return u->code.arch->table_row ? u->code.arch->table_row(&m->elf, vaddr, row, found) : NULL;
	if (whole || !cfi_brief(u->code.arch, &fde, vaddr, row))
		why = cfi_row(u->code.arch, &fde, vaddr, row);
	if (u->code.arch->ra != u->code.arch->pc && !why)
		row_mend(u->code.arch, &fde, vaddr, row);
	row->debug = fde.debug;
	if (fde.debug && u->code.arch->table_row)   /* gcc's tables are a step late in epilogues of large frames */
		row->truth = ROW_LATE;
	if (fde.told)
		row->truth = ROW_TOLD;
	return why;
}

const struct row *
rule_row(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	struct row_cache *c = &u->rows[hash_u64(vaddr + m->id) % ROWS];
	bool found;

	if (c->module == m->id + 1 && c->vaddr == vaddr)
		return &c->row;
	c->module = 0;
	work_begin(&m->work);
	found = !read_row(u, m, vaddr, true, &c->row, &found) && found;
	work_end();
	if (!found)
		return NULL;
	c->module = m->id + 1;
	c->vaddr = vaddr;
	return &c->row;
}

static bool
small(int64_t v)
{
	return v == (int16_t)v;
}

/* The frame pointer's part of a plain rule. */
static bool
plain_fp(const struct arch *a, const struct row *row, struct rule *r)
{
	struct place fp = row_place(row, a->fp);

	if (fp.how == HOW_SAME)
		r->flags |= RULE_FP_SAME;
	else if (fp.how == HOW_UNDEFINED)
		r->flags |= RULE_FP_LOST;
	else if (fp.how == HOW_OFFSET && small(fp.off))
		r->fp_off = (int16_t)fp.off;
	else
		return false;
	return true;
}

/* The return address's part: on the stack, or still in the register where the call left it. */
static bool
plain_ra(const struct arch *a, const struct row *row, struct place ra, struct rule *r)
{
	r->ra_off = (int16_t)ra.off;
	r->kind = RULE_PLAIN;
	if (row->ra == a->ra && ra.how == HOW_OFFSET)
		return true;
	r->kind = RULE_LINK;
	r->flags |= RULE_RA_IN_REG;
	if (ra.how == HOW_SAME)
		r->ra_off = (int16_t)row->ra;
	return a->ra != a->pc && (ra.how == HOW_SAME || ra.how == HOW_REGISTER) && r->ra_off < REGS;
}

/* Whether a plain rule is enough for the row's step. */
static bool
plain(const struct arch *a, const struct row *row, struct rule *r)
{
	struct place ra = row_place(row, row->ra);

	if (row->signal || row->truth == ROW_TOLD || row->cfa_expr || (row->cfa_reg != a->sp && row->cfa_reg != a->fp) ||
	    row_place(row, a->sp).how != HOW_SAME || row->cfa_off != (int32_t)row->cfa_off || !small(ra.off) || !plain_fp(a, row, r) ||
	    !plain_ra(a, row, ra, r))
		return false;
	r->cfa_off = (int32_t)row->cfa_off;
	if (row->cfa_reg == a->fp) {
		r->flags |= RULE_BASE_FP;
		if (r->kind == RULE_PLAIN && r->cfa_off == a->rec_ra - r->ra_off && !(r->flags & (RULE_FP_SAME | RULE_FP_LOST)) &&
		    r->cfa_off == a->rec_fp - r->fp_off)
			r->flags |= RULE_KEEPS_FP;
	}
	return true;
}

/* ---- code without a description ---- */

/* If a return address is a function's first instruction behind padding, somebody put it there by hand: a coroutine goes
 * there when it ends (makecontext). */
static bool
never_called(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	struct insn i;
	uint64_t lo, hi;

	if (!u->code.arch->decode || !ehframe_start(u->code.modules, m, vaddr + 1, &lo, &hi) || lo != vaddr + 1 || code_after_call(&u->code, m, vaddr + 1))
		return false;
	code_decode(&u->code, m, vaddr, &i);
	return i.op != INSN_RETURN;
}

static bool
ends_here(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	uint64_t first = vaddr & ~(uint64_t)(u->code.arch->align - 1);
	struct cursor c = code_bytes(&u->code, m, first);

	return u->code.arch->ends_here && first % FUNCTION_ALIGN == 0 && u->code.arch->ends_here(c.pos, cur_left(&c));
}

/* Go's functions that begin a stack, or change to the scheduler's stack.  For some of them only code behind their call
 * counts; for those that Go's table does not describe, all code does. */
static bool
changes_stack(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	enum { BY_CALL = 5 };
	static const char *const names[] = {
		"runtime.mcall", "runtime.systemstack", "runtime.morestack", "runtime.asmcgocall", "runtime.clone",
		"runtime.rt0_go", "runtime.nanotime1", "runtime.walltime", "time.now", "runtime.callCgoMmap", "runtime.callCgoMunmap",
		"runtime.callCgoSigaction",
	};
	struct symbol s;
	size_t n;

	if (!symtab_go(u->code.modules, m) || !symtab_find(u->code.modules, m, vaddr, &s))
		return false;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(s.name, names[i], n = strlen(names[i])) && (!s.name[n] || !strcmp(s.name + n, ".abi0")))
			return i >= BY_CALL || code_after_call(&u->code, m, vaddr + 1);
	return !strncmp(s.name, "_rt0_", 5);
}

/* Where V8 goes on with a function in its interpreter, once it has left its optimized code: it makes the frame, with a record, and lets
 * what that has called return to the beginning of its own function. */
static bool
enters_interpreter(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	static const char name[] = "Builtins_InterpreterEnterAt";
	const struct arch *a = u->code.arch;
	int16_t cfa = (int16_t)(a->rec_ra + a->word);
	struct symbol s;

	if ((vaddr + 1) % FUNCTION_ALIGN || code_after_call(&u->code, m, vaddr + 1) || !symtab_find(u->code.modules, m, vaddr + 1, &s) ||
	    s.lo != vaddr + 1 || strncmp(s.name, name, sizeof name - 1))
		return false;
	*r = (struct rule){ .kind = RULE_DERIVED, .flags = RULE_BASE_FP | RULE_KEEPS_FP | RULE_BY_HAND, .cfa_off = cfa, .ra_off = (int16_t)(a->rec_ra - cfa),
	                    .fp_off = (int16_t)(a->rec_fp - cfa), .other_off = OTHER_SAME };
	return true;
}

/* Code that is not what it looks like, whatever .debug_frame may say (Go's says nothing of it), or a signal trampoline's
 * description (which old vdsos have wrong). */
static bool
find_special(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	if (sigreturn_rule(&u->code, m, vaddr, r) || enters_interpreter(u, m, vaddr, r))
		return true;
	if (ends_here(u, m, vaddr))
		*r = (struct rule){ .kind = RULE_ROOT, .flags = RULE_BY_HAND };
	else if (changes_stack(u, m, vaddr))
		r->kind = RULE_ROOT;
	else
		return false;
	return true;
}

static void
find_undescribed(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	bool file = !code_is_live(&u->code, m, vaddr);   /* what is special lies in files */

	*r = (struct rule){ .kind = RULE_BARE };
	if (file && find_special(u, m, vaddr, r))
		return;
	if (file && never_called(u, m, vaddr))
		*r = (struct rule){ .kind = RULE_ROOT, .flags = RULE_BY_HAND };
	else if (u->mode == MODE_AUTO)
		derive_rule(&u->code, m, vaddr, r);
}

void
rule_undescribed(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	const struct conventions *known = u->code.arch->conventions;
	const struct jumper *k = known && u->mode == MODE_AUTO && (module_is_live(m) || module_may_differ(m, vaddr)) ? known->of(u) : NULL;
	bool keeps;

	u->code.passes = k && k->how == CODE_PASSES;
	u->code.switches = k && k->how == CODE_SWITCHES;
	keeps = code_is_live(&u->code, m, vaddr);
	if (keeps && kept_rules_find(&u->code, m, vaddr, r))
		return;
	work_begin(&m->work);
	find_undescribed(u, m, vaddr, r);
	work_end();
	if (keeps)
		kept_rules_add(&u->code, m, vaddr, r);
}

/* If the row may not be true, the instructions come first. */
static bool
better_derived(struct unwinder *u, struct module *m, uint64_t vaddr, const struct row *row, struct rule *r)
{
	if (row->truth == ROW_TRUE || (row->truth == ROW_LATE && vaddr % u->code.arch->align) || u->mode != MODE_AUTO)
		return false;
	derive_rule(&u->code, m, vaddr, r);
	return (r->kind == RULE_DERIVED && (row->truth == ROW_LATE || r->cfa_off)) || r->kind == RULE_OTHER;
}

static void
by_row(struct unwinder *u, uint64_t vaddr, const struct row *row, struct rule *r)
{
	if (row_place(row, row->ra).how == HOW_UNDEFINED)
		r->kind = RULE_ROOT;
	else if (row->truth == ROW_LATE && vaddr % u->code.arch->align == 0)
		*r = (struct rule){ .kind = RULE_SILENT };   /* the step tries the row, and verifies it */
	else if (!plain(u->code.arch, row, r))
		*r = (struct rule){ .kind = RULE_GENERAL };
}

/* The rule by a jitdump, if that says something that makes sense. */
static bool
find_jit(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	struct row row;
	bool found;

	r->kind = RULE_BARE;
	if (read_row(u, m, vaddr, false, &row, &found) || !found)
		return u->mode != MODE_AUTO;
	by_row(u, vaddr, &row, r);
	return true;
}

static bool
find(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	struct row row;
	bool found;

	if (m->kind == MODULE_JIT)
		return find_jit(u, m, vaddr, r);
	if (m->no_elf && u->mode == MODE_AUTO)
		return false;
	if (m->bad)
		return true;
	r->kind = RULE_BARE;
	if (m->elf.machine != u->code.arch->machine)
		return true;
	if (m->kind == MODULE_FILE && at_entry(u, m, vaddr))
		r->kind = RULE_ROOT;
	else if (read_row(u, m, vaddr, false, &row, &found))
		r->kind = RULE_BAD;
	else if (!found)
		return false;
	else if ((!(row.debug || row.signal || row.truth == ROW_LATE) || !find_special(u, m, vaddr, r)) && !better_derived(u, m, vaddr, &row, r))
		by_row(u, vaddr, &row, r);
	return true;
}

bool
rule_find(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	bool found;

	*r = (struct rule){ .kind = RULE_LOST };
	if (++u->found % TRIM_EVERY == 0)
		filemap_trim(FILES_MOST);
	work_begin(&m->work);
	found = find(u, m, vaddr, r);
	work_end();
	return found;
}
