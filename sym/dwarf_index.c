/* Which unit an address belongs to: .debug_aranges (DWARF 5 section 6.1.2) where a unit is in it, else the ranges of its first
 * entry, else those of its functions.  Where several units claim code (the linker keeps one of equal functions, and all who had
 * one speak of it) the first of the file has it. */
#include <string.h>

#include "dwarf_unit.h"
#include "sort.h"

/* An index in the making. */
struct making {
	struct spans spans;        /* WHAT: the slot; at first, of .debug_aranges, the offset of the unit's header */
	struct item *set;          /* units that are in .debug_aranges, by that offset */
	uint32_t sets, cap, at;
};

static bool
read_set(struct dwarf *d, struct cursor *c, struct making *m)
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
	if (cur_u8(&set) || (address_size != 4 && address_size != 8))   /* with segments: nobody's */
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
		if (dwarf_is_code(d, lo) && !span_add(&m->spans, lo, lo + size, info))
			return false;
		m->sets += !pairs;
	}
	return true;
}

static bool
read_aranges(struct dwarf *d, struct making *m)
{
	struct cursor c = dwarf_section(d, ARANGES);

	while (cur_left(&c))
		if (!read_set(d, &c, m))
			return false;
	return sort_items(m->set, m->sets);
}

/* What .debug_aranges said, of slots instead of offsets. */
static void
settle_aranges(struct dwarf *d, struct spans *spans, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < spans->n; i++) {
		struct span *s = &spans->span[i];

		if (i < n && (s->what = slot_of(d, s->what)) == UINT32_MAX)
			continue;
		spans->span[kept++] = *s;
	}
	spans->n = kept;
}

/* By the ranges of the unit's first entry. */
static bool
read_root(struct dwarf *d, uint32_t slot, struct spans *spans)
{
	struct unit *u = unit_open(d, slot);
	struct range_reader r;
	struct die root;
	uint64_t lo, hi;

	if (!u || !unit_root(u, &root))
		return true;
	d->slot[slot].told = die_has(&root, AT_RANGES) || die_has(&root, AT_HIGH_PC) || (!u->dwo_name && !unit_has_functions(u));
	ranges_open(&r, u, &root);
	while (ranges_next(&r, &lo, &hi))
		if (!span_add(spans, lo, hi, slot))
			return false;
	return true;
}

/* By the functions that the unit has. */
static bool
read_functions(struct dwarf *d, uint32_t slot, struct spans *spans)
{
	struct unit *u = unit_open(d, slot);
	uint32_t from = spans->n;

	if (u && !functions_scan(unit_whole(u), false, spans))
		return false;
	for (uint32_t i = from; i < spans->n; i++)
		spans->span[i].what = slot;
	return true;
}

/* For units_find. */
static bool
add_unit(struct dwarf *d, uint32_t slot, void *making)
{
	struct making *m = making;

	dwarf_tidy(d);
	while (m->at < m->sets && m->set[m->at].key < d->slot[slot].off)
		m->at++;
	d->slot[slot].told = m->at < m->sets && m->set[m->at].key == d->slot[slot].off;
	return !d->slot[slot].code || d->slot[slot].told || read_root(d, slot, &m->spans);
}

static bool
collect(struct dwarf *d, struct making *m)
{
	bool good = read_aranges(d, m);
	uint32_t n = m->spans.n;

	if (!d->slot)
		units_find(d, add_unit, m);
	else
		for (uint32_t i = 0; i < d->nslot; i++)
			add_unit(d, i, m);
	settle_aranges(d, &m->spans, n);
	return good;
}

/* Beside what is known already, units that say nothing about where their code is. */
static bool
collect_more(struct dwarf *d, struct making *m)
{
	bool good = true;

	for (uint32_t i = 0; good && i < d->nspan; i++)
		good = span_add(&m->spans, d->span[i].lo, d->span[i].hi, d->span[i].what);
	for (uint32_t i = 0; good && i < d->nslot; i++)
		if (d->slot[i].code && !d->slot[i].told)
			good = read_functions(d, i, &m->spans);
	return good;
}

static void
build(struct dwarf *d, bool all)
{
	struct making m = { 0 };
	struct spans *spans = &m.spans;
	struct span *span;

	if ((all ? collect_more(d, &m) : collect(d, &m)) && spans_settle(spans, false) &&
	    (span = arena_alloc(&d->modules->arena, spans->n * sizeof *span))) {
		d->span = span;
		d->nspan = spans->n;
		if (spans->n)
			memcpy(d->span, spans->span, spans->n * sizeof *d->span);
	}
	spans_free(spans);
	vec_free(&m.set, &m.cap, sizeof *m.set);
}

uint32_t
index_slot(struct dwarf *d, uint64_t addr)
{
	const struct span *s;

	if (!d->indexed)
		build(d, false);
	d->indexed = true;
	s = span_find(d->span, d->nspan, addr);
	if (!s && !d->indexed_all && dwarf_is_code(d, addr)) {
		d->indexed_all = true;
		build(d, true);
		s = span_find(d->span, d->nspan, addr);
	}
	return s ? (uint32_t)s->what : UINT32_MAX;
}

struct unit *
index_find(struct dwarf *d, uint64_t addr)
{
	uint32_t slot = index_slot(d, addr);

	return slot < d->nslot ? unit_open(d, slot) : NULL;
}
