/* Units: their headers and first entries (DWARF 5 sections 3.1, 7.3 and 7.5.1), and the other half of a split unit, in a .dwo or
 * .dwp file. */
#include "unit.h"

#include <string.h>

#include "sym/module/debug_file.h"
#include "abbrev.h"

enum { DW_UT_compile = 1, DW_UT_type, DW_UT_partial, DW_UT_skeleton, DW_UT_split_compile, DW_UT_split_type };
enum { DW_TAG_compile_unit = 0x11, DW_TAG_skeleton_unit = 0x4a, DWO_UNITS_MAX = 1024, COLUMNS_MAX = 16 };

/* Reads the header at C, of .debug_info, and moves past the unit.  False if prof cannot read it or does not know its kind. */
static bool
read_header(struct dwarf *d, struct cursor *c, struct unit *u)
{
	struct cursor info = dwarf_section(d, INFO), unit;
	uint64_t length;

	*u = (struct unit){ .dwarf = d, .off = (uint64_t)(c->pos - info.pos), .offset_size = 4 };
	if ((length = cur_u32(c)) == 0xffffffff) {
		u->offset_size = 8;
		length = cur_u64(c);
	}
	unit = cur_sub(c, length);
	u->end = (uint64_t)(unit.end - info.pos);
	u->version = cur_u16(&unit);
	u->type = u->version >= 5 ? cur_u8(&unit) : DW_UT_compile;
	if (u->version >= 5)
		u->address_size = cur_u8(&unit);
	u->abbrev_off = cur_uint(&unit, u->offset_size);
	if (u->version < 5)
		u->address_size = cur_u8(&unit);
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
		u->dwo_id = cur_u64(&unit);
	if (u->type == DW_UT_type || u->type == DW_UT_split_type)
		cur_take(&unit, 8 + (uint64_t)u->offset_size);
	u->root = (uint64_t)(unit.pos - info.pos);
	return !unit.bad && u->version >= 2 && u->version <= 5 &&
	       (u->address_size == 8 || u->address_size == 4 || u->address_size == 2);
}

/* Makes room for a slot, in the arena.  The old pieces stay there: together they are at most as large as the new one. */
static bool
slot_room(struct dwarf *d)
{
	uint32_t cap = d->slot_cap ? 2 * d->slot_cap : 64;
	struct slot *slot;

	if (d->nslot < d->slot_cap)
		return true;
	if (cap < d->slot_cap || !(slot = arena_alloc(&d->modules->arena, (size_t)cap * sizeof *slot)))
		return false;
	if (d->nslot)
		memcpy(slot, d->slot, d->nslot * sizeof *slot);
	d->slot = slot;
	d->slot_cap = cap;
	return true;
}

void
units_find(struct dwarf *d, uint64_t off, bool tidy)
{
	struct cursor info = dwarf_section(d, INFO), c = info;
	struct unit u;

	cur_take(&c, d->walked);
	while (d->walked <= off && cur_left(&c)) {
		bool known;

		if (tidy)
			dwarf_tidy(d);
		known = read_header(d, &c, &u);
		d->walked = (uint64_t)(c.pos - info.pos);
		if (!known)
			continue;
		if (!slot_room(d)) {
			d->walked = UINT64_MAX;
			return;
		}
		d->slot[d->nslot] = (struct slot){ .off = u.off,
			.code = u.type == DW_UT_compile || u.type == DW_UT_skeleton || u.type == DW_UT_split_compile };
		d->nslot++;
		if (d->found)
			d->found(d, d->nslot - 1);
	}
}

/* The DWARF of FILE, with its units. */
static struct dwarf *
open_dwarf(struct modules *ms, struct module *file, bool split)
{
	struct dwarf *d = dwarf_new(ms, file, split);

	if (d)
		units_find(d, UINT64_MAX, false);
	return d;
}

/* Where a unit's pieces begin in a .dwp's sections; all 0 elsewhere. */
struct pieces {
	uint64_t base[SECTIONS];
};

static void
take_bases(struct unit *u, const struct die *root, const struct pieces *p)
{
	unsigned wide = u->offset_size == 8 ? 8 : 0;   /* headers of tables: 4 or 12 bytes of length */

	/* Tables of version 5 begin with headers, and indexes count from behind these; a split unit does not say where. */
	u->str_offsets = p->base[STR_OFFSETS] + (u->version >= 5 ? 8 + wide : 0);
	u->addr = u->version >= 5 ? 8 + wide : 0;
	u->rnglists = p->base[RNGLISTS] + (u->version >= 5 ? 12 + wide : 0);
	if (die_has(root, AT_STR_OFFSETS_BASE))
		u->str_offsets = root->at[AT_STR_OFFSETS_BASE].u;
	if (die_has(root, AT_ADDR_BASE))
		u->addr = root->at[AT_ADDR_BASE].u;
	if (die_has(root, AT_RNGLISTS_BASE))
		u->rnglists = root->at[AT_RNGLISTS_BASE].u;
	u->ranges = die_value(root, AT_GNU_RANGES_BASE)->u;
}

static void
read_root(struct unit *u, const struct pieces *p)
{
	struct die root;

	u->abbrev_off += p->base[ABBREV];
	if (!unit_root(u, &root))
		return;
	take_bases(u, &root, p);
	u->has_line = die_has(&root, AT_STMT_LIST);
	u->line = die_value(&root, AT_STMT_LIST)->u + p->base[LINE];
	u->comp_dir = value_string(u, die_value(&root, AT_COMP_DIR));
	u->dwo_name = value_string(u, die_value(&root, AT_DWO_NAME));
	if (die_has(&root, AT_DWO_ID))
		u->dwo_id = root.at[AT_DWO_ID].u;
	if (root.tag != DW_TAG_compile_unit && root.tag != DW_TAG_skeleton_unit)
		u->type = DW_UT_partial;
	value_address(u, die_value(&root, AT_LOW_PC), &u->low);
}

