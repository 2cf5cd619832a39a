/* Which unit an address belongs to: by .debug_aranges (DWARF 5 section 6.1.2), which needs no look into .debug_info; else by
 * the ranges of units' first entries; else by the ranges of their functions.  If several units claim code in the same way,
 * the first one in the file has it: the linker keeps one of several equal functions, and all their units still describe
 * it. */
#include "unit_index.h"

#include <string.h>

#include "lib/sort.h"
#include "abbrev.h"
#include "function.h"
#include "range.h"
#include "unit.h"

enum { START_MOST = 64, STUBS_MAX = 8 };   /* bytes of _start; sections of stubs */

/* What a unit's first entry says. */
struct found {
	struct found *next;
	struct disjoint_range span;          /* WHAT: the slot */
};

struct making {
	struct { uint64_t lo, size; } stubs[STUBS_MAX];   /* sections of code that the linker made */
	uint32_t nstubs;
	struct item *set;          /* units that are in .debug_aranges, by the offsets of their headers */
	uint32_t sets, at;
	struct disjoint_ranges *into;        /* the ranges of other units go there while prof collects all, */
	struct found *found;       /* else here, as far as prof knows them */
	bool bad;                  /* at the memory cap */
};

/* .debug_aranges, as it is read. */
struct told {
	struct disjoint_ranges spans;
	struct item *set;
	uint32_t sets, cap;
};

static bool
read_set(struct dwarf *d, struct cursor *c, struct told *m)
{
	uint64_t length = cur_u32(c), info;
	unsigned offset_size = 4, address_size;
	struct cursor set;
	const uint8_t *begin = c->pos - 4;

	if (length == 0xffffffff) {
		offset_size = 8;
		length = cur_u64(c);
	}
	set = cur_sub(c, length);
	if (cur_u16(&set) != 2 || set.bad)
		return true;
	info = cur_uint(&set, offset_size);
	address_size = cur_u8(&set);
	if (cur_u8(&set) || (address_size != 4 && address_size != 8))   /* with segments, which no compiler writes */
		return true;
	if (!vec_room(&m->set, &m->cap, (uint64_t)m->sets + 1, sizeof *m->set))
		return false;
	m->set[m->sets].key = info;
	/* Pairs are aligned to their size, counted from the set's beginning. */
	cur_take(&set, -(uint64_t)(set.pos - begin) & (2 * address_size - 1));
	for (uint32_t pairs = 0;; pairs++) {
		uint64_t lo = cur_uint(&set, address_size), size = cur_uint(&set, address_size);

		if (set.bad || (!lo && !size))
			break;
		if (dwarf_is_code(d, lo) && !disjoint_add(&m->spans, lo, lo + size, info))
			return false;
		m->sets += !pairs;
	}
	return true;
}

static bool
read_aranges(struct dwarf *d, struct told *m)
{
	struct cursor c = dwarf_section(d, ARANGES);

	while (cur_left(&c))
		if (!read_set(d, &c, m))
			return false;
	return sort_items(m->set, m->sets) && disjoint_settle(&m->spans, false);
}

/* By the ranges of the unit's first entry. */
static bool
read_root(struct dwarf *d, uint32_t slot, struct making *m)
{
	struct unit *u = unit_open(d, slot);
	struct range_reader r;
	struct found *f;
	struct die root;
	uint64_t lo, hi;

	if (!u || !unit_root(u, &root))
		return true;
	d->slot[slot].told = die_has(&root, AT_RANGES) || die_has(&root, AT_HIGH_PC) || (!u->dwo_name && !unit_has_functions(u));
	ranges_open(&r, u, &root);
	while (ranges_next(&r, &lo, &hi)) {
		if (m->into) {
			if (!disjoint_add(m->into, lo, hi, slot))
				return false;
			continue;
		}
		if (!(f = arena_alloc(&d->modules->arena, sizeof *f)))
			return false;
		*f = (struct found){ m->found, { lo, hi, slot } };
		m->found = f;
	}
	return true;
}

/* Finds the unit by its functions. */
static bool
read_functions(struct dwarf *d, uint32_t slot, struct disjoint_ranges *spans)
{
	struct unit *u = unit_open(d, slot);
	uint32_t from = spans->n;

	if (u && !functions_scan(unit_whole(u), false, spans))
		return false;
	for (uint32_t i = from; i < spans->n; i++)
		spans->span[i].what = slot;
	return true;
}

/* Takes the next unit that was found. */
static void
index_unit(struct dwarf *d, uint32_t slot)
{
	struct making *m = d->making;

	while (m->at < m->sets && m->set[m->at].key < d->slot[slot].off)
		m->at++;
	d->slot[slot].told = m->at < m->sets && m->set[m->at].key == d->slot[slot].off;
	if (d->slot[slot].code && !d->slot[slot].told && !m->bad)
		m->bad = !read_root(d, slot, m);
}

