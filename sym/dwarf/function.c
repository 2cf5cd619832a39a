/* The functions of a unit (DWARF 5 section 3.3): prof goes through the entries once to find where the functions are; it jumps
 * over types and the insides of functions if the producer tells their end (DW_AT_sibling). */
#include "function.h"

#include <string.h>

#include "abbrev.h"
#include "range.h"

enum {
	DW_TAG_compile_unit = 0x11, DW_TAG_module = 0x1e, DW_TAG_subprogram = 0x2e, DW_TAG_namespace = 0x39,
	DW_TAG_skeleton_unit = 0x4a
};

struct functions {
	struct disjoint_range *span;         /* settled; WHAT: the entry */
	struct inlines **inlines;  /* of each span's function */
	uint32_t n;
	bool deep;
};

static bool
add_function(const struct unit *u, const struct die *die, struct disjoint_ranges *spans)
{
	struct range_reader r;
	uint64_t lo, hi;

	ranges_open(&r, u, die);
	while (ranges_next(&r, &lo, &hi))
		if (!disjoint_add(spans, lo, hi, die->off))
			return false;
	return true;
}

/* Whether such an entry usually has functions below it. */
static bool
holds_functions(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
}

bool
functions_scan(struct unit *u, bool deep, struct disjoint_ranges *spans)
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
	struct disjoint_ranges spans = { 0 };
	bool good = f && functions_scan(u, deep, &spans) && disjoint_settle(&spans, true) &&
	            (f->span = unit_alloc(u, spans.n * sizeof *f->span)) &&
	            (f->inlines = unit_alloc(u, spans.n * sizeof *f->inlines));

	if (good) {
		f->n = spans.n;
		f->deep = deep;
		if (spans.n)
			memcpy(f->span, spans.span, spans.n * sizeof *f->span);
		u->functions = f;
	}
	disjoint_free(&spans);
	return good;
}

/* The entry of the function that has code at ADDR. */
static const struct disjoint_range *
function_at(struct unit *u, uint64_t addr)
{
	const struct disjoint_range *s;

	if (!u->functions && !scan(u, false))
		return NULL;
	s = disjoint_find(u->functions->span, u->functions->n, addr);
	if (!s && !u->functions->deep && scan(u, true))
		s = disjoint_find(u->functions->span, u->functions->n, addr);
	return s;
}

unsigned
functions_find(struct unit *u, uint64_t addr, struct frame *frame, unsigned max, uint64_t *start)
{
	const struct disjoint_range *s = max ? function_at(u, addr) : NULL;
	struct inlines **in;

	if (!s)
		return 0;
	in = &u->functions->inlines[s - u->functions->span];
	if (!*in)
		*in = inlines_read(u, s->what);
	return *in ? inlines_find(*in, addr, frame, max, start) : 0;
}

bool
functions_entry(struct unit *u, uint64_t addr, uint64_t *die)
{
	const struct disjoint_range *s = function_at(u, addr);

	*die = s ? s->what : 0;
	return s;
}
