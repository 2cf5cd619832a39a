/* The functions of a unit, and those inlined into them (DWARF 5 sections 3.3.3 to 3.3.8).  A unit's entries are passed once,
 * for where its functions are; types and functions' insides are jumped over where the producer tells their end
 * (DW_AT_sibling).  What is inlined at an address is then looked up in its function's entries alone. */
#include <string.h>

#include "dwarf_unit.h"

enum {
	DW_TAG_lexical_block = 0x0b, DW_TAG_compile_unit = 0x11, DW_TAG_inlined_subroutine = 0x1d, DW_TAG_module = 0x1e,
	DW_TAG_subprogram = 0x2e, DW_TAG_namespace = 0x39, DW_TAG_skeleton_unit = 0x4a
};
enum { HOPS_MAX = 16 };   /* from a function's entry to the one that names it */

struct functions {
	struct span *span;         /* settled; WHAT: the entry */
	uint32_t n;
	bool deep;
};

static struct cursor
entries(const struct unit *u, uint64_t off)
{
	struct cursor c = dwarf_section(u->dwarf, INFO);

	return cur_slice(&c, off, off <= u->end ? u->end - off : UINT64_MAX);
}

static uint64_t
offset_of(const struct unit *u, const struct cursor *c)
{
	return u->end - cur_left(c);
}

/* Jumps to what follows an entry and those below it: REF is its DW_AT_sibling. */
static bool
jump(const struct unit *u, struct cursor *c, uint64_t ref)
{
	uint64_t at = offset_of(u, c), to = u->off + ref;

	if (ref > u->end - u->off || to < at)
		return false;
	cur_take(c, to - at);
	return true;
}

/* The same where the attributes that begin at ATTRS are of a size that tells where it stands. */
static bool
jump_sibling(const struct unit *u, struct cursor *c, const struct abbrev *a, struct cursor attrs)
{
	if (a->sibling == SIZE_VARIES)
		return false;
	cur_take(&attrs, a->sibling);
	return jump(u, c, cur_u32(&attrs));
}

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
	struct cursor c = entries(u, u->root), attrs;
	const struct abbrev *a;
	struct die die;

	while (t && cur_left(&c)) {
		die.off = offset_of(u, &c);
		uint64_t code = cur_uleb(&c);

		if (!code)
			continue;
		if (!(a = abbrev_find(t, code)))
			break;
		attrs = c;
		if (a->tag == DW_TAG_subprogram && a->pc) {
			die_read(u, &c, a, t->spec, &die);
			if (!add_function(u, &die, spans))
				return false;
			if (a->children && !deep && die.at[AT_SIBLING].form)
				jump(u, &c, die.at[AT_SIBLING].u);
			continue;
		}
		die_skip(u, &c, a, t->spec);
		if (a->children && !deep && !holds_functions(a->tag))
			jump_sibling(u, &c, a, attrs);
	}
	return true;
}

