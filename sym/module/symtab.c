/* See symtab.h.  Symbols: System V gABI chapter 4, Symbol Table; ARM's ELF supplement for the Thumb bit and mapping symbols.
 * The index is 8 bytes a symbol: where it begins and its number; prof reads the rest from the file.  Nested and overlapping
 * symbols are made disjoint when it is built: rows begin where another symbol is the innermost one, also where one ends
 * within another. */
#include "symtab.h"

#include <elf.h>
#include <string.h>

#include "debug_file.h"
#include "ehframe.h"
#include "sym/elf/go_table.h"
#include "sym/elf/plt.h"
#include "lib/sort.h"
#include "lib/work.h"
#include "arm_vectors.h"

enum {
	TEXTS_MAX = 16,            /* executable segments */
	PLTS_MAX = 8,
	ENTRY_MAX = 64,            /* the most bytes of the entry point's function, if nothing tells its size */
	ENTRY_NEAR = 4096,         /* around it each address is looked up by itself */
	RELOCS_BUDGET = 1 << 28,   /* relocations that prof looks at for PLT entries, in all */
	NAME_LIMIT = 1 << 16,      /* no name is that long */
};

/* A symbol's number: its rank among those of one address (the lowest is shown), which table, and its place there. */
enum { RANK = 28, DYNAMIC = 1 << 27, NUMBER = DYNAMIC - 1 };
enum { RANK_NO_SIZE = 8, RANK_NO_TYPE = 4, RANK_LOCAL = 2, RANK_WEAK = 1 };

struct range {
	uint64_t lo, hi;
};

struct row {
	uint32_t at;               /* address - base */
	uint32_t id;
};

struct symtab {
	struct symbol_tables tables;
	const struct elf *named;   /* the file that has .symtab: the module's, or one of debug information */
	struct range text[TEXTS_MAX], plt[PLTS_MAX];
	uint32_t texts, plts;
	uint64_t base;
	struct row *row;
	uint32_t rows;
	uint64_t relocs_budget;
	uint64_t default_entry;    /* the entry point that linkers give libraries, or 0 */
	enum { ENTRY_UNKNOWN, ENTRY_NAMED, ENTRY_BARE } entry;
};

static const struct range *
range_of(const struct range *range, uint32_t n, uint64_t vaddr)
{
	for (uint32_t i = 0; i < n; i++)
		if (vaddr >= range[i].lo && vaddr < range[i].hi)
			return &range[i];
	return NULL;
}

/* The file that has symbol ID: both files are of one machine and class, but their sections differ. */
static const struct elf *
file_of(const struct elf *e, const struct symtab *st, uint32_t id)
{
	return id & DYNAMIC ? e : st->named;
}

/* Symbol ID, its address without the Thumb bit. */
static struct raw_symbol
symbol_of(const struct elf *e, const struct symtab *st, uint32_t id)
{
	struct raw_symbol s = symbol_tables_symbol(e, id & DYNAMIC ? &st->tables.dynsym : &st->tables.symtab, id & NUMBER);

	s.thumb = e->machine == EM_ARM && s.type != STT_NOTYPE && s.value & 1;
	s.value -= s.thumb;
	return s;
}

/* ---- which symbols count ---- */

struct build {
	const struct elf *elf;
	struct symtab *st;
	const struct elf *file;    /* of the symbols that are being added */
	uint32_t section;          /* of it: the last one asked for */
	struct range code;         /* of it, empty where it is not executable */
	struct item *item;         /* key: address - base; a: end - base; b: id */
	uint32_t n, cap;
	struct row *row;
	uint32_t rows, row_cap;
	uint32_t *open, opens, open_cap;   /* items that the sweep is inside of */
};

/* Whether code of the section can begin at VADDR. */
static bool
section_holds(struct build *b, uint32_t section, uint64_t vaddr)
{
	struct section s;

	if (section != b->section) {
		b->section = section;
		b->code = (struct range){ 0, 0 };
		if (elf_section(b->file, section, &s) && (s.flags & SHF_EXECINSTR))
			b->code = (struct range){ s.addr, s.addr + s.size };
	}
	return vaddr >= b->code.lo && vaddr < b->code.hi;
}

