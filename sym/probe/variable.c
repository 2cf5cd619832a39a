/* See variable.h.  prof passes the entries below the function's once.  Of several variables of a name it takes the innermost one
 * that the code is in the scope of (DWARF 5 sections 3.5 and 4.1). */
#include "variable.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/nearest.h"
#include "lib/work.h"
#include "sym/dwarf/function.h"
#include "sym/dwarf/line.h"
#include "sym/dwarf/range.h"
#include "sym/dwarf/unit.h"
#include "sym/dwarf/unit_index.h"
#include "sym/dwarf/unit_places.h"

enum {
	DW_TAG_array_type = 0x01, DW_TAG_class_type, DW_TAG_enumeration_type = 0x04, DW_TAG_formal_parameter, DW_TAG_lexical_block = 0x0b,
	DW_TAG_member = 0x0d, DW_TAG_pointer_type = 0x0f, DW_TAG_reference_type, DW_TAG_structure_type = 0x13, DW_TAG_typedef = 0x16,
	DW_TAG_union_type, DW_TAG_inheritance = 0x1c, DW_TAG_inlined_subroutine, DW_TAG_base_type = 0x24, DW_TAG_catch_block,
	DW_TAG_const_type, DW_TAG_try_block = 0x32, DW_TAG_variable = 0x34, DW_TAG_volatile_type, DW_TAG_restrict_type = 0x37,
	DW_TAG_rvalue_reference_type = 0x42, DW_TAG_atomic_type = 0x47
};
enum { DW_ATE_boolean = 2, DW_ATE_signed = 5, DW_ATE_signed_char, DW_ATE_unsigned, DW_ATE_unsigned_char, DW_ATE_UTF = 0x10 };
enum { DW_OP_plus_uconst = 0x23, HOPS_MAX = 16, NEAR_MAX = 64, WORD_MAX = 64, PARTS_MAX = 8 };

struct search {
	const struct call_frame *frame;
	struct unit *unit;         /* whole */
	struct entry function;
	uint64_t pc;
	bool begins;
	char want[WORD_MAX];
	const char *near[NEAR_MAX + 1];
	uint32_t nnear;
	struct entry found;
	uint32_t depth;            /* of the found one; 0: none */
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool
wrong(struct search *q, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(q->why, q->size, fmt, ap);
	va_end(ap);
	return false;
}

/* There is no variable or member WANT among these N. */
static bool
none_named(struct search *q, const char *what, const char **names, uint32_t n)
{
	const char *near;
	size_t at;

	names[n] = NULL;
	near = nearest(q->want, names, "");
	wrong(q, near ? "there is no %s %s: did you mean %s?" : "there is no %s %s; there are:", what, q->want, near);
	for (uint32_t i = 0; !near && i < n && (at = strlen(q->why)) < q->size; i++)
		snprintf(q->why + at, q->size - at, " %s", names[i]);
	return false;
}

/* ---- scopes ---- */

/* The end of the entry's range that the code is in; 0: it is in none. */
static uint64_t
range_end(const struct search *q, const struct entry *e)
{
	struct range_reader r;
	struct die die;
	uint64_t lo, hi;

	if (die_open(e->unit, e->off, &die))
		for (ranges_open(&r, e->unit, &die); ranges_next(&r, &lo, &hi);)
			if (lo <= q->pc && q->pc < hi)
				return hi;
	return 0;
}

/* Whether the code is in the scope of what is below this entry. */
static bool
is_around(const struct search *q, const struct entry *e)
{
	if (e->tag == DW_TAG_inlined_subroutine ? q->begins : e->tag != DW_TAG_lexical_block && e->tag != DW_TAG_try_block && e->tag != DW_TAG_catch_block)
		return false;
	return range_end(q, e) != 0;
}

static void
take(struct search *q, const struct entry *e, uint32_t depth)
{
	const char *name = entry_name(e);

	if (!name || !*name)
		return;
	if (q->nnear < NEAR_MAX)
		q->near[q->nnear++] = name;
	if (depth > q->depth && !strcmp(name, q->want)) {
		q->found = *e;
		q->depth = depth;
	}
}

static void
look(struct search *q)
{
	uint64_t at = q->function.behind;
	uint32_t depth = 1, outside = UINT32_MAX;   /* entries deeper than OUTSIDE are of another scope */
	struct entry e;

	while (q->function.children && depth && work_step(1) && entry_open(&e, q->unit, at)) {
		at = e.behind;
		if (!e.tag) {
			if (--depth <= outside)
				outside = UINT32_MAX;
			continue;
		}
		if (depth <= outside && (e.tag == DW_TAG_variable || e.tag == DW_TAG_formal_parameter))
			take(q, &e, depth);
		if (!e.children)
			continue;
		if (outside == UINT32_MAX && !is_around(q, &e))
			outside = depth;
		depth++;
	}
}

static bool
open_function(struct search *q)
{
	struct dwarf *d = dwarf_describing(q->frame->modules, q->frame->module);
	struct unit *u = d ? index_find(d, q->pc) : NULL;
	uint64_t off;

	q->unit = u ? unit_whole(u) : NULL;
	return (u && functions_entry(q->unit, q->pc, &off) && entry_open(&q->function, q->unit, off)) ||
	       wrong(q, "the file has no debug information about this code: compile it with -g, or install its debug file");
}

static bool
find_variable(struct search *q)
{
	look(q);
	return q->depth || none_named(q, "variable", q->near, q->nnear);
}

/* ---- types ---- */

/* Sets E to its type, without names and qualifiers. */
static bool
type_of(struct search *q, struct entry *e)
{
	struct entry from;

	for (unsigned i = 0; i < HOPS_MAX; i++) {
		from = *e;
		if (!entry_follow(&from, AT_TYPE, e) && (i || !entry_follow(&from, AT_ORIGIN, e)))
			return wrong(q, "prof cannot find the type of %s", q->want);
		switch (e->tag) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
		case DW_TAG_member:
			continue;
		}
		return true;
	}
	return wrong(q, "prof cannot find the type of %s", q->want);
}

