/* The cache of entries: what the walk asks of each frame, answered in a few instructions.
 *
 * An entry tells which code lies at an address of a space, and its rule.  Two entries make a set, which is one cache line; the
 * newer one stands first.  An entry is found by its address and the epoch of its space.  A space gets another epoch whenever a
 * known address may mean something else there, so prof need never clear entries: it finds old ones no more, and they give way.
 *
 * prof keeps rules by code, too: a number of 16 bits each, because few rules differ.  So an entry that had to give way, or another
 * process that maps the same file, finds its rule again without a look at the file.  Rules of JIT code lie in entries alone,
 * because that code may become other code.
 *
 * If memory is full, an address has no code.  It then lies in the spare entry, and no walk goes on from there. */
#include "entry.h"

#include <string.h>

#include "sym/jit/jit.h"
#include "rule.h"

struct module *
entry_module(const struct unwinder *u, const struct entry *e, uint64_t *vaddr)
{
	const struct code *c = &u->codes->code[e->code];

	*vaddr = c->vaddr;
	return u->code.modules->module[c->module];
}

/* The rule's number + 1; 0 if there is no room for another rule. */
static uint16_t
rule_number(struct unwinder *u, const struct rule *r)
{
	uint32_t hash = hash_bytes(r, sizeof *r), slot, i;

	for (slot = index_first(&u->rule_index, hash); (i = index_at(&u->rule_index, slot)) != INDEX_NONE;
	     slot = index_next(&u->rule_index, slot))
		if (!memcmp(&u->rule[i], r, sizeof *r))
			return (uint16_t)(i + 1);
	if (u->rules == UINT16_MAX || !vec_room(&u->rule, &u->rules_cap, (uint64_t)u->rules + 1, sizeof *r))
		return 0;
	u->rule[u->rules] = *r;
	return index_add(&u->rule_index, hash, u->rules) ? (uint16_t)++u->rules : 0;
}

/* Keeps the rule by code, too; but not for JIT code, which may change with its space. */
static void
keep_rule(struct unwinder *u, const struct entry *e, const struct module *m)
{
	if (!code_is_live(&u->code, m, u->codes->code[e->code].vaddr) && e->rule.kind != RULE_LEFT && vec_room(&u->rule_of, &u->codes_ruled, u->codes->n, sizeof *u->rule_of) && e->code < u->codes_ruled)
		u->rule_of[e->code] = rule_number(u, &e->rule);
}

static struct rule
kept_rule(const struct unwinder *u, uint32_t code)
{
	uint16_t n = code < u->codes_ruled ? u->rule_of[code] : 0;

	return n ? u->rule[n - 1] : (struct rule){ .kind = RULE_NONE };
}

void
entry_set_rule(struct unwinder *u, struct entry *e, const struct rule *r)
{
	uint64_t vaddr;

	e->rule = *r;
	keep_rule(u, e, entry_module(u, e, &vaddr));
}

bool
entry_described(struct unwinder *u, struct entry *e)
{
	uint64_t vaddr;
	struct module *m;
	uint8_t known;   /* whether it follows a call */
	bool described;

	if (e->rule.kind && e->rule.kind != RULE_LEFT)
		return true;
	known = e->rule.flags;
	e->rule = kept_rule(u, e->code);
	if (e->rule.kind)
		return true;
	m = entry_module(u, e, &vaddr);
	described = rule_find(u, m, vaddr, &e->rule);
	e->rule.flags |= known;
	if (described)
		keep_rule(u, e, m);
	return described;
}

void
entry_rule(struct unwinder *u, struct entry *e)
{
	uint64_t vaddr;
	struct module *m;
	uint8_t known;

	if (entry_described(u, e))
		return;
	known = e->rule.flags;
	m = entry_module(u, e, &vaddr);
	rule_undescribed(u, m, vaddr, &e->rule);
	e->rule.flags |= known;
	keep_rule(u, e, m);
}

/* Makes room for a new entry, and returns it: the newest one of a set comes first. */
static struct entry *
make_room(struct unwinder *u, uint32_t epoch, uint64_t addr)
{
	struct set *s = entry_set(u, epoch, addr);

	s->way[1] = s->way[0];
	return &s->way[0];
}

static struct entry *
fill_from(struct unwinder *u, struct space *space, const struct map *map, uint64_t addr)
{
	uint32_t code, known = u->codes->n;
	struct entry *e;

	if (!map || !map->exec)
		return NULL;
	map->module->met = true;
	code = code_intern(u->codes, map->module->id, addr - map->bias);
	e = code == CODE_UNKNOWN ? &u->spare : make_room(u, space->epoch, addr);
	*e = (struct entry){ .addr = addr, .epoch = space->epoch, .code = code, .rule = kept_rule(u, code) };
	if (map->module->kind == MODULE_JIT && code == known)
		jit_ran(map->module, u->codes->code[code].vaddr);
	if (code == CODE_UNKNOWN)   /* memory is full: no walk goes on here */
		e->rule.kind = RULE_LOST;
	return e;
}

struct entry *
entry_fill(struct unwinder *u, struct space *space, uint64_t addr)
{
	return fill_from(u, space, space_find(space, addr), addr);
}

struct entry *
entry_probe(struct unwinder *u, struct space *space, uint64_t addr)
{
	const struct entry *way;
	bool known;

	if (!space_may_execute(space, addr))
		return NULL;
	way = entry_set(u, space->epoch, addr)->way;
	known = (way[0].addr == addr && way[0].epoch == space->epoch) || (way[1].addr == addr && way[1].epoch == space->epoch);
	return known || space_executes(space, addr) ? entry_find(u, space, addr) : NULL;
}

/* If prof cannot read the code, it believes the address. */
static bool
follows_call(struct unwinder *u, const struct entry *e)
{
	uint64_t vaddr;
	struct module *m = entry_module(u, e, &vaddr);
	struct cursor c = code_bytes(&u->code, m, vaddr);

	return !u->code.arch->after_call || (!cur_left(&c) && (m->bad || module_is_live(m))) || code_after_call(&u->code, m, vaddr + 1);
}

bool
entry_after_call(struct unwinder *u, struct entry *e)
{
	uint64_t vaddr;

	if (e == &u->spare)
		return false;
	if (!(e->rule.flags & RULE_AFTER_CALL)) {
		if (!follows_call(u, e))
			return false;
		e->rule.flags |= RULE_AFTER_CALL;
		keep_rule(u, e, entry_module(u, e, &vaddr));
	}
	return true;
}
