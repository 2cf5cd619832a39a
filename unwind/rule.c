/* From frame descriptions to rules: what most code needs (CFA by sp or fp, return address and fp near it) becomes a
 * plain rule; the rest keeps its row.  Code without a description is looked at in other ways. */
#include "unwind/cfi/step_rule.h"

#include <string.h>

#include "sym/jit/jit.h"
#include "sym/module/symtab.h"

enum { FUNCTION_MAX = 1 << 16, FUNCTION_ALIGN = 16 };
/* Pages of files count as memory, too: looked at once in so many new addresses, and given back. */
enum { TRIM_EVERY = 32, FILES_MOST = 4 << 20 };

struct cursor
rule_code(struct unwinder *u, const struct module *m, uint64_t vaddr)
{
	if (m->kind == MODULE_JIT)
		return derive_jit_code(u, vaddr);
	if (m->bad || m->elf.machine != u->arch->machine)
		return cur_of(NULL, 0, false);
	return m->file.fd ? derive_file_code(u, m, vaddr) : elf_from(&m->elf, vaddr);
}

bool
rule_after_call(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	for (unsigned back = vaddr % u->arch->align ? 0 : 8; u->arch->after_call && back > 1; back--) {   /* code may begin right before the call */
		struct cursor c = rule_code(u, m, vaddr - back);

		if (cur_left(&c) >= back)
			return u->arch->after_call(c.pos + back, back);
	}
	return false;
}

bool
rule_function(struct unwinder *u, struct module *m, uint64_t vaddr, uint64_t *lo, uint64_t *hi)
{
	struct symbol s;

	if (!symtab_find(u->modules, m, vaddr, &s) || vaddr < s.lo || vaddr - s.lo > FUNCTION_MAX)
		return false;
	*lo = s.lo;
	*hi = s.hi > vaddr ? s.hi : vaddr + 1;
	return true;
}

/* ---- roots ---- */

/* Whether VADDR lies in the function at the file's entry point; as far as that is told, or as it can be followed. */
static bool
at_entry(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	uint64_t entry = m->elf.entry & ~(uint64_t)(u->arch->align - 1), lo, hi;

	if (!entry || vaddr < entry || vaddr - entry > 4096)
		return false;
	if ((ehframe_start(u->modules, m, entry, &lo, &hi) || (!u->arch->table_row && rule_function(u, m, entry, &lo, &hi))) &&
	    lo <= entry && vaddr < hi)
		return true;
	return vaddr < derive_entry_end(u, m, entry);
}

/* ---- rows ---- */

bool
rule_fde(struct unwinder *u, struct module *m, uint64_t vaddr, struct fde *fde)
{
	return m->kind == MODULE_JIT ? jit_frame(m, vaddr, fde) : ehframe_find(u->modules, m, vaddr, fde);
}

