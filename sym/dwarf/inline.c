/* The functions that are inlined into a function (DWARF 5 section 3.3.8).  At the first question about a function, prof passes the
 * entries below its own once. */
#include "inline.h"

#include <string.h>

#include "abbrev.h"
#include "declared.h"
#include "range.h"

enum { DW_TAG_lexical_block = 0x0b, DW_TAG_inlined_subroutine = 0x1d, DW_TAG_subprogram = 0x2e };

#define NO_PARENT UINT32_MAX

struct inlined {
	struct frame frame;
	uint32_t parent;           /* what it is inlined into, or NO_PARENT */
	uint32_t around;           /* the function that its entry lies in: the parent, or for a function within a function the outer one */
	uint32_t within;           /* the depth of the entries below it */
	uint64_t start;            /* its lowest address */
};

struct inlines {
	struct inlined *inlined;   /* 0: the function itself */
	struct disjoint_range *span;         /* settled; WHAT: which is innermost */
	uint32_t n;
};

/* A walk through the entries below a function's. */
struct walk {
	struct unit *unit;
	const struct abbrevs *abbrevs;
	struct cursor c;
	uint32_t depth, in;        /* of the next entry; the innermost function it is in */
	struct inlined *inlined;
	uint32_t n, cap;
	struct disjoint_ranges spans;
};

static bool
add(struct walk *w, const struct die *die)
{
	struct inlined *i;
	struct range_reader r;
	uint64_t lo, hi;

	if (!vec_room(&w->inlined, &w->cap, (uint64_t)w->n + 1, sizeof *i))
		return false;
	i = &w->inlined[w->n++];
	*i = (struct inlined){ .frame.die = function_entry(w->unit, die), .parent = w->in, .around = w->in, .within = w->depth + 1, .start = UINT64_MAX };
	if (die_has(die, AT_CALL_FILE))
		i->frame.call_file = (uint32_t)die->at[AT_CALL_FILE].u;
	if (die_has(die, AT_CALL_LINE))
		i->frame.call_line = (uint32_t)die->at[AT_CALL_LINE].u;
	if (die->tag == DW_TAG_subprogram)   /* a function within a function is not inlined into that */
		i->parent = NO_PARENT;
	ranges_open(&r, w->unit, die);
	while (ranges_next(&r, &lo, &hi)) {
		i->start = lo < i->start ? lo : i->start;
		if (!disjoint_add(&w->spans, lo, hi, w->n - 1))
			return false;
	}
	return true;
}

static void
end_of_children(struct walk *w)
{
	w->depth--;
	if (w->depth && w->depth < w->inlined[w->in].within)
		w->in = w->inlined[w->in].around;
}

/* Takes one entry.  False if it cannot be read, or at the memory cap. */
static bool
step(struct walk *w)
{
	struct unit *u = w->unit;
	uint64_t off = entries_offset(u, &w->c), code = cur_uleb(&w->c);
	struct cursor attrs = w->c;
	const struct abbrev *a;
	struct die die;

	if (!code) {
		end_of_children(w);
		return true;
	}
	if (!(a = abbrev_find(w->abbrevs, code)))
		return false;
	if (a->pc && (a->tag == DW_TAG_inlined_subroutine || a->tag == DW_TAG_subprogram)) {
		die.off = off;
		die_read(u, &w->c, a, w->abbrevs->spec, &die);
		if (!add(w, &die))
			return false;
		if (a->children)
			w->in = w->n - 1;
	} else {
		die_skip(u, &w->c, a, w->abbrevs->spec);
		if (a->children && a->tag != DW_TAG_inlined_subroutine && a->tag != DW_TAG_lexical_block &&
		    entries_jump_sibling(u, &w->c, a, attrs))
			return true;
	}
	w->depth += a->children;
	return true;
}

static struct inlines *
settle(struct walk *w)
{
	struct inlines *in = unit_alloc(w->unit, sizeof *in);

	if (!in || !disjoint_settle(&w->spans, true) || !(in->inlined = unit_alloc(w->unit, w->n * sizeof *in->inlined)) ||
	    !(in->span = unit_alloc(w->unit, w->spans.n * sizeof *in->span)))
		return NULL;
	memcpy(in->inlined, w->inlined, w->n * sizeof *in->inlined);
	if (w->spans.n)
		memcpy(in->span, w->spans.span, w->spans.n * sizeof *in->span);
	in->n = w->spans.n;
	return in;
}

struct inlines *
inlines_read(struct unit *u, uint64_t off)
{
	struct walk w = { .unit = u, .abbrevs = unit_abbrevs(u), .in = NO_PARENT, .c = entries_from(u, off) };
	const struct abbrev *a = w.abbrevs ? abbrev_find(w.abbrevs, cur_uleb(&w.c)) : NULL;
	struct inlines *in = NULL;
	struct die die = { .off = off };

	if (!a)
		return NULL;
	die_read(u, &w.c, a, w.abbrevs->spec, &die);
	if (add(&w, &die)) {
		w.in = 0;
		w.depth = a->children;
		while (w.depth && cur_left(&w.c) && step(&w))
			;
		in = settle(&w);
	}
	vec_free(&w.inlined, &w.cap, sizeof *w.inlined);
	disjoint_free(&w.spans);
	return in;
}

unsigned
inlines_find(const struct inlines *in, uint64_t addr, struct frame *frame, unsigned max, uint64_t *start)
{
	const struct disjoint_range *s = disjoint_find(in->span, in->n, addr);
	uint32_t innermost = s ? (uint32_t)s->what : 0, i;
	unsigned n = 0, at;

	for (i = innermost; i != NO_PARENT; i = in->inlined[i].parent)
		n++;
	for (i = innermost, at = n; at--; i = in->inlined[i].parent) {
		if (at < max)
			frame[at] = in->inlined[i].frame;
		*start = in->inlined[i].start;
	}
	return n < max ? n : max;
}