static bool
scan(struct unit *u, bool deep)
{
	struct functions *f = unit_alloc(u, sizeof *f);
	struct spans spans = { 0 };
	bool good = f && functions_scan(u, deep, &spans) && spans_settle(&spans, true) &&
	            (f->span = unit_alloc(u, spans.n * sizeof *f->span));

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

/* ---- what is inlined ---- */

static bool
covers(const struct unit *u, const struct die *die, uint64_t addr)
{
	struct range_reader r;
	uint64_t lo, hi;

	ranges_open(&r, u, die);
	while (ranges_next(&r, &lo, &hi))
		if (addr >= lo && addr < hi)
			return true;
	return false;
}

/* A walk through the entries below a function's, along those that cover an address. */
struct descent {
	struct unit *unit;
	uint64_t addr;
	struct cursor c;
	unsigned depth;            /* of the next entry: 1 below the function */
	unsigned within;           /* the depth of the innermost frame's own entries */
	unsigned skip;             /* entries that are this deep or deeper do not cover it; 0: none */
	struct frame *frame;
	unsigned n, max;
};

static bool
holds_code(const struct abbrev *a)
{
	return a->pc && (a->tag == DW_TAG_inlined_subroutine || a->tag == DW_TAG_lexical_block || a->tag == DW_TAG_subprogram);
}

static void
enter(struct descent *d, const struct die *die)
{
	if (die->tag == DW_TAG_lexical_block)
		return;
	if (die->tag == DW_TAG_subprogram)   /* a function within the function */
		d->n = 0;
	d->frame[d->n++] = (struct frame){ die->off, (uint32_t)die->at[AT_CALL_FILE].u, (uint32_t)die->at[AT_CALL_LINE].u };
	d->within = d->depth + 1;
}

/* One entry.  False at the walk's end. */
static bool
step(struct descent *d, const struct abbrevs *t)
{
	struct unit *u = d->unit;
	uint64_t off = offset_of(u, &d->c), code = cur_uleb(&d->c);
	struct cursor attrs = d->c;
	const struct abbrev *a;
	struct die die;

	if (!code) {
		if (--d->depth < d->within)   /* all that is in the innermost frame was seen */
			return false;
		if (d->depth < d->skip)
			d->skip = 0;
		return true;
	}
	if (!(a = abbrev_find(t, code)))
		return false;
	if (!d->skip && holds_code(a)) {
		die.off = off;
		die_read(u, &d->c, a, t->spec, &die);
		if (covers(u, &die, d->addr)) {
			enter(d, &die);
			if (d->n == d->max || (d->within > d->depth && !a->children))
				return false;
		} else if (a->children) {
			if (die.at[AT_SIBLING].form && jump(u, &d->c, die.at[AT_SIBLING].u))
				return true;
			d->skip = d->depth + 1;
		}
		d->depth += a->children;
		return true;
	}
	die_skip(u, &d->c, a, t->spec);
	if (a->children && !(a->tag == DW_TAG_inlined_subroutine || a->tag == DW_TAG_lexical_block) &&
	    jump_sibling(u, &d->c, a, attrs))
		return true;
	d->depth += a->children;
	return true;
}

unsigned
functions_find(struct unit *u, uint64_t addr, struct frame *frame, unsigned max, uint64_t *start)
{
	const struct span *s = max ? function_at(u, addr) : NULL;
	const struct abbrevs *t = unit_abbrevs(u);
	const struct abbrev *a;
	struct descent d = { .unit = u, .addr = addr, .depth = 1, .within = 1, .frame = frame, .n = 1, .max = max };
	struct range_reader r;
	struct die die;
	uint64_t lo, hi;

	if (!s || !t || !die_open(u, s->what, &die))
		return 0;
	*start = UINT64_MAX;
	ranges_open(&r, u, &die);
	while (ranges_next(&r, &lo, &hi))
		*start = lo < *start ? lo : *start;
	frame[0] = (struct frame){ .die = s->what };
	d.c = entries(u, s->what);
	if ((a = abbrev_find(t, cur_uleb(&d.c))))
		die_skip(u, &d.c, a, t->spec);
	if (die.children && max > 1)
		while (cur_left(&d.c) && step(&d, t))
			;
	return d.n;
}

/* ---- what it is called ---- */

/* The entry that DIE of U adds to: what it is inlined or made from, or declared by. */
static bool
next_entry(struct unit *u, const struct die *die, struct die_at *to)
{
	const struct value *v = die->at[AT_ORIGIN].form ? &die->at[AT_ORIGIN] : &die->at[AT_SPECIFICATION];

	return value_die(u, v, to);
}

void
function_declared(struct unit *u, uint64_t off, struct declared *out)
{
	struct die_at at = { u, off };
	const char *plain = NULL;
	struct die die;

	*out = (struct declared){ 0 };
	for (unsigned hops = 0; hops < HOPS_MAX && die_open(at.unit, at.off, &die); hops++) {
		if (!out->name)
			out->name = value_string(at.unit, &die.at[AT_LINKAGE_NAME]);
		if (!plain)
			plain = value_string(at.unit, &die.at[AT_NAME]);
		if (!out->file && die.at[AT_DECL_FILE].form)
			out->file = lines_file(at.unit, die.at[AT_DECL_FILE].u);
		if (!out->line)
			out->line = (uint32_t)die.at[AT_DECL_LINE].u;
		out->id = at.off | (uint64_t)(at.unit->dwarf != u->dwarf) << 63;
		if (!next_entry(at.unit, &die, &at))
			break;
	}
	if (!out->name)
		out->name = plain;
}