static bool
is_pointer(const struct entry *t)
{
	return t->tag == DW_TAG_pointer_type;
}

static bool
is_reference(const struct entry *t)
{
	return t->tag == DW_TAG_reference_type || t->tag == DW_TAG_rvalue_reference_type;
}

static bool
is_whole(uint64_t encoding)
{
	return encoding == DW_ATE_boolean || (encoding >= DW_ATE_signed && encoding <= DW_ATE_unsigned_char) || encoding == DW_ATE_UTF;
}

static bool
has_members(const struct entry *t)
{
	return t->tag == DW_TAG_structure_type || t->tag == DW_TAG_class_type || t->tag == DW_TAG_union_type;
}

static bool
follow(struct search *q, struct location *l)
{
	return location_follow(l) || wrong(q, "there are too many pointers on the way to %s", q->want);
}

/* ---- places ---- */

/* Whether a parameter of type T takes one register, on all machines but i686. */
static bool
takes_register(const struct entry *t)
{
	uint64_t encoding = t->at[AT_ENCODING].u, bytes = t->at[AT_BYTE_SIZE].u;

	if (is_pointer(t) || is_reference(t))
		return true;
	return (t->tag == DW_TAG_enumeration_type || (t->tag == DW_TAG_base_type && is_whole(encoding))) && bytes && bytes <= t->unit->address_size;
}

/* Whether the unit's language passes arguments as C does: C, C++, Rust; Go does not. */
static bool
passes_as_c(struct unit *u)
{
	const uint64_t they = UINT64_C(1) << 0x01 | 1 << 0x02 | 1 << 0x04 | 1 << 0x0c | 1 << 0x19 | 1 << 0x1a | 1 << 0x1c | 1 << 0x1d |
	                      UINT64_C(1) << 0x21 | UINT64_C(1) << 0x2a | UINT64_C(1) << 0x2b | UINT64_C(1) << 0x2c;
	struct entry root;

	return entry_open(&root, u, u->root) && entry_has(&root, AT_LANGUAGE) && root.at[AT_LANGUAGE].u < 64 && they >> root.at[AT_LANGUAGE].u & 1;
}

/* Whether what the function returns takes one register, or nothing: else the caller may pass where it goes before all arguments. */
static bool
returns_plainly(struct search *q)
{
	struct entry e = q->function, from;

	for (unsigned i = 0; i < HOPS_MAX && !entry_has(&e, AT_TYPE); i++) {
		from = e;
		if (!entry_has(&from, AT_ORIGIN) && !entry_has(&from, AT_SPECIFICATION))
			return true;
		if (!entry_follow(&from, AT_ORIGIN, &e) && !entry_follow(&from, AT_SPECIFICATION, &e))
			return false;
	}
	return type_of(q, &e) && takes_register(&e);
}

/* Which of the function's arguments the found parameter is, if all before it, too, are in a register each by the machine's calling
 * convention; 0: prof cannot tell.  In a function with a place on the stack for each parameter the compiler has changed nothing. */
