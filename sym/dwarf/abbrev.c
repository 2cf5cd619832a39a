/* Abbreviations: which attributes an entry has, and in which form (DWARF 5 sections 7.5.2 to 7.5.4).  If all attributes have a
 * fixed size, as most have, prof passes over an entry in one step. */
#include "abbrev.h"

#include "lib/sort.h"

enum { DW_TAG_subprogram = 0x2e, DW_AT_LO_USER = 0x2000, DW_FORM_ref4 = 0x13, DW_FORM_implicit_const = 0x21, ABBREVS_MAX = 1 << 20 };
enum { WORK_MAX = 256 << 20 };   /* bytes of abbreviations read for first entries; a first entry really needs some tens of bytes */

static uint8_t
attr_of(uint64_t at)
{
	static const uint8_t by_number[] = {
		[0x01] = AT_SIBLING, [0x02] = AT_LOCATION, [0x03] = AT_NAME, [0x0b] = AT_BYTE_SIZE, [0x0d] = AT_BIT_SIZE,
		[0x1c] = AT_CONST_VALUE, [0x38] = AT_MEMBER, [0x3c] = AT_DECLARATION, [0x3e] = AT_ENCODING, [0x40] = AT_FRAME_BASE,
		[0x49] = AT_TYPE, [0x8c] = AT_LOCLISTS_BASE, [0x10] = AT_STMT_LIST, [0x13] = AT_LANGUAGE, [0x11] = AT_LOW_PC, [0x12] = AT_HIGH_PC,
		[0x1b] = AT_COMP_DIR, [0x31] = AT_ORIGIN, [0x3a] = AT_DECL_FILE, [0x3b] = AT_DECL_LINE, [0x47] = AT_SPECIFICATION,
		[0x55] = AT_RANGES, [0x58] = AT_CALL_FILE, [0x59] = AT_CALL_LINE, [0x6e] = AT_LINKAGE_NAME,
		[0x72] = AT_STR_OFFSETS_BASE, [0x73] = AT_ADDR_BASE, [0x74] = AT_RNGLISTS_BASE, [0x76] = AT_DWO_NAME,
	};

	if (at < sizeof by_number)
		return by_number[at];
	switch (at) {
	case 0x2007:
		return AT_LINKAGE_NAME;   /* DW_AT_MIPS_linkage_name */
	case 0x2130:
		return AT_DWO_NAME;       /* DW_AT_GNU_dwo_name */
	case 0x2131:
		return AT_DWO_ID;
	case 0x2132:
		return AT_GNU_RANGES_BASE;
	case 0x2133:
		return AT_ADDR_BASE;
	}
	return AT_NONE;
}

/* Reads one specification; false at the end of the list. */
static bool
read_spec(const struct unit *u, struct cursor *c, struct spec *s)
{
	uint64_t at = cur_uleb(c), form = cur_uleb(c);

	*s = (struct spec){ .form = form < UINT16_MAX ? (uint16_t)form : UINT16_MAX, .attr = attr_of(at) };
	s->size = form_size(u, s->form);
	if (s->form == DW_FORM_implicit_const) {
		int64_t v = cur_sleb(c);

		s->implicit = v >= 0 && v <= INT32_MAX ? (int32_t)v : 0;
	}
	return at || form;
}

static void
add_spec(struct abbrev *a, const struct spec *s)
{
	if (s->attr == AT_SIBLING && s->form == DW_FORM_ref4)
		a->sibling = a->size;
	a->pc |= s->attr == AT_LOW_PC || s->attr == AT_RANGES;
	if (s->size == FORM_VARIES || a->size + s->size >= SIZE_VARIES)
		a->size = SIZE_VARIES;
	else if (a->size != SIZE_VARIES)
		a->size = (uint16_t)(a->size + s->size);
	a->nspec++;
}

/* Both vectors of a table that is being read. */
struct reading {
	struct abbrev *abbrev;
	struct spec *spec;
	uint32_t n, cap, nspec, spec_cap;
	bool dense;
};

static bool
read_abbrev(const struct unit *u, struct cursor *c, struct reading *r)
{
	struct abbrev a = { .code = cur_uleb(c), .sibling = SIZE_VARIES, .spec = r->nspec };
	uint64_t tag;

	if (!a.code || c->bad || r->n == ABBREVS_MAX)
		return false;
	tag = cur_uleb(c);
	a.tag = tag < UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
	a.children = cur_u8(c) != 0;
	for (;;) {
		struct spec s;

		if ((r->nspec == r->spec_cap && !vec_room(&r->spec, &r->spec_cap, (uint64_t)r->nspec + 1, sizeof s)) ||
		    !read_spec(u, c, &s) || c->bad)
			break;
		add_spec(&a, &s);
		r->spec[r->nspec++] = s;
	}
	if (c->bad || !vec_room(&r->abbrev, &r->cap, (uint64_t)r->n + 1, sizeof a))
		return false;
	r->dense &= a.code == r->n + 1;
	r->abbrev[r->n++] = a;
	return true;
}

static void
free_reading(struct reading *r)
{
	vec_free(&r->abbrev, &r->cap, sizeof *r->abbrev);
	vec_free(&r->spec, &r->spec_cap, sizeof *r->spec);
}

static struct cursor
table_of(const struct unit *u)
{
	struct cursor c = dwarf_section(u->dwarf, ABBREV);

	cur_take(&c, u->abbrev_off);
	return c;
}

