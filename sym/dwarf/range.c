/* The code of an entry: DW_AT_low_pc and DW_AT_high_pc, or a list in .debug_ranges (DWARF 4 section 2.17.3) or .debug_rnglists
 * (DWARF 5 sections 2.17.3 and 7.25).  Functions that the linker dropped stand there with addresses that are no code. */
#include "range.h"

enum { DW_FORM_addr = 0x01, DW_FORM_rnglistx = 0x23, DW_FORM_addrx = 0x1b };
enum {
	DW_RLE_end_of_list, DW_RLE_base_addressx, DW_RLE_startx_endx, DW_RLE_startx_length, DW_RLE_offset_pair, DW_RLE_base_address,
	DW_RLE_start_end, DW_RLE_start_length
};

static const struct unit *
holder(const struct unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

/* The list of V in U: V is an offset, or an index into the table of offsets. */
static struct cursor
list_of(const struct unit *u, const struct value *v)
{
	struct cursor c, table;
	uint64_t off = v->u;

	if (u->version < 5) {
		c = dwarf_section(holder(u)->dwarf, RANGES);
		cur_take(&c, u->skeleton ? u->skeleton->ranges : 0);
	} else {
		c = dwarf_section(u->dwarf, RNGLISTS);
		if (v->form == DW_FORM_rnglistx) {
			cur_take(&c, u->rnglists);
			table = c;
			if (off > cur_left(&table))
				off = UINT32_MAX;
			cur_take(&table, off * u->offset_size);
			off = cur_uint(&table, u->offset_size);
			if (table.bad)
				return table;
		}
	}
	cur_take(&c, off);
	return c;
}

void
ranges_open(struct range_reader *r, const struct unit *u, const struct die *die)
{
	const struct value *high = die_value(die, AT_HIGH_PC);

	*r = (struct range_reader){ .unit = u, .base = holder(u)->low };
	if (die_has(die, AT_RANGES)) {
		r->kind = u->version < 5 ? RANGES_PAIRS : RANGES_LIST;
		r->c = list_of(u, &die->at[AT_RANGES]);
	} else if (high->form && value_address(u, die_value(die, AT_LOW_PC), &r->lo)) {
		r->kind = RANGES_ONE;
		if (!value_address(u, high, &r->hi))
			r->hi = r->lo + high->u;   /* a constant: the size */
	}
}

static bool
next_pair(struct range_reader *r)
{
	unsigned size = r->unit->address_size;
	uint64_t select = UINT64_MAX >> (64 - 8 * size);

	for (;;) {
		uint64_t lo = cur_uint(&r->c, size), hi = cur_uint(&r->c, size);

		if (r->c.bad || (!lo && !hi))
			return false;
		if (lo == select) {
			r->base = hi;
			continue;
		}
		r->lo = r->base + lo;
		r->hi = r->base + hi;
		return true;
	}
}

static uint64_t
indexed(struct range_reader *r)
{
	struct value v = { .form = DW_FORM_addrx, .u = cur_uleb(&r->c) };
	uint64_t addr;

	return value_address(r->unit, &v, &addr) ? addr : 0;
}

static bool
next_entry(struct range_reader *r)
{
	unsigned size = r->unit->address_size;

	for (;;) {
		uint8_t kind = cur_u8(&r->c);

		if (r->c.bad)
			return false;
		switch (kind) {
		case DW_RLE_base_addressx:
			r->base = indexed(r);
			continue;
		case DW_RLE_base_address:
			r->base = cur_uint(&r->c, size);
			continue;
		case DW_RLE_startx_endx:
			r->lo = indexed(r);
			r->hi = indexed(r);
			break;
		case DW_RLE_startx_length:
			r->lo = indexed(r);
			r->hi = r->lo + cur_uleb(&r->c);
			break;
		case DW_RLE_offset_pair:
			r->lo = r->base + cur_uleb(&r->c);
			r->hi = r->base + cur_uleb(&r->c);
			break;
		case DW_RLE_start_end:
			r->lo = cur_uint(&r->c, size);
			r->hi = cur_uint(&r->c, size);
			break;
		case DW_RLE_start_length:
			r->lo = cur_uint(&r->c, size);
			r->hi = r->lo + cur_uleb(&r->c);
			break;
		default:
			return false;
		}
		return !r->c.bad;
	}
}

static bool
next(struct range_reader *r)
{
	switch (r->kind) {
	case RANGES_ONE:
		r->kind = RANGES_END;
		return true;
	case RANGES_PAIRS:
		return next_pair(r);
	case RANGES_LIST:
		return next_entry(r);
	case RANGES_END:
		break;
	}
	return false;
}

bool
ranges_next(struct range_reader *r, uint64_t *lo, uint64_t *hi)
{
	while (next(r)) {
		if (r->lo >= r->hi || !dwarf_is_code(holder(r->unit)->dwarf, r->lo))
			continue;
		*lo = r->lo;
		*hi = r->hi;
		return true;
	}
	return false;
}