static unsigned
argument_number(struct search *q)
{
	unsigned most = q->frame->module->elf.machine == EM_386 ? 0 : q->frame->module->elf.machine == EM_ARM ? 4 : 6, n = 0, number = 0;
	uint64_t at = q->function.behind;
	struct entry e, type;
	bool plain = returns_plainly(q);

	for (uint32_t depth = q->function.children; depth && work_step(1) && entry_open(&e, q->unit, at); depth += e.children) {
		at = e.behind;
		depth -= !e.tag;
		if (depth != 1 || e.tag != DW_TAG_formal_parameter)
			continue;
		type = e;
		plain = plain && type_of(q, &type) && takes_register(&type);
		n++;
		if (!e.block[AT_LOCATION].pos)
			return 0;
		if (plain && n <= most && e.off == q->found.off)
			number = n;
	}
	return number;
}

static bool
locate(struct search *q, struct location *l)
{
	unsigned number;

	uint64_t behind;
	const char *why = location_of(&q->found, &q->function, q->pc, q->frame, l);

	if (!why && q->begins && l->entered && q->depth == 1 && passes_as_c(q->unit) && (number = argument_number(q))) {
		*l = (struct location){ .reg = number, .argument = true, .in_register = true };
		return true;
	}
	if (!why && q->begins && l->entered) {
		if (!lines_row_after(q->unit, q->pc, range_end(q, &q->function), &behind))
			return wrong(q, "%s is not there yet at the function's first instruction: set the probe at a line", q->want);
		q->pc = behind;
		why = location_of(&q->found, &q->function, q->pc, q->frame, l);
	}
	return why ? wrong(q, "prof cannot tell where %s is: %s", q->want, why) : true;
}

/* ---- members ---- */

/* Where a member begins; false: prof cannot tell (virtual base classes). */
static bool
member_offset(const struct entry *m, int64_t *off)
{
	struct cursor c = m->block[AT_MEMBER];

	*off = 0;
	if (!entry_has(m, AT_MEMBER))
		return true;
	if (!c.pos)
		*off = (int64_t)m->at[AT_MEMBER].u;
	else if (cur_u8(&c) == DW_OP_plus_uconst)
		*off = (int64_t)cur_uleb(&c);
	else
		return false;
	return !c.bad && !cur_left(&c);
}

/* Static members are variables since DWARF 5 (section 5.7.7). */
static bool
is_static(const struct entry *m)
{
	return m->tag == DW_TAG_variable || (m->tag == DW_TAG_member && entry_has(m, AT_DECLARATION));
}

/* The places where a member may be: the struct itself, then those without a name in it, and its base classes. */
struct part {
	struct unit *unit;
	uint64_t off;
	int64_t at;
};

/* Sets E, a struct, to its member WANT, and adds where that begins. */
static bool
find_member(struct search *q, struct entry *e, struct location *l)
{
	struct part part[PARTS_MAX] = { { e->unit, e->off, 0 } };
	const char *near[NEAR_MAX + 1], *name;
	uint32_t n = 1, nnear = 0, depth;
	struct entry t;
	int64_t off;

	if (entry_has(e, AT_DECLARATION))
		return wrong(q, "the struct that has %s is described elsewhere", q->want);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = entry_open(e, part[i].unit, part[i].off) ? e->behind : UINT64_MAX;

		for (depth = e->children; depth && work_step(1) && entry_open(e, part[i].unit, at); at = e->behind) {
			depth -= !e->tag;
			if (depth == 1 && (is_static(e) || e->tag == DW_TAG_member || e->tag == DW_TAG_inheritance) && member_offset(e, &off)) {
				name = e->tag != DW_TAG_inheritance ? value_string(e->unit, &e->at[AT_NAME]) : NULL;
				off = (int64_t)((uint64_t)part[i].at + (uint64_t)off);
				if (name && !strcmp(name, q->want)) {
					if (is_static(e))
						return wrong(q, "%s is a static member: it is not in the struct", q->want);
					l->add = (int64_t)((uint64_t)l->add + (uint64_t)off);
					return entry_has(e, AT_BIT_SIZE) ? wrong(q, "%s is a bit field", q->want) : true;
				}
				if (name && nnear < NEAR_MAX)
					near[nnear++] = name;
				t = *e;
				if (!name && !is_static(e) && n < PARTS_MAX && type_of(q, &t))
					part[n++] = (struct part){ t.unit, t.off, off };
			}
			depth += e->children;
		}
	}
	return none_named(q, "member", near, nnear);
}

