/* Attribute values by their forms (DWARF 5 section 7.5.6), with the GNU extensions for split and shared files. */
#include "form.h"

enum {
	DW_FORM_addr = 0x01, DW_FORM_block2 = 0x03, DW_FORM_block4, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_string,
	DW_FORM_block, DW_FORM_block1, DW_FORM_data1, DW_FORM_flag, DW_FORM_sdata, DW_FORM_strp, DW_FORM_udata, DW_FORM_ref_addr,
	DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata, DW_FORM_indirect, DW_FORM_sec_offset,
	DW_FORM_exprloc, DW_FORM_flag_present, DW_FORM_strx, DW_FORM_addrx, DW_FORM_ref_sup4, DW_FORM_strp_sup, DW_FORM_data16,
	DW_FORM_line_strp, DW_FORM_ref_sig8, DW_FORM_implicit_const, DW_FORM_loclistx, DW_FORM_rnglistx, DW_FORM_ref_sup8,
	DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
	FORMS,
	DW_FORM_GNU_addr_index = 0x1f01, DW_FORM_GNU_str_index, DW_FORM_GNU_ref_alt = 0x1f20, DW_FORM_GNU_strp_alt
};

/* The layouts of values without a fixed number of bytes. */
enum { ULEB = 0xf0, SLEB, STRING, BLOCK, BLOCK1, BLOCK2, BLOCK4, INDIRECT, ADDRESS, OFFSET, REF_ADDR, UNKNOWN };

static uint8_t
layout(uint16_t form)
{
	static const uint8_t by_form[FORMS] = {
		[0] = UNKNOWN, [2] = UNKNOWN,
		[DW_FORM_addr] = ADDRESS, [DW_FORM_block2] = BLOCK2, [DW_FORM_block4] = BLOCK4, [DW_FORM_data2] = 2,
		[DW_FORM_data4] = 4, [DW_FORM_data8] = 8, [DW_FORM_string] = STRING, [DW_FORM_block] = BLOCK,
		[DW_FORM_block1] = BLOCK1, [DW_FORM_data1] = 1, [DW_FORM_flag] = 1, [DW_FORM_sdata] = SLEB, [DW_FORM_strp] = OFFSET,
		[DW_FORM_udata] = ULEB, [DW_FORM_ref_addr] = REF_ADDR, [DW_FORM_ref1] = 1, [DW_FORM_ref2] = 2, [DW_FORM_ref4] = 4,
		[DW_FORM_ref8] = 8, [DW_FORM_ref_udata] = ULEB, [DW_FORM_indirect] = INDIRECT, [DW_FORM_sec_offset] = OFFSET,
		[DW_FORM_exprloc] = BLOCK, [DW_FORM_flag_present] = 0, [DW_FORM_strx] = ULEB, [DW_FORM_addrx] = ULEB,
		[DW_FORM_ref_sup4] = 4, [DW_FORM_strp_sup] = OFFSET, [DW_FORM_data16] = 16, [DW_FORM_line_strp] = OFFSET,
		[DW_FORM_ref_sig8] = 8, [DW_FORM_implicit_const] = 0, [DW_FORM_loclistx] = ULEB, [DW_FORM_rnglistx] = ULEB,
		[DW_FORM_ref_sup8] = 8, [DW_FORM_strx1] = 1, [DW_FORM_strx2] = 2, [DW_FORM_strx3] = 3, [DW_FORM_strx4] = 4,
		[DW_FORM_addrx1] = 1, [DW_FORM_addrx2] = 2, [DW_FORM_addrx3] = 3, [DW_FORM_addrx4] = 4,
	};

	if (form < FORMS)
		return by_form[form];
	switch (form) {
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return ULEB;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return OFFSET;
	}
	return UNKNOWN;
}

uint8_t
form_size(const struct unit *u, uint16_t form)
{
	uint8_t l = layout(form);

	if (l == ADDRESS || (l == REF_ADDR && u->version == 2))
		return u->address_size;
	return l == OFFSET || l == REF_ADDR ? u->offset_size : l < ULEB ? l : FORM_VARIES;
}

bool
form_block(struct cursor *c, uint16_t form, struct cursor *block)
{
	switch (layout(form)) {
	case BLOCK:
		*block = cur_sub(c, cur_uleb(c));
		return true;
	case BLOCK1:
		*block = cur_sub(c, cur_u8(c));
		return true;
	case BLOCK2:
		*block = cur_sub(c, cur_u16(c));
		return true;
	case BLOCK4:
		*block = cur_sub(c, cur_u32(c));
		return true;
	}
	return false;
}