static struct unit *
open_slot(struct dwarf *d, struct slot *s, const struct pieces *p)
{
	struct cursor c = dwarf_section(d, INFO);
	struct unit header, *u;

	if (s->unit && s->generation == d->cache->generation)
		return s->unit;
	cur_take(&c, s->off);
	if (!read_header(d, &c, &header) || !(u = unit_alloc(&header, sizeof *u)))
		return NULL;
	*u = header;
	s->unit = u;
	s->generation = d->cache->generation;
	read_root(u, p);
	return u;
}

struct unit *
unit_open(struct dwarf *d, uint32_t slot)
{
	return open_slot(d, &d->slot[slot], &(struct pieces){ { 0 } });
}

/* The slot that OFF lies in, or NULL. */
static struct slot *
slot_at(struct dwarf *d, uint64_t off)
{
	uint32_t lo = 0, hi;

	units_find(d, off, false);
	hi = d->nslot;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (d->slot[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &d->slot[lo - 1] : NULL;
}

uint32_t
slot_of(struct dwarf *d, uint64_t off)
{
	const struct slot *s = slot_at(d, off);

	return s && s->off == off ? (uint32_t)(s - d->slot) : UINT32_MAX;
}

struct unit *
unit_at(struct dwarf *d, uint64_t off)
{
	struct slot *s = slot_at(d, off);
	struct unit *u = s ? open_slot(d, s, &(struct pieces){ { 0 } }) : NULL;

	return u && off >= u->root && off < u->end ? u : NULL;
}

/* ---- split units ---- */

/* A column of the index by its number; versions 2 and 5 give the numbers different meanings. */
static enum dwarf_section
column(uint32_t id, bool five)
{
	switch (id) {
	case 1:
		return INFO;
	case 3:
		return ABBREV;
	case 4:
		return LINE;
	case 6:
		return STR_OFFSETS;
	case 8:
		return five ? RNGLISTS : SECTIONS;
	}
	return SECTIONS;
}

/* Row ROW (from 1) of the table behind the hash table, at C. */
static bool
read_row(struct cursor c, uint32_t columns, uint32_t row, bool five, struct pieces *p)
{
	uint32_t id[COLUMNS_MAX];

	for (uint32_t i = 0; i < columns; i++)
		id[i] = cur_u32(&c);
	cur_take(&c, (uint64_t)(row - 1) * columns * 4);
	for (uint32_t i = 0; i < columns; i++) {
		uint32_t off = cur_u32(&c);
		enum dwarf_section which = column(id[i], five);

		if (which < SECTIONS)
			p->base[which] = off;
	}
	return !c.bad;
}

/* Where the unit with that id lies in a .dwp (DWARF 5 section 7.3.5; version 2 is GNU's, of DWARF 4). */
static bool
find_pieces(struct dwarf *dwp, uint64_t id, struct pieces *p)
{
	struct cursor c = dwarf_section(dwp, CU_INDEX), hash, row;
	uint32_t version = cur_u32(&c), columns, slots;
	bool five = version != 2;   /* 16 bits of version, 16 of padding */
	uint64_t at, step;

	columns = cur_u32(&c);
	cur_u32(&c);
	slots = cur_u32(&c);
	hash = cur_sub(&c, (uint64_t)slots * 8);
	row = cur_sub(&c, (uint64_t)slots * 4);
	if (c.bad || columns > COLUMNS_MAX || !slots || (slots & (slots - 1)))
		return false;
	at = id & (slots - 1);
	step = (id >> 32 & (slots - 1)) | 1;
	for (uint32_t budget = slots; budget; budget--, at = (at + step) & (slots - 1)) {
		struct cursor h = cur_slice(&hash, at * 8, 8), r = cur_slice(&row, at * 4, 4);
		uint64_t signature = cur_u64(&h);
		uint32_t i = cur_u32(&r);

		if (!i)
			break;
		if (signature == id)
			return read_row(c, columns, i, five, p);
	}
	return false;
}

static struct unit *
from_dwp(struct unit *u)
{
	struct dwarf *d = u->dwarf;
	struct pieces p = { { 0 } };
	struct module *m;
	struct slot *s;

	if (!d->dwp_asked) {
		d->dwp_asked = true;
		m = debug_file_dwp(d->modules, d->module);
		d->dwp = m ? open_dwarf(d->modules, m, true) : NULL;
	}
	if (!d->dwp || !find_pieces(d->dwp, u->dwo_id, &p))
		return NULL;
	s = slot_at(d->dwp, p.base[INFO]);
	return s && s->off == p.base[INFO] ? open_slot(d->dwp, s, &p) : NULL;
}

static struct unit *
from_dwo(struct unit *u)
{
	struct module *m = debug_file_dwo(u->dwarf->modules, u->dwarf->module, u->comp_dir, u->dwo_name);
	struct dwarf *d = m ? open_dwarf(u->dwarf->modules, m, true) : NULL;

	for (uint32_t i = 0; d && i < d->nslot && i < DWO_UNITS_MAX; i++) {
		struct unit *split = d->slot[i].code ? unit_open(d, i) : NULL;

		if (split && split->dwo_id == u->dwo_id && split->type != DW_UT_partial)
			return split;
	}
	return NULL;
}

struct unit *
unit_whole(struct unit *u)
{
	if (!u->split_asked) {
		u->split_asked = true;
		if (u->dwo_name && !u->dwarf->split && !(u->split = from_dwp(u)))
			u->split = from_dwo(u);
		if (u->split)
			u->split->skeleton = u;
	}
	return u->split ? u->split : u;
}
