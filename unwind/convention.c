/* See convention.h.  A process may make code, or load it from a file that is no ELF file.  The code does not describe itself, but the process
 * has the native function that enters it, and this function is of one runtime alone.  So its symbol tells which convention the code keeps.  A
 * new runtime is a line in the table, if its convention is one of these (enum enters). */
#include "convention.h"

#include "sym/elf/symbol_tables.h"
#include "unwind/derive/derive.h"
#include "rule.h"

static const struct {
	const char *name;
	enum enters how;
	bool stays;      /* SWITCHES: that code leaves sp alone, once it has saved registers */
} table[] = {
	{ "execute_ex", CODE_HOSTED, false },        /* PHP's */
	{ "process_main", CODE_SWITCHES, false },    /* Erlang's */
	{ "S_generic_invoke", CODE_SWITCHES, true }, /* Chez Scheme's */
	{ "call_into_lisp", CODE_PASSES, false },    /* SBCL's */
	{ "_ZN2v88internal7Version6major_E", CODE_FRAMES, false },   /* V8's: its programs have millions of bytes of names */
};

enum {
	CONVENTIONS = sizeof table / sizeof *table,
	SWITCHER_INSNS = 32,
	FP_WITHIN = 4096,      /* bytes of a frame in which its caller's fp is */
};

/* The function may store its caller's fp by another register than sp.  Then its table says where that is. */
static void
find_fp(struct unwinder *u, struct jumper *k)
{
	const struct row *row = rule_row(u, k->module, k->end - 1);
	struct place fp, ra;
	int64_t rise;

	if (!row || row->cfa_expr || row->cfa_reg != u->code.arch->sp)
		return;
	fp = row_place(row, u->code.arch->fp);
	ra = row_place(row, row->ra);
	rise = row->cfa_off - k->rule.cfa_off;
	if (fp.how != HOW_OFFSET || ra.how != HOW_OFFSET || ra.off + rise != k->rule.ra_off || fp.off + rise < -FP_WITHIN || fp.off + rise >= 0)
		return;
	k->rule.fp_off = (int16_t)(fp.off + rise);
	k->rule.flags &= (uint8_t)~(RULE_FP_SAME | RULE_FP_LOST);
}

bool
convention_host(struct unwinder *u, struct module *m, uint64_t start, bool past, struct jumper *k)
{
	bool back;

	*k = (struct jumper){ .module = m, .start = start, .how = CODE_HOSTED };
	if (!derive_jumped(&u->code, m, start, past, &k->rule, &k->end, &back))
		return false;
	find_fp(u, k);
	return true;
}

/* Whether the function calls at most once, removes its frame, and jumps away by an address. */
static bool
only_jumps(struct unwinder *u, struct module *m, uint64_t start)
{
	uint64_t at = start;
	unsigned calls = 0;
	struct insn i;

	for (unsigned n = 0; n < SWITCHER_INSNS; n++, at += i.len) {
		code_decode(&u->code, m, at, &i);
		if (i.op == INSN_JUMP_AWAY)
			return true;
		calls += i.op == INSN_CALL;
		if (i.op > INSN_CALL || calls > 1)
			return false;
	}
	return false;
}

/* The number of the convention in whose row a symbol of the file stands; or CONVENTIONS.  Most files tell it by the hashes of what they
 * export, which takes no look at all names. */
static unsigned
row_of(const struct elf *e, struct raw_symbol *s)
{
	const char *name[CONVENTIONS];
	struct symbol_tables t;
	uint32_t among;

	symbol_tables_find(&t, e);
	for (unsigned i = 0; i < CONVENTIONS; i++) {
		name[i] = table[i].name;
		if (symbol_tables_named(e, &t.dynsym, name[i], s))
			return i;
	}
	among = symbol_tables_among(&t.symtab, name, CONVENTIONS);
	for (unsigned i = 0; i < CONVENTIONS; i++)
		if (among >> i & 1 && symbol_tables_named(e, &t.symtab, name[i], s))
			return i;
	return CONVENTIONS;
}

static bool
find_in(struct unwinder *u, struct module *m, struct jumper *k)
{
	struct raw_symbol s;
	unsigned i;

	if (m->kind != MODULE_FILE || m->bad || m->elf.machine != u->code.arch->machine || (i = row_of(&m->elf, &s)) == CONVENTIONS)
		return false;
	if (table[i].how == CODE_HOSTED)
		return convention_host(u, m, s.value, true, k);
	*k = (struct jumper){ .module = m, .start = s.value, .how = table[i].how, .stays = table[i].stays };
	switch (k->how) {
	case CODE_SWITCHES:
		return only_jumps(u, m, s.value);
	case CODE_PASSES:
		return u->code.arch->passes != NULL;
	default:
		return false;
	}
}

const struct jumper *
convention_of(struct unwinder *u)
{
	struct space *s = u->code.space;
	bool found = u->convention.module;

	if (!s || !u->code.arch->call_len)
		return NULL;
	if (u->convention.epoch == s->epoch && u->convention_bound == s->bound)
		return found ? &u->convention : NULL;
	found = false;
	for (uint32_t i = 0; i < s->n && !found; i++) {
		struct map *map = !s->map[i].exec ? NULL : s->map[i].file && !s->map[i].module ? space_find(s, s->map[i].lo) : &s->map[i];
		struct module *m = map ? map->module : NULL;

		if (!m || m->loopless)
			continue;
		work_begin(&m->work);
		m->loopless = !(found = find_in(u, m, &u->convention));
		work_end();
	}
	if (!found)
		u->convention.module = NULL;
	u->convention.epoch = s->epoch;
	u->convention_bound = s->bound;
	return found ? &u->convention : NULL;
}