static void
complain(struct cursor *c)
{
	cur_take(c, UINT64_MAX);
}

void
form_skip(const struct unit *u, struct cursor *c, uint16_t form)
{
	uint8_t size = form_size(u, form);

	if (size != FORM_VARIES) {
		cur_take(c, size);
		return;
	}
	switch (layout(form)) {
	case ULEB:
		cur_uleb(c);
		break;
	case SLEB:
		cur_sleb(c);
		break;
	case STRING:
		cur_str(c);
		break;
	case BLOCK:
		cur_take(c, cur_uleb(c));
		break;
	case BLOCK1:
		cur_take(c, cur_u8(c));
		break;
	case BLOCK2:
		cur_take(c, cur_u16(c));
		break;
	case BLOCK4:
		cur_take(c, cur_u32(c));
		break;
	case INDIRECT: {
		uint64_t real = cur_uleb(c);

		if (real < UINT16_MAX && real != DW_FORM_indirect && real != DW_FORM_implicit_const)
			form_skip(u, c, (uint16_t)real);
		else
			complain(c);
		break;
	}
	default:
		complain(c);
	}
}

struct value
form_read(const struct unit *u, struct cursor *c, const struct spec *spec)
{
	struct value v = { .form = spec->form };
	uint8_t size = spec->size;

	if (v.form == DW_FORM_indirect) {
		uint64_t real = cur_uleb(c);

		v.form = real < UINT16_MAX ? (uint16_t)real : 0;
		size = form_size(u, v.form);
	}
	if (v.form == DW_FORM_implicit_const)
		v.u = (uint64_t)(int64_t)spec->implicit;
	else if (v.form == DW_FORM_flag_present)
		v.u = 1;
	else if (size <= 8)
		v.u = size ? cur_uint(c, size) : 0;
	else if (layout(v.form) == ULEB)
		v.u = cur_uleb(c);
	else if (layout(v.form) == SLEB)
		v.u = (uint64_t)cur_sleb(c);
	else if (layout(v.form) == STRING)
		v.str = cur_str(c);
	else if (v.form == DW_FORM_indirect)
		complain(c);
	else
		form_skip(u, c, v.form);
	return v;
}

/* Entry I of U's piece of .debug_str_offsets. */
static const char *
indexed_string(const struct unit *u, uint64_t i)
{
	struct cursor c = dwarf_section(u->dwarf, STR_OFFSETS);
	uint64_t off;

	if (i > cur_left(&c))
		return NULL;
	cur_take(&c, u->str_offsets);
	cur_take(&c, i * u->offset_size);
	off = cur_uint(&c, u->offset_size);
	return c.bad ? NULL : section_string(u->dwarf, STR, off);
}

const char *
value_string(const struct unit *u, const struct value *v)
{
	struct dwarf *alt;

	switch (v->form) {
	case DW_FORM_string:
		return v->str;
	case DW_FORM_strp:
		return section_string(u->dwarf, STR, v->u);
	case DW_FORM_line_strp:
		return section_string(u->dwarf, LINE_STR, v->u);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return (alt = dwarf_alt(u->dwarf)) ? section_string(alt, STR, v->u) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(u, v->u);
	}
	return NULL;
}

bool
value_address(const struct unit *u, const struct value *v, uint64_t *addr)
{
	const struct unit *holder = u->skeleton ? u->skeleton : u;
	struct cursor c;

	switch (v->form) {
	case DW_FORM_addr:
		*addr = v->u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		break;
	default:
		return false;
	}
	c = dwarf_section(holder->dwarf, ADDR);
	if (v->u > cur_left(&c))
		return false;
	cur_take(&c, holder->addr);
	cur_take(&c, v->u * u->address_size);
	*addr = cur_uint(&c, u->address_size);
	return !c.bad;
}

bool
value_die(struct unit *u, const struct value *v, struct die_at *to)
{
	struct dwarf *d = u->dwarf;

	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*to = (struct die_at){ d, u, u->off + v->u };
		return v->u < u->end - u->off;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		if (!(d = dwarf_alt(d)))
			return false;
		break;
	case DW_FORM_ref_addr:
		break;
	default:
		return false;
	}
	*to = (struct die_at){ d, NULL, v->u };
	return true;
}
