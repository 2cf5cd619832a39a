/* See entry.h. */
#include "entry.h"

#include "unit.h"

enum { HOPS_MAX = 8 };   /* from an entry to the one that names it */

bool
entry_open(struct entry *e, struct unit *u, uint64_t off)
{
	const struct abbrevs *t = unit_abbrevs(u);
	struct cursor c = entries_from(u, off);
	uint64_t code = cur_uleb(&c);
	const struct abbrev *a = t && code ? abbrev_find(t, code) : NULL;

	*e = (struct entry){ .unit = u, .off = off };
	if (c.bad || (code && !a))
		return false;
	e->tag = a ? a->tag : 0;
	e->children = a && a->children;
	for (uint32_t i = 0; a && i < a->nspec; i++) {
		const struct spec *s = &t->spec[a->spec + i];

		if (!s->attr || !form_block(&c, s->form, &e->block[s->attr]))
			e->at[s->attr] = form_read(u, &c, s);
		e->has |= (uint32_t)1 << s->attr;
	}
	e->behind = entries_offset(u, &c);
	return !c.bad;
}

bool
entry_follow(const struct entry *e, enum attr at, struct entry *to)
{
	struct die_at there;

	if (!entry_has(e, at) || !value_die(e->unit, &e->at[at], &there))
		return false;
	if (!there.unit)
		there.unit = unit_at(there.dwarf, there.off);
	return there.unit && entry_open(to, there.unit, there.off) && to->tag;
}

const char *
entry_name(const struct entry *e)
{
	struct entry step[2];
	const char *name = NULL;

	for (unsigned i = 0; i < HOPS_MAX && !(name = value_string(e->unit, &e->at[AT_NAME])); i++) {
		if (!entry_follow(e, AT_ORIGIN, &step[i & 1]) && !entry_follow(e, AT_SPECIFICATION, &step[i & 1]))
			return NULL;
		e = &step[i & 1];
	}
	return name;
}