static bool
order_codes(struct unit *u, struct abbrevs *t)
{
	if (!(t->by_code = unit_alloc(u, t->n * sizeof *t->by_code)))
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		t->by_code[i] = (struct item){ t->abbrev[i].code, i, 0 };
	return sort_items(t->by_code, t->n);
}

const struct abbrevs *
unit_abbrevs(struct unit *u)
{
	struct reading r = { .dense = true };
	struct cursor c = table_of(u);
	struct abbrevs *t;

	if (u->abbrevs)
		return u->abbrevs;
	while (read_abbrev(u, &c, &r))
		;
	if ((t = unit_alloc(u, sizeof *t)) && (t->abbrev = unit_alloc(u, r.n * sizeof *r.abbrev)) &&
	    (t->spec = unit_alloc(u, r.nspec * sizeof *r.spec))) {
		for (uint32_t i = 0; i < r.n; i++)
			t->abbrev[i] = r.abbrev[i];
		for (uint32_t i = 0; i < r.nspec; i++)
			t->spec[i] = r.spec[i];
		t->n = r.n;
		if (r.dense || order_codes(u, t))
			u->abbrevs = t;
	}
	free_reading(&r);
	return u->abbrevs;
}

const struct abbrev *
abbrev_find(const struct abbrevs *t, uint64_t code)
{
	uint32_t i;

	if (!t->by_code)
		return code && code <= t->n ? &t->abbrev[code - 1] : NULL;
	i = sort_upto(t->by_code, t->n, code);
	return i && t->by_code[i - 1].key == code ? &t->abbrev[t->by_code[i - 1].a] : NULL;
}

void
die_skip(const struct unit *u, struct cursor *c, const struct abbrev *a, const struct spec *spec)
{
	if (a->size != SIZE_VARIES) {
		cur_take(c, a->size);
		return;
	}
	for (uint32_t i = 0; i < a->nspec; i++) {
		const struct spec *s = &spec[a->spec + i];

		if (s->size != FORM_VARIES)
			cur_take(c, s->size);
		else
			form_skip(u, c, s->form);
	}
}

void
die_read(const struct unit *u, struct cursor *c, const struct abbrev *a, const struct spec *spec, struct die *die)
{
	die->tag = a->tag;
	die->children = a->children;
	die->has = 0;
	for (uint32_t i = 0; i < a->nspec; i++) {
		const struct spec *s = &spec[a->spec + i];

		if (s->attr && s->attr < ATTRS) {
			die->at[s->attr] = form_read(u, c, s);
			die->has |= (uint32_t)1 << s->attr;
		} else if (s->size != FORM_VARIES)
			cur_take(c, s->size);
		else
			form_skip(u, c, s->form);
	}
}

struct cursor
entries_from(const struct unit *u, uint64_t off)
{
	struct cursor c = dwarf_section(u->dwarf, INFO);

	if (off < u->root || off >= u->end)
		return cur_of(NULL, 0, c.big);
	return cur_slice(&c, off, u->end - off);
}

uint64_t
entries_offset(const struct unit *u, const struct cursor *c)
{
	return u->end - cur_left(c);
}

bool
entries_jump(const struct unit *u, struct cursor *c, uint64_t ref)
{
	uint64_t at = entries_offset(u, c), to = u->off + ref;

	if (ref > u->end - u->off || to < at)
		return false;
	cur_take(c, to - at);
	return true;
}

bool
entries_jump_sibling(const struct unit *u, struct cursor *c, const struct abbrev *a, struct cursor attrs)
{
	if (a->sibling == SIZE_VARIES)
		return false;
	cur_take(&attrs, a->sibling);
	return entries_jump(u, c, cur_u32(&attrs));
}

bool
die_open(struct unit *u, uint64_t off, struct die *die)
{
	const struct abbrevs *t = unit_abbrevs(u);
	struct cursor c = entries_from(u, off);
	const struct abbrev *a = t ? abbrev_find(t, cur_uleb(&c)) : NULL;

	die->off = off;
	die->has = 0;
	if (!a || c.bad)
		return false;
	die_read(u, &c, a, t->spec, die);
	return !c.bad;
}

bool
unit_has_functions(const struct unit *u)
{
	struct cursor table = table_of(u);
	struct reading r = { 0 };
	bool found = false;

	for (; !found && u->dwarf->work <= WORK_MAX && read_abbrev(u, &table, &r); r.n = r.nspec = 0)
		found = r.abbrev->tag == DW_TAG_subprogram && r.abbrev->pc;
	found |= u->dwarf->work > WORK_MAX;
	u->dwarf->work += (uint64_t)(table.pos - table_of(u).pos);
	free_reading(&r);
	return found;
}

bool
unit_root(struct unit *u, struct die *die)
{
	struct cursor c = entries_from(u, u->root), table = table_of(u);
	uint64_t code = cur_uleb(&c);
	struct reading r = { 0 };
	bool found = false;

	die->off = u->root;
	die->has = 0;
	if (u->dwarf->work > WORK_MAX)
		return false;
	for (r.n = r.nspec = 0; code && !found && read_abbrev(u, &table, &r); r.n = r.nspec = 0)
		if (r.abbrev->code == code) {
			die_read(u, &c, r.abbrev, r.spec, die);
			found = !c.bad;
		}
	u->dwarf->work += (uint64_t)(table.pos - table_of(u).pos);
	free_reading(&r);
	return found;
}
