/* The name of a function, and the place of its declaration.  If the function's entry does not say it, another entry does: the one
 * that it was made from, or that declares it (DWARF 5 sections 2.13.2 and 3.3.8). */
#include "declared.h"

#include "line.h"
#include "unit.h"

enum { HOPS_MAX = 16 };   /* from a function's entry to the one that names it */

/* The entry that DIE of U adds to: the one that it is inlined or made from, or that declares it. */
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