static void
find_stubs(const struct elf *e, struct making *m)
{
	struct section s;

	for (uint32_t i = 1; e && i < e->nsection && m->nstubs < STUBS_MAX && elf_section(e, i, &s); i++)
		if (!strncmp(s.name, ".plt", 4)) {
			m->stubs[m->nstubs].lo = s.addr;
			m->stubs[m->nstubs++].size = s.size;
		}
}

/* Begins the index: reads .debug_aranges, and keeps it in the arena. */
static void
begin(struct dwarf *d)
{
	struct arena *arena = &d->modules->arena;
	struct making *m = arena_alloc(arena, sizeof *m);
	struct told t = { 0 };

	if (!m)
		return;
	*m = (struct making){ 0 };
	find_stubs(d->code, m);
	if (read_aranges(d, &t) && (d->told = arena_alloc(arena, t.spans.n * sizeof *d->told)) &&
	    (m->set = arena_alloc(arena, t.sets * sizeof *m->set))) {
		d->ntold = t.spans.n;
		m->sets = t.sets;
		if (t.spans.n)
			memcpy(d->told, t.spans.span, t.spans.n * sizeof *d->told);
		if (t.sets)
			memcpy(m->set, t.set, t.sets * sizeof *m->set);
	}
	d->making = m;
	d->found = index_unit;
	for (uint32_t i = 0; i < d->nslot; i++)
		index_unit(d, i);
	disjoint_free(&t.spans);
	vec_free(&t.set, &t.cap, sizeof *t.set);
}

/* Collects what first entries say. */
static bool
collect(struct dwarf *d, struct disjoint_ranges *spans)
{
	struct making *m = d->making;

	for (const struct found *f = m->found; f; f = f->next)
		if (!disjoint_add(spans, f->span.lo, f->span.hi, f->span.what))
			return false;
	m->into = spans;
	units_find(d, UINT64_MAX, true);
	m->into = NULL;
	return !m->bad;
}

/* Takes the known ranges, and adds the ranges of units that do not say where their code is. */
static bool
collect_more(struct dwarf *d, struct disjoint_ranges *spans)
{
	bool good = true;

	for (uint32_t i = 0; good && i < d->nspan; i++)
		good = disjoint_add(spans, d->span[i].lo, d->span[i].hi, d->span[i].what);
	for (uint32_t i = 0; good && i < d->nslot; i++)
		if (d->slot[i].code && !d->slot[i].told)
			good = read_functions(d, i, spans);
	return good;
}

static void
build(struct dwarf *d, bool all)
{
	struct disjoint_ranges spans = { 0 };
	struct disjoint_range *span;

	if ((all ? collect_more(d, &spans) : collect(d, &spans)) && disjoint_settle(&spans, false) &&
	    (span = arena_alloc(&d->modules->arena, spans.n * sizeof *span))) {
		d->span = span;
		d->nspan = spans.n;
		if (spans.n)
			memcpy(d->span, spans.span, spans.n * sizeof *d->span);
	}
	disjoint_free(&spans);
}

/* Whether no compiler wrote the code: the linker's stubs; and what a program begins with (_start, the C library's), where
 * .debug_aranges tells of other code and not of this.  To look for the unit would read all of .debug_info, which may be compressed. */
static bool
has_no_unit(const struct dwarf *d, uint64_t addr)
{
	const struct making *m = d->making;

	if (d->code && d->ntold && addr - d->code->entry < START_MOST)
		return true;
	for (uint32_t i = 0; i < m->nstubs; i++)
		if (addr - m->stubs[i].lo < m->stubs[i].size)
			return true;
	return false;
}

uint64_t
index_told(struct dwarf *d, uint64_t addr)
{
	const struct disjoint_range *s;

	if (!d->making)
		begin(d);
	s = disjoint_find(d->told, d->ntold, addr);
	return s ? s->what : UINT64_MAX;
}

uint32_t
index_slot(struct dwarf *d, uint64_t addr)
{
	uint64_t told = index_told(d, addr);
	uint32_t slot = told != UINT64_MAX ? slot_of(d, told) : UINT32_MAX;
	const struct disjoint_range *s;

	if (slot != UINT32_MAX || !d->making || has_no_unit(d, addr))
		return slot;
	if (!d->indexed)
		build(d, false);
	d->indexed = true;
	s = disjoint_find(d->span, d->nspan, addr);
	if (!s && !d->indexed_all && dwarf_is_code(d, addr)) {
		d->indexed_all = true;
		build(d, true);
		s = disjoint_find(d->span, d->nspan, addr);
	}
	return s ? (uint32_t)s->what : UINT32_MAX;
}

struct unit *
index_find(struct dwarf *d, uint64_t addr)
{
	uint32_t slot = index_slot(d, addr);

	return slot < d->nslot ? unit_open(d, slot) : NULL;
}
