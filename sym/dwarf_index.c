/* Which unit an address belongs to: .debug_aranges (DWARF 5 section 6.1.2) where a unit is in it, else the ranges of its first
 * entry, else those of its functions.  Where several units claim code (the linker keeps one of equal functions, and all who had
 * one speak of it) the first of the file has it. */
#include <string.h>

#include "dwarf_unit.h"

/* Reads one set; COVERED marks its unit's slot. */
static bool
read_set(struct dwarf *d, struct cursor *c, struct spans *spans, uint8_t *covered)
{
	uint64_t length = cur_u32(c), info;
	unsigned offset_size = 4, address_size;
	struct cursor set;
	const uint8_t *begin = c->pos - 4;
	uint32_t slot;

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
	if ((slot = slot_of(d, info)) == UINT32_MAX)
		return true;
	/* Pairs are aligned to their size, counted from the set's beginning. */
	cur_take(&set, -(uint64_t)(set.pos - begin) & (2 * address_size - 1));
	for (;;) {
		uint64_t lo = cur_uint(&set, address_size), size = cur_uint(&set, address_size);

		if (set.bad || (!lo && !size))
			break;
		if (dwarf_is_code(d, lo) && !span_add(spans, lo, lo + size, slot))
			return false;
		covered[slot] = 1;
	}
	return true;
}

static bool
read_aranges(struct dwarf *d, struct spans *spans, uint8_t *covered)
{
	struct cursor c = dwarf_section(d, ARANGES);

	while (cur_left(&c))
		if (!read_set(d, &c, spans, covered))
			return false;
	return true;
}

/* By the ranges of the unit's first entry. */
static bool
read_root(struct dwarf *d, uint32_t slot, struct spans *spans, bool *any)
{
	struct unit *u = unit_open(d, slot);
	struct range_reader r;
	struct die root;
	uint64_t lo, hi;

	*any = false;
	if (!u || !unit_root(u, &root))
		return true;
	*any = die_has(&root, AT_RANGES) || die_has(&root, AT_HIGH_PC);
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

/* ALL: also the units that say nothing about where their code is. */
static bool
collect(struct dwarf *d, bool all, struct spans *spans, uint8_t *covered)
{
	bool good = read_aranges(d, spans, covered), any;

	for (uint32_t i = 0; good && i < d->nslot; i++) {
		if (!d->slot[i].code || covered[i])
			continue;
		good = read_root(d, i, spans, &any);
		if (all && !any)
			good = good && read_functions(d, i, spans);
	}
	return good && spans_settle(spans, false);
}

static void
build(struct dwarf *d, bool all)
{
	struct spans spans = { 0 };
	uint8_t *covered = NULL;
	uint32_t cap = 0;

	if (vec_room(&covered, &cap, d->nslot, 1) && collect(d, all, &spans, covered) &&
	    (d->span = arena_alloc(&d->modules->arena, spans.n * sizeof *d->span))) {
		d->nspan = spans.n;
		if (spans.n)
			memcpy(d->span, spans.span, spans.n * sizeof *d->span);
	}
	spans_free(&spans);
	vec_free(&covered, &cap, 1);
}

struct unit *
index_find(struct dwarf *d, uint64_t addr)
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
	return s ? unit_open(d, (uint32_t)s->what) : NULL;
}