/* Whether numbers of type T may be below zero. */
static bool
is_signed(struct search *q, const struct entry *t)
{
	struct entry e = *t;

	if (t->tag == DW_TAG_enumeration_type && !entry_has(t, AT_ENCODING) && !type_of(q, &e))
		return true;
	return e.at[AT_ENCODING].u == DW_ATE_signed || e.at[AT_ENCODING].u == DW_ATE_signed_char;
}

/* The form of a value of type T as perf writes it, or NULL, with WHY. */
static bool
form_of(struct search *q, const struct entry *t, char *form, size_t size)
{
	uint64_t encoding = t->at[AT_ENCODING].u, bytes = t->at[AT_BYTE_SIZE].u;
	char letter = is_signed(q, t) ? 's' : 'u';

	if (is_pointer(t)) {
		letter = 'x';
		bytes = t->unit->address_size;
	} else if (has_members(t)) {
		return wrong(q, "%s is a struct: name a member, as in %s.x", q->want, q->want);
	} else if (t->tag == DW_TAG_base_type && !is_whole(encoding)) {
		return wrong(q, "%s is a floating-point number, which prof does not show", q->want);
	} else if (t->tag != DW_TAG_base_type && t->tag != DW_TAG_enumeration_type) {
		return wrong(q, "%s is neither a number nor a pointer%s", q->want, t->tag == DW_TAG_array_type ? ", but an array; :string shows text" : "");
	}
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return wrong(q, "%s has %llu bytes: prof shows 1, 2, 4 or 8", q->want, (unsigned long long)bytes);
	snprintf(form, size, ":%c%u", letter, (unsigned)bytes * 8);
	return true;
}

/* ---- words ---- */

/* Takes the next word of a path off *P. */
static bool
next_word(struct search *q, const char **p)
{
	size_t n = strcspn(*p, "-.:");

	if (!n || n >= sizeof q->want)
		return wrong(q, "write a variable as NAME, NAME->MEMBER or NAME.MEMBER");
	memcpy(q->want, *p, n);
	q->want[n] = 0;
	*p += n;
	return true;
}

static void
write_words(const struct location *l, const char *form, char *words, size_t size)
{
	size_t n = 0;

	if (!l->in_register)
		n = (size_t)snprintf(words, size, "%+lld(", (long long)l->add);
	for (unsigned i = l->depth; i-- && n < size;)
		n += (size_t)snprintf(words + n, size - n, "%+lld(", (long long)l->off[i]);
	if (n < size)
		n += (size_t)snprintf(words + n, size - n, "%s%llu", l->argument ? "$arg" : "%#", (unsigned long long)l->reg);
	for (unsigned i = 0; i < l->depth + !l->in_register && n < size; i++)
		n += (size_t)snprintf(words + n, size - n, ")");
	if (n < size)
		snprintf(words + n, size - n, "%s", form);
}

static bool
find(struct search *q, const char *p, char *words, size_t size)
{
	struct location l;
	struct entry *t = &q->found;
	char form[16];
	bool text;

	if (!next_word(q, &p) || !open_function(q) || !find_variable(q) || !locate(q, &l) || !type_of(q, t))
		return false;
	while (*p && *p != ':') {
		p += p[0] == '-' && p[1] == '>' ? 2 : 1;
		if ((is_pointer(t) || is_reference(t)) && (!follow(q, &l) || !type_of(q, t)))
			return false;
		if (!has_members(t))
			return wrong(q, "%s is neither a struct nor a pointer to one", q->want);
		if (!next_word(q, &p) || !find_member(q, t, &l) || !type_of(q, t))
			return false;
		if (l.in_register)
			return wrong(q, "%s is in a register with others", q->want);
	}
	if (is_reference(t) && (!follow(q, &l) || !type_of(q, t)))
		return false;
	text = !strcmp(p, ":string");
	if (text && t->tag != DW_TAG_array_type && (!is_pointer(t) || !follow(q, &l)))
		return wrong(q, "%s is not a pointer to text", q->want);
	if (!*p && !form_of(q, t, form, sizeof form))
		return false;
	write_words(&l, *p ? p : form, words, size);
	return true;
}

bool
variable_find(const struct call_frame *frame, const char *variable, bool begins, uint64_t *pc, char *words, size_t nwords, char *why, size_t nwhy)
{
	struct search q = { .frame = frame, .pc = *pc, .begins = begins, .why = why, .size = nwhy };
	bool good = find(&q, variable, words, nwords);

	*pc = q.pc;
	return good;
}