/* Go's own table tells sp alone: where code has moved that, no word of the frame pointer. */
static bool
go_row(struct unwinder *u, struct module *m, uint64_t vaddr, struct row *row)
{
	const struct arch *a = u->arch;
	bool pushed = a->ra == a->pc;   /* by the call */
	uint32_t depth;

	if (!symtab_depth(u->modules, m, vaddr, &depth))
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

/* Of the WHOLE row, or what a plain rule takes of it. */
static const char *
read_row(struct unwinder *u, struct module *m, uint64_t vaddr, bool whole, struct row *row, bool *found)
{
	struct fde fde;
	const char *why = NULL;

	*found = rule_fde(u, m, vaddr, &fde);
	if ((!*found || fde.debug) && m->kind != MODULE_JIT && go_row(u, m, vaddr, row)) {
		*found = true;
		return NULL;
	}
	if (!*found)
		return u->arch->table_row ? u->arch->table_row(&m->elf, vaddr, row, found) : NULL;
	if (whole || !cfi_brief(u->arch, &fde, vaddr, row))
		why = cfi_row(u->arch, &fde, vaddr, row);
	if (u->arch->ra != u->arch->pc && !why)
		derive_mend(u, &fde, vaddr, row);
	row->debug = fde.debug;
	if (fde.debug && u->arch->table_row)   /* gcc's are a step late in epilogues of large frames */
		row->truth = ROW_LATE;
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
	if (read_row(u, m, vaddr, true, &c->row, &found) || !found)
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

/* The return address's: on the stack, or still in the register where the call left it. */
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

/* Whether the row's step needs no more than a plain rule has. */
static bool
plain(const struct arch *a, const struct row *row, struct rule *r)
{
	struct place ra = row_place(row, row->ra);

	if (row->signal || row->cfa_expr || (row->cfa_reg != a->sp && row->cfa_reg != a->fp) ||
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

/* A return address that is a function's first instruction, and that padding stands before, was put there by hand: it is
 * where a coroutine goes when it ends (makecontext). */
static bool
never_called(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	struct insn i;
	uint64_t lo, hi;

	if (!u->arch->decode || !ehframe_start(u->modules, m, vaddr + 1, &lo, &hi) || lo != vaddr + 1 || rule_after_call(u, m, vaddr + 1))
		return false;
	rule_decode(u, m, vaddr, &i);
	return i.op != INSN_RETURN;
}

static bool
ends_here(struct unwinder *u, struct module *m, uint64_t vaddr)
{
	uint64_t first = vaddr & ~(uint64_t)(u->arch->align - 1);
	struct cursor c = rule_code(u, m, first);

	return u->arch->ends_here && first % FUNCTION_ALIGN == 0 && u->arch->ends_here(c.pos, cur_left(&c));
}

/* Go's functions that begin a stack, or go over to that of the scheduler: behind the call that they make there; and those
 * of which Go's table does not tell how they do it, anywhere. */
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

	if (!symtab_go(u->modules, m) || !symtab_find(u->modules, m, vaddr, &s))
		return false;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(s.name, names[i], n = strlen(names[i])) && (!s.name[n] || !strcmp(s.name + n, ".abi0")))
			return i >= BY_CALL || rule_after_call(u, m, vaddr + 1);
	return !strncmp(s.name, "_rt0_", 5);
}

/* Code that is not what it looks like, whatever .debug_frame may say (Go's says nothing of it), or a signal trampoline's
 * description (which old vdsos have wrong). */
static bool
find_special(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	if (derive_sigreturn(u, m, vaddr, r))
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
find_bare(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	if ((u->frame && u->mode == MODE_AUTO && derive_called(u->job, u->frame, m, vaddr, r)) || find_special(u, m, vaddr, r))
		return;
	if (never_called(u, m, vaddr))
		*r = (struct rule){ .kind = RULE_ROOT, .flags = RULE_BY_HAND };
	else if (u->mode == MODE_AUTO)
		derive_rule(u, m, vaddr, r);
}

/* Where the row may not be true what the instructions tell comes first. */
static bool
better_derived(struct unwinder *u, struct module *m, uint64_t vaddr, const struct row *row, struct rule *r)
{
	if (row->truth == ROW_TRUE || (row->truth == ROW_LATE && vaddr % u->arch->align) || u->mode != MODE_AUTO)
		return false;
	derive_rule(u, m, vaddr, r);
	return (r->kind == RULE_DERIVED && (row->truth == ROW_LATE || r->cfa_off)) || r->kind == RULE_OTHER;
}

static void
by_row(struct unwinder *u, uint64_t vaddr, const struct row *row, struct rule *r)
{
	if (row_place(row, row->ra).how == HOW_UNDEFINED)
		r->kind = RULE_ROOT;
	else if (row->truth == ROW_LATE && vaddr % u->arch->align == 0)
		*r = (struct rule){ .kind = RULE_SILENT };   /* the row is tried, and verified */
	else if (!plain(u->arch, row, r))
		*r = (struct rule){ .kind = RULE_GENERAL };
}

/* By what a jitdump says, if it does and that makes sense; else as its instructions say. */
static void
find_jit(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	struct row row;
	bool found;

	r->kind = RULE_BARE;
	if (!read_row(u, m, vaddr, false, &row, &found) && found)
		by_row(u, vaddr, &row, r);
	else if (u->mode == MODE_AUTO)
		derive_rule(u, m, vaddr, r);
}

void
rule_find(struct unwinder *u, struct module *m, uint64_t vaddr, struct rule *r)
{
	struct row row;
	bool found;

	*r = (struct rule){ .kind = RULE_LOST };
	if (++u->found % TRIM_EVERY == 0)
		filemap_trim(FILES_MOST);
	if (m->kind == MODULE_JIT) {
		find_jit(u, m, vaddr, r);
		return;
	}
	if (m->bad)
		return;
	r->kind = RULE_BARE;
	if (m->elf.machine != u->arch->machine)
		return;
	if (m->kind == MODULE_FILE && at_entry(u, m, vaddr))
		r->kind = RULE_ROOT;
	else if (read_row(u, m, vaddr, false, &row, &found))
		r->kind = RULE_BAD;
	else if (!found)
		find_bare(u, m, vaddr, r);
	else if ((!(row.debug || row.signal || row.truth == ROW_LATE) || !find_special(u, m, vaddr, r)) && !better_derived(u, m, vaddr, &row, r))
		by_row(u, vaddr, &row, r);
}

/* ---- entries ---- */

struct module *
entry_module(const struct unwinder *u, const struct entry *e, uint64_t *vaddr)
{
	const struct code *c = &u->codes->code[e->code];

	*vaddr = c->vaddr;
	return u->modules->module[c->module];
}

static uint32_t
rule_hash(const void *rules, uint32_t i)
{
	return hash_bytes((const struct rule *)rules + i, sizeof(struct rule));
}

/* The rule's number + 1, 0 where there is no room for another. */
static uint16_t
rule_number(struct unwinder *u, const struct rule *r)
{
	uint32_t hash = rule_hash(r, 0), slot, i;

	for (slot = index_first(&u->rule_index, hash); (i = index_at(&u->rule_index, slot)) != INDEX_NONE;
	     slot = index_next(&u->rule_index, slot))
		if (!memcmp(&u->rule[i], r, sizeof *r))
			return (uint16_t)(i + 1);
	if (u->rules == UINT16_MAX || !vec_room(&u->rule, &u->rules_cap, (uint64_t)u->rules + 1, sizeof *r))
		return 0;
	u->rule[u->rules] = *r;
	return index_add(&u->rule_index, hash, u->rules, rule_hash, u->rule) ? (uint16_t)++u->rules : 0;
}

/* By its code, too; what is known of JIT code lasts only as long as its space is the same. */
static void
keep_rule(struct unwinder *u, const struct entry *e, const struct module *m)
{
	if (m->kind != MODULE_JIT && vec_room(&u->rule_of, &u->codes_ruled, u->codes->n, sizeof *u->rule_of) && e->code < u->codes_ruled)
		u->rule_of[e->code] = rule_number(u, &e->rule);
}

static struct rule
kept_rule(const struct unwinder *u, uint32_t code)
{
	uint16_t n = code < u->codes_ruled ? u->rule_of[code] : 0;

	return n ? u->rule[n - 1] : (struct rule){ .kind = RULE_NONE };
}

void
entry_set_rule(struct unwinder *u, struct entry *e, const struct rule *r)
{
	uint64_t vaddr;

	e->rule = *r;
	keep_rule(u, e, entry_module(u, e, &vaddr));
}

void
entry_rule(struct unwinder *u, struct entry *e)
{
	uint64_t vaddr;
	struct module *m;
	uint8_t known;   /* whether it follows a call */

	if (e->rule.kind)
		return;
	known = e->rule.flags;
	e->rule = kept_rule(u, e->code);
	if (e->rule.kind)
		return;
	m = entry_module(u, e, &vaddr);
	rule_find(u, m, vaddr, &e->rule);
	e->rule.flags |= known;
	keep_rule(u, e, m);
}

/* The entry that takes the new one's place: the newest of a set comes first. */
static struct entry *
make_room(struct unwinder *u, uint32_t epoch, uint64_t addr)
{
	struct set *s = entry_set(u, epoch, addr);

	s->way[1] = s->way[0];
	return &s->way[0];
}

static struct entry *
fill_from(struct unwinder *u, struct space *space, const struct map *map, uint64_t addr)
{
	uint32_t code, known = u->codes->n;
	struct entry *e;

	if (!map || !map->exec)
		return NULL;
	code = code_intern(u->codes, map->module->id, addr - map->bias);
	e = code == CODE_UNKNOWN ? &u->spare : make_room(u, space->epoch, addr);
	*e = (struct entry){ .addr = addr, .epoch = space->epoch, .code = code, .rule = kept_rule(u, code) };
	if (map->module->kind == MODULE_JIT && code == known)
		jit_ran(map->module, u->codes->code[code].vaddr);
	if (code == CODE_UNKNOWN)   /* memory is full: no walk goes on here */
		e->rule.kind = RULE_LOST;
	return e;
}

struct entry *
entry_fill(struct unwinder *u, struct space *space, uint64_t addr)
{
	return fill_from(u, space, space_find(space, addr), addr);
}

static bool
in_map(const struct space *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->map[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n && addr >= s->map[lo].lo && s->map[lo].exec;
}

struct entry *
entry_probe(struct unwinder *u, struct space *space, uint64_t addr)
{
	const struct entry *way = entry_set(u, space->epoch, addr)->way;
	bool known = (way[0].addr == addr && way[0].epoch == space->epoch) || (way[1].addr == addr && way[1].epoch == space->epoch);

	return known || in_map(space, addr) ? entry_find(u, space, addr) : NULL;
}

/* Code without bytes is taken at its word. */
static bool
follows_call(struct unwinder *u, const struct entry *e)
{
	uint64_t vaddr;
	struct module *m = entry_module(u, e, &vaddr);
	struct cursor c = rule_code(u, m, vaddr);

	return !u->arch->after_call || (!cur_left(&c) && (m->bad || m->kind == MODULE_JIT)) || rule_after_call(u, m, vaddr + 1);
}

bool
entry_after_call(struct unwinder *u, struct entry *e)
{
	uint64_t vaddr;

	if (e == &u->spare)
		return false;
	if (!(e->rule.flags & RULE_AFTER_CALL)) {
		if (!follows_call(u, e))
			return false;
		e->rule.flags |= RULE_AFTER_CALL;
		keep_rule(u, e, entry_module(u, e, &vaddr));
	}
	return true;
}