/* A label of assembly code; not what marks code and data for disassemblers ($x, $d, $a.1), and not a compiler's own. */
static bool
is_label(const struct elf *e, const char *name)
{
	if (name[0] == '$' && name[1] && strchr("axdt", name[1]))
		return e->machine != EM_RISCV && name[2] && name[2] != '.';
	return name[0] && name[0] != '.';
}

static bool
wanted(struct build *b, const struct symbols *t, struct raw_symbol *s)
{
	if (s->section == SHN_UNDEF || !s->name || !range_of(b->st->text, b->st->texts, s->value))
		return false;
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return true;
	return section_holds(b, s->section, s->value) && is_label(b->elf, symbol_tables_string(t, s->name));
}

static uint32_t
rank(const struct raw_symbol *s)
{
	return (s->size ? 0 : RANK_NO_SIZE) | (s->type == STT_NOTYPE ? RANK_NO_TYPE : 0) |
	       (s->bind == STB_LOCAL ? RANK_LOCAL : s->bind == STB_WEAK ? RANK_WEAK : 0);
}

static bool
is_function(const struct elf *e, const struct symbols *t, uint32_t i)
{
	uint8_t type = t->bytes.pos[(uint64_t)i * (e->is64 ? 24 : 16) + (e->is64 ? 4 : 12)] & 15;

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* False at the memory cap. */
static bool
add_symbols(struct build *b, const struct symbols *t, uint32_t table)
{
	b->file = file_of(b->elf, b->st, table);
	b->section = UINT32_MAX;
	for (uint32_t i = 1; i < t->n && (i > 1 || work_step(t->n)); i++) {
		struct raw_symbol s;
		uint64_t at, end;

		symbol_tables_pass(i, true);
		if (!is_function(b->elf, t, i))
			continue;
		s = symbol_of(b->elf, b->st, table | i);
		if (!wanted(b, t, &s) || (at = s.value - b->st->base) > UINT32_MAX)
			continue;
		end = s.size < UINT32_MAX - at ? at + s.size : UINT32_MAX;
		if (!vec_room(&b->item, &b->cap, (uint64_t)b->n + 1, sizeof *b->item))
			return false;
		b->item[b->n++] = (struct item){ at, (uint32_t)end, rank(&s) << RANK | table | i };
	}
	return true;
}

/* ---- making them disjoint ---- */

static const char *
name_of(const struct elf *e, const struct symtab *st, uint32_t id)
{
	return symbol_tables_string(id & DYNAMIC ? &st->tables.dynsym : &st->tables.symtab, symbol_of(e, st, id).name);
}

/* Whether A is to be shown rather than B, which begins at the same address. */
static bool
better(const struct build *b, uint32_t x, uint32_t y)
{
	const char *name_x, *name_y;

	if (x >> RANK != y >> RANK)
		return x >> RANK < y >> RANK;
	if ((x ^ y) & DYNAMIC)
		return x & DYNAMIC;   /* because a stripped copy of the file must give the same name */
	name_x = name_of(b->elf, b->st, x);
	name_y = name_of(b->elf, b->st, y);
	return *name_x && (!*name_y || symbol_better(name_x, name_y));
}

static void
add_row(struct build *b, uint64_t at, uint32_t item)
{
	if (vec_room(&b->row, &b->row_cap, (uint64_t)b->rows + 1, sizeof *b->row))
		b->row[b->rows++] = (struct row){ (uint32_t)at, b->item[item].b };
}

/* Leaves the symbols that end at or before AT; if that uncovers one beneath, it gets a row. */
static void
leave_upto(struct build *b, uint64_t at)
{
	while (b->opens && b->item[b->open[b->opens - 1]].a <= at) {
		uint32_t end = b->item[b->open[b->opens - 1]].a;

		while (b->opens && b->item[b->open[b->opens - 1]].a <= end)
			b->opens--;
		if (b->opens && end < at)
			add_row(b, end, b->open[b->opens - 1]);
	}
}

/* The items [lo, hi) begin at one address: the best is shown, the longest goes on behind it. */
static void
enter(struct build *b, uint32_t lo, uint32_t hi)
{
	uint32_t best = hi - 1, longest = hi - 1;

	for (uint32_t i = hi - 1; i-- > lo;) {   /* .dynsym's come last, and are the better ones: few names are read */
		if (better(b, b->item[i].b, b->item[best].b))
			best = i;
		if (b->item[i].a >= b->item[longest].a)
			longest = i;
	}
	if (b->item[best].a <= b->item[best].key && b->opens)
		return;   /* a label inside of a function */
	add_row(b, b->item[lo].key, best);
	if (b->item[longest].a > b->item[best].a)
		b->open[b->opens++] = longest;
	if (b->item[best].a > b->item[best].key)
		b->open[b->opens++] = best;
}

static void
sweep(struct build *b)
{
	for (uint32_t i = 0, j, n = 0; i < b->n; i = j) {
		symbol_tables_pass(n++, false);
		for (j = i + 1; j < b->n && b->item[j].key == b->item[i].key;)
			j++;
		leave_upto(b, b->item[i].key);
		enter(b, i, j);
	}
	leave_upto(b, UINT64_MAX);
}

/* ---- opening ---- */

static void
find_ranges(struct symtab *st, const struct elf *e)
{
	struct section s;

	st->base = UINT64_MAX;
	for (uint32_t i = 0; i < e->nload && st->texts < TEXTS_MAX; i++)
		if (e->load[i].exec && e->load[i].memsz) {
			st->text[st->texts++] = (struct range){ e->load[i].vaddr, e->load[i].vaddr + e->load[i].memsz };
			st->base = e->load[i].vaddr < st->base ? e->load[i].vaddr : st->base;
		}
	for (uint32_t i = 1; i < e->nsection && elf_section(e, i, &s); i++) {
		if (!(s.flags & SHF_EXECINSTR))
			continue;
		if (st->plts < PLTS_MAX && (!strncmp(s.name, ".plt", 4) || !strcmp(s.name, ".iplt")))
			st->plt[st->plts++] = (struct range){ s.addr, s.addr + s.size };
		if (!strcmp(s.name, ".text"))
			st->default_entry = s.addr;
	}
}

static void
build(struct modules *ms, struct symtab *st, const struct elf *e)
{
	struct build b = { .elf = e, .st = st };

	if (add_symbols(&b, &st->tables.symtab, 0) && add_symbols(&b, &st->tables.dynsym, DYNAMIC) && b.n && sort_items(b.item, b.n) &&
	    vec_room(&b.open, &b.open_cap, 2 * (uint64_t)b.n, sizeof *b.open))
		sweep(&b);
	vec_free(&b.open, &b.open_cap, sizeof *b.open);
	vec_free(&b.item, &b.cap, sizeof *b.item);
	if (work_over())   /* without some symbols the others would seem to reach further */
		b.rows = 0;
	if (b.rows && (st->row = arena_alloc(&ms->arena, b.rows * sizeof *st->row))) {
		memcpy(st->row, b.row, b.rows * sizeof *st->row);
		st->rows = b.rows;
	}
	vec_free(&b.row, &b.row_cap, sizeof *b.row);
}

/* If the file itself has been stripped, the symbols of its debug file stand in. */
static void
find_tables(struct modules *ms, struct module *m)
{
	struct symtab *st = m->symtab;
	struct module *other;
	struct symbol_tables t;

	symbol_tables_find(&st->tables, &m->elf);
	st->named = &m->elf;
	if (st->tables.symtab.n || !(other = debug_file_symbols(ms, m)) || other == m)
		return;
	symbol_tables_find(&t, &other->elf);
	st->tables.symtab = t.symtab;
	st->named = &other->elf;
}

static struct symtab *
open_symtab(struct modules *ms, struct module *m)
{
	struct symtab *st = m->symtab;

	if (st || !(st = arena_alloc(&ms->arena, sizeof *st)))
		return st;
	m->symtab = st;
	if (m->bad)
		return st;
	st->relocs_budget = RELOCS_BUDGET;
	find_ranges(st, &m->elf);
	find_tables(ms, m);
	build(ms, st, &m->elf);
	return st;
}

/* ---- looking up ---- */

/* The number of rows at or below VADDR. */
static uint32_t
rows_upto(const struct symtab *st, uint64_t vaddr)
{
	uint32_t lo = 0, hi = st->rows;

	if (vaddr < st->base)
		return 0;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (st->row[mid].at <= vaddr - st->base)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How far a symbol without a size can reach: the next one, the end of its section and segment. */
static uint64_t
reach(const struct symtab *st, const struct elf *e, uint32_t next, const struct raw_symbol *s)
{
	const struct range *text = range_of(st->text, st->texts, s->value);
	uint64_t hi = text ? text->hi : s->value;
	struct section section;

	if (elf_section(e, s->section, &section) && s->value - section.addr < section.size &&
	    section.addr + section.size < hi)
		hi = section.addr + section.size;
	if (next < st->rows && st->base + st->row[next].at < hi)
		hi = st->base + st->row[next].at;
	return hi;
}

static bool
find_row(const struct symtab *st, const struct elf *e, uint64_t vaddr, struct symbol *out, bool *sized)
{
	uint32_t i = rows_upto(st, vaddr);
	struct raw_symbol s;

	if (!i)
		return false;
	s = symbol_of(e, st, st->row[i - 1].id);
	*sized = s.size != 0;
	out->lo = s.value;
	out->hi = s.size ? s.value + s.size : reach(st, file_of(e, st, st->row[i - 1].id), i, &s);
	if (vaddr < out->lo || vaddr >= out->hi)
		return false;
	out->name = name_of(e, st, st->row[i - 1].id);
	out->thumb = s.thumb;
	return *out->name;
}

/* The name without its version, which only .symtab writes into the name; NULL if there is no name, or an invalid one. */
static const char *
unversioned(struct modules *ms, const char *name)
{
	size_t n = strnlen(name, NAME_LIMIT);
	const char *at = memchr(name, '@', n);

	return !n || n == NAME_LIMIT ? NULL : at && at > name ? arena_str(&ms->arena, name, (size_t)(at - name)) : name;
}

static bool
find_symbol(struct modules *ms, struct module *m, uint64_t vaddr, struct symbol *out)
{
	uint64_t start, end;
	bool sized;

	if (!find_row(m->symtab, &m->elf, vaddr, out, &sized))
		return false;
	if (!sized && ehframe_start(ms, m, vaddr, &start, &end) && start > out->lo)
		return false;   /* of another function, which has no name */
	if (!sized && ehframe_start(ms, m, out->lo, &start, &end) && end < out->hi)
		out->hi = end;
	return vaddr < out->hi && (out->name = unversioned(ms, out->name)) != NULL;
}

/* The function at the entry point is _start, also if no symbol says so. */
static bool
find_entry(struct modules *ms, struct module *m, uint64_t vaddr, struct symbol *out)
{
	struct symtab *st = m->symtab;
	uint64_t entry = m->elf.entry & ~(uint64_t)(m->elf.machine == EM_ARM ? 1 : 0), start, end;
	struct symbol other;
	uint32_t next;
	bool sized;

	if (!entry || vaddr < entry || !range_of(st->text, st->texts, entry) ||
	    (!st->tables.program && (!m->elf.nsection || entry == st->default_entry)))
		return false;
	if (!st->entry)
		st->entry = find_row(st, &m->elf, entry, &other, &sized) ? ENTRY_NAMED : ENTRY_BARE;
	if (st->entry == ENTRY_NAMED)
		return false;
	if (ehframe_start(ms, m, vaddr, &start, &end)) {
		if (start > entry)
			return false;
	} else {
		start = entry;
		end = entry + ENTRY_MAX;
		next = rows_upto(st, entry);
		if (next < st->rows && st->base + st->row[next].at < end)
			end = st->base + st->row[next].at;
	}
	*out = (struct symbol){ start, end, "_start", entry != m->elf.entry };
	return vaddr < end;
}

/* The target of a relocation: a symbol's name, or the symbol of the function that chooses the target. */
static const char *
target_name(struct module *m, const struct plt_entry *e, const struct raw_reloc *r)
{
	const struct symbols *dynsym = &m->symtab->tables.dynsym;
	struct cursor slot = elf_at(&m->elf, e->slot, m->elf.is64 ? 8 : 4);
	struct symbol s;
	bool sized;

	if (r->symbol)
		return r->symbol < dynsym->n ? symbol_tables_string(dynsym, symbol_tables_symbol(&m->elf, dynsym, r->symbol).name) : "";
	if (!find_row(m->symtab, &m->elf, r->addend ? r->addend : cur_uint(&slot, m->elf.is64 ? 8 : 4), &s, &sized))
		return "";
	return s.name;
}

static bool
find_plt(struct modules *ms, struct module *m, uint64_t vaddr, struct symbol *out)
{
	struct symtab *st = m->symtab;
	const struct range *section = range_of(st->plt, st->plts, vaddr), *text = range_of(st->text, st->texts, vaddr);
	struct plt_entry e;
	struct raw_reloc r;
	const char *name = "", *at;
	size_t len;
	char *full;

	if (!section && (m->elf.nsection || !text))
		return false;
	if (plt_decode(&m->elf, st->tables.got, vaddr, section ? section->lo : text->lo, &e) &&
	    plt_reloc(&m->elf, &st->tables, &e, &st->relocs_budget, &r))
		name = target_name(m, &e, &r);
	if (!*name) {
		if (section)
			*out = (struct symbol){ section->lo, section->hi, ".plt", false };
		return section != NULL;
	}
	len = strnlen(name, NAME_LIMIT);
	at = memchr(name, '@', len);
	len = at ? (size_t)(at - name) : len;
	if (!(full = arena_alloc(&ms->arena, len + sizeof "@plt")))
		return false;
	memcpy(full, name, len);
	memcpy(full + len, "@plt", sizeof "@plt");
	*out = (struct symbol){ e.lo, e.hi, full, false };
	return true;
}

/* Go's table of the module, or NULL.  A walk asks for it, and need not wait for the other symbols. */
static const struct go_table *
go_of(struct modules *ms, struct module *m)
{
	if (!m->bad && !m->go && (m->go = arena_alloc(&ms->arena, sizeof *m->go)))
		go_table_open(m->go, &m->elf);
	return m->bad ? NULL : m->go;
}

static bool
find_go(const struct go_table *g, uint64_t vaddr, struct symbol *out)
{
	struct go_function f;

	if (!g || !go_table_find(g, vaddr, &f))
		return false;
	*out = (struct symbol){ f.lo, f.hi, f.name, false };
	return true;
}

bool
symtab_find(struct modules *ms, struct module *m, uint64_t vaddr, struct symbol *out)
{
	struct symtab *st = open_symtab(ms, m);

	if (!st || m->bad)
		return false;
	return find_symbol(ms, m, vaddr, out) || find_go(go_of(ms, m), vaddr, out) || find_entry(ms, m, vaddr, out) || find_plt(ms, m, vaddr, out) || arm_vectors_find(m, vaddr, out);
}

bool
symtab_go(struct modules *ms, struct module *m)
{
	const struct go_table *g = go_of(ms, m);

	return g && (g->n || g->noted);
}

bool
symtab_depth(struct modules *ms, struct module *m, uint64_t vaddr, uint32_t *depth)
{
	return symtab_go(ms, m) && go_table_depth(m->go, vaddr, depth);
}

uint64_t
symtab_until(const struct module *m, uint64_t vaddr)
{
	const struct symtab *st = m->symtab;
	uint64_t until = UINT64_MAX;
	struct symbol s;
	bool sized = true, found;
	uint32_t next;

	if (!st || m->bad || !m->elf.nsection || range_of(st->plt, st->plts, vaddr))
		return vaddr + 1;
	found = find_row(st, &m->elf, vaddr, &s, &sized);
	if (!found && find_go(m->go, vaddr, &s))
		return s.hi;
	if (!sized || (!found && vaddr + ENTRY_NEAR - m->elf.entry < 2 * ENTRY_NEAR))
		return vaddr + 1;
	if ((next = rows_upto(st, vaddr)) < st->rows)
		until = st->base + st->row[next].at;
	return found && s.hi < until ? s.hi : until;
}
