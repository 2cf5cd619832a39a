/* The functions of a unit (DWARF 5 section 3.3): its entries are passed once, for where they are; types and functions' insides
 * are jumped over where the producer tells their end (DW_AT_sibling). */
#include <string.h>

#include "dwarf_file.h"

enum {
	DW_TAG_compile_unit = 0x11, DW_TAG_module = 0x1e, DW_TAG_subprogram = 0x2e, DW_TAG_namespace = 0x39,
	DW_TAG_skeleton_unit = 0x4a
};
enum { HOPS_MAX = 16 };   /* from a function's entry to the one that names it */

struct functions {
	struct span *span;         /* settled; WHAT: the entry */
	struct inlines **inlines;  /* of each span's function */
	uint32_t n;
	bool deep;
};

static bool
add_function(const struct unit *u, const struct die *die, struct spans *spans)
{
	struct range_reader r;
	uint64_t lo, hi;

	ranges_open(&r, u, die);
	while (ranges_next(&r, &lo, &hi))
		if (!span_add(spans, lo, hi, die->off))
			return false;
	return true;
}

/* Whether functions are ordinarily found below such an entry. */
static bool
holds_functions(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
}

bool
functions_scan(struct unit *u, bool deep, struct spans *spans)
{
	const struct abbrevs *t = unit_abbrevs(u);
	struct cursor c = entries_from(u, u->root), attrs;
	const struct abbrev *a;
	struct die die;
	uint64_t code;

	while (t && cur_left(&c)) {
		die.off = entries_offset(u, &c);
		if (!(code = cur_uleb(&c)))
			continue;
		if (!(a = abbrev_find(t, code)))
			break;
		attrs = c;
		if (a->tag == DW_TAG_subprogram && a->pc) {
			die_read(u, &c, a, t->spec, &die);
			if (!add_function(u, &die, spans))
				return false;
			if (a->children && !deep && die_has(&die, AT_SIBLING))
				entries_jump(u, &c, die.at[AT_SIBLING].u);
			continue;
		}
		die_skip(u, &c, a, t->spec);
		if (a->children && !deep && !holds_functions(a->tag))
			entries_jump_sibling(u, &c, a, attrs);
	}
	return true;
}

static bool
scan(struct unit *u, bool deep)
{
	struct functions *f = unit_alloc(u, sizeof *f);
	struct spans spans = { 0 };
	bool good = f && functions_scan(u, deep, &spans) && spans_settle(&spans, true) &&
	            (f->span = unit_alloc(u, spans.n * sizeof *f->span)) &&
	            (f->inlines = unit_alloc(u, spans.n * sizeof *f->inlines));

	if (good) {
		f->n = spans.n;
		f->deep = deep;
		if (spans.n)
			memcpy(f->span, spans.span, spans.n * sizeof *f->span);
		u->functions = f;
	}
	spans_free(&spans);
	return good;
}

/* The entry of the function that has code at ADDR. */
static const struct span *
function_at(struct unit *u, uint64_t addr)
{
	const struct span *s;

	if (!u->functions && !scan(u, false))
		return NULL;
	s = span_find(u->functions->span, u->functions->n, addr);
	if (!s && !u->functions->deep && scan(u, true))
		s = span_find(u->functions->span, u->functions->n, addr);
	return s;
}

unsigned
functions_find(struct unit *u, uint64_t addr, struct frame *frame, unsigned max, uint64_t *start)
{
	const struct span *s = max ? function_at(u, addr) : NULL;
	struct inlines **in;

	if (!s)
		return 0;
	in = &u->functions->inlines[s - u->functions->span];
	if (!*in)
		*in = inlines_read(u, s->what);
	return *in ? inlines_find(*in, addr, frame, max, start) : 0;
}

/* ---- what it is called ---- */

/* The entry that DIE of U adds to: what it is inlined or made from, or declared by. */
static bool
next_entry(struct unit *u, const struct die *die, struct die_at *to)
{
	return value_die(u, die_value(die, die_has(die, AT_ORIGIN) ? AT_ORIGIN : AT_SPECIFICATION), to);
}

uint64_t
function_entry(struct unit *u, const struct die *die)
{
	const uint32_t says = 1u << AT_NAME | 1u << AT_LINKAGE_NAME | 1u << AT_DECL_FILE | 1u << AT_DECL_LINE;
	struct die_at to;

	return !(die->has & says) && next_entry(u, die, &to) && to.dwarf == u->dwarf ? to.off : die->off;
}

bool
function_step(struct die_at *at, const struct dwarf *own, struct declared *out)
{
	struct die die;

	if ((!at->unit && !(at->unit = unit_at(at->dwarf, at->off))) || !die_open(at->unit, at->off, &die))
		return false;
	if (!out->name)
		out->name = value_string(at->unit, die_value(&die, AT_LINKAGE_NAME));
	if (!out->plain)
		out->plain = value_string(at->unit, die_value(&die, AT_NAME));
	if (!out->file && die_has(&die, AT_DECL_FILE) && !at->dwarf->modules->lineless)
		out->file = lines_file(at->unit, die.at[AT_DECL_FILE].u);
	if (!out->line && die_has(&die, AT_DECL_LINE) && !at->dwarf->modules->lineless)
		out->line = (uint32_t)die.at[AT_DECL_LINE].u;
	out->id = at->off | (uint64_t)(at->dwarf != own) << 63;
	return ++out->hops < HOPS_MAX && next_entry(at->unit, &die, at);
}

void
function_declared(struct unit *u, uint64_t off, struct declared *out)
{
	struct die_at at = { u->dwarf, off >= u->root && off < u->end ? u : NULL, off };

	*out = (struct declared){ 0 };
	while (function_step(&at, u->dwarf, out))
		;
}
