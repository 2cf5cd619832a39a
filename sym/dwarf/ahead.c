/* Many addresses at once, unit by unit: first their places, and what the entries of their functions say; then what the entries
 * say that those are made from, in the order of .debug_info.  So prof reads .debug_info forwards; it may be compressed. */
#include "ahead.h"

#include <string.h>

#include "lib/index.h"
#include "lib/sort.h"
#include "unit_places.h"
#include "unit.h"
#include "unit_index.h"

struct ahead {
	const struct dwarf *dwarf;
	struct item *answer;       /* sorted by address; A: its first place, B: how many */
	struct place *place;
	uint32_t n;
};

/* An entry of a function, and what is declared of it so far; the entry that says more, or 0. */
struct known {
	uint64_t entry, then;
	struct declared declared;
};

/* The addresses that are being looked up. */
struct asking {
	struct dwarf *dwarf;
	struct item *answer;
	struct place *place;
	uint32_t *of;              /* of each place, its number among KNOWN + 1, or 0 */
	struct known *known;
	struct index index;        /* of these, by entry */
	uint32_t n, cap, places, place_cap, of_cap, nknown, known_cap;
};

/* Copies a short name, which stands in .debug_info itself, so that prof need not read .debug_info again for it. */
static const char *
keep(struct dwarf *d, const char *name)
{
	struct cursor info = dwarf_section(d, INFO);
	uintptr_t at = (uintptr_t)name;

	if (at < (uintptr_t)info.pos || at >= (uintptr_t)info.end)
		return name;
	return arena_str(&d->modules->arena, name, strlen(name));
}

/* Reads what the addresses need from the unit, and from other files. */
static void
follow(struct dwarf *d, struct known *k, struct die_at at)
{
	bool more;

	while ((more = function_step(&at, d, &k->declared)) && (at.unit || at.dwarf != d))
		;
	k->then = more ? at.off : 0;
	k->declared.name = keep(d, k->declared.name);
	k->declared.plain = keep(d, k->declared.plain);
}

/* The number of the entry + 1; 0: at the memory cap.  It reads a new entry at once if that is in U. */
static uint32_t
know(struct asking *a, struct unit *u, uint64_t entry)
{
	uint32_t slot, i, hash = hash_u64(entry);
	struct known *k;

	for (slot = index_first(&a->index, hash); (i = index_at(&a->index, slot)) != INDEX_NONE; slot = index_next(&a->index, slot))
		if (a->known[i].entry == entry)
			return i + 1;
	if (!vec_room(&a->known, &a->known_cap, (uint64_t)a->nknown + 1, sizeof *k))
		return 0;
	k = &a->known[a->nknown];
	*k = (struct known){ .entry = entry, .then = entry };
	if (!index_add(&a->index, hash, a->nknown))
		return 0;
	if (entry >= u->root && entry < u->end)
		follow(a->dwarf, k, (struct die_at){ u->dwarf, u, entry });
	return ++a->nknown;
}

/* False at the memory cap. */
static bool
answer(struct asking *a, struct unit *u, uint64_t addr)
{
	struct place *place;
	uint64_t die[FRAMES_MAX];
	unsigned n;

	if (!vec_room(&a->answer, &a->cap, (uint64_t)a->n + 1, sizeof *a->answer) ||
	    !vec_room(&a->place, &a->place_cap, (uint64_t)a->places + FRAMES_MAX, sizeof *a->place) ||
	    !vec_room(&a->of, &a->of_cap, (uint64_t)a->places + FRAMES_MAX, sizeof *a->of))
		return false;
	place = a->place + a->places;
	n = unit_places_find(u, addr, place, FRAMES_MAX, die);
	for (unsigned i = 0; i < n; i++)
		if ((a->of[a->places + i] = die[i] ? know(a, u, die[i]) : 0) == 0 && die[i])
			return false;
	a->answer[a->n++] = (struct item){ addr, a->places, n };
	a->places += n;
	return true;
}

/* Sorts the N addresses by unit; the place of its header, or its slot, stands for the unit.  Returns how many addresses are
 * in no unit. */
static uint32_t
ask_units(struct asking *a, const uint64_t *addr, struct item *item, uint32_t n, bool slots)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot;
		struct unit *u;

		dwarf_tidy(a->dwarf);
		slot = slots ? (uint32_t)item[i].key : item[i].key == UINT64_MAX ? UINT32_MAX : slot_of(a->dwarf, item[i].key);
		if (slot >= a->dwarf->nslot)
			item[left++] = item[i];
		else if ((u = unit_open(a->dwarf, slot)) && unit_whole(u) == u && !answer(a, u, addr[item[i].a]))
			return 0;
	}
	return left;
}

/* Reads what entries of other units say, until no entry refers to another one.  False at the memory cap. */
static bool
read_others(struct asking *a)
{
	struct item *next = NULL;
	uint32_t cap = 0, n;
	bool good = vec_room(&next, &cap, a->nknown, sizeof *next);

	do {
		n = 0;
		for (uint32_t i = 0; good && i < a->nknown; i++)
			if (a->known[i].then)
				next[n++] = (struct item){ a->known[i].then, i, 0 };
		good = good && sort_items(next, n);
		for (uint32_t i = 0; good && i < n; i++) {
			dwarf_tidy(a->dwarf);
			follow(a->dwarf, &a->known[next[i].a], (struct die_at){ a->dwarf, NULL, next[i].key });
		}
	} while (good && n);
	vec_free(&next, &cap, sizeof *next);
	return good;
}

/* Works in the order of units.  First come the units that .debug_aranges names, and those that they lead to; this finds the
 * others on the way.  False at the memory cap. */
static bool
ask(struct asking *a, const uint64_t *addr, uint32_t n)
{
	struct item *item = NULL;
	uint32_t cap = 0;
	bool good;

	if (!vec_room(&item, &cap, n, sizeof *item))
		return false;
	for (uint32_t i = 0; i < n; i++)
		item[i] = (struct item){ index_told(a->dwarf, addr[i]), i, 0 };
	good = sort_items(item, n);
	n = good ? ask_units(a, addr, item, n, false) : 0;
	good = good && read_others(a);
	for (uint32_t i = 0; good && i < n; i++)
		item[i].key = index_slot(a->dwarf, addr[item[i].a]);
	if (good && sort_items(item, n))
		ask_units(a, addr, item, n, true);
	vec_free(&item, &cap, sizeof *item);
	return good && read_others(a);
}

/* Adds the declarations.  So far only the outermost function of an address has a START. */
static void
declare(struct asking *a)
{
	for (uint32_t i = 0; i < a->places; i++)
		if (a->of[i])
			place_declare(&a->place[i], &a->known[a->of[i] - 1].declared, a->place[i].start);
}

void
ahead_forget(struct dwarf_cache *c)
{
	arena_free(&c->answers);
	c->ahead = NULL;
}

/* Keeps the answers; they replace the last ones. */
static void
keep_answers(struct dwarf_cache *c, const struct asking *a)
{
	struct ahead *to;

	ahead_forget(c);
	if (!a->n || !(to = arena_alloc(&c->answers, sizeof *to)) ||
	    !(to->answer = arena_alloc(&c->answers, a->n * sizeof *to->answer)) ||
	    !(to->place = arena_alloc(&c->answers, a->places * sizeof *to->place)))
		return;
	to->dwarf = a->dwarf;
	to->n = a->n;
	memcpy(to->answer, a->answer, a->n * sizeof *to->answer);
	if (a->places)
		memcpy(to->place, a->place, a->places * sizeof *to->place);
	c->ahead = to;
}

void
ahead_ask(struct dwarf *d, const uint64_t *vaddr, uint32_t n)
{
	struct asking a = { .dwarf = d };

	if (ask(&a, vaddr, n) && sort_items(a.answer, a.n)) {
		declare(&a);
		keep_answers(d->cache, &a);
	}
	vec_free(&a.answer, &a.cap, sizeof *a.answer);
	vec_free(&a.place, &a.place_cap, sizeof *a.place);
	vec_free(&a.of, &a.of_cap, sizeof *a.of);
	vec_free(&a.known, &a.known_cap, sizeof *a.known);
	index_free(&a.index);
}

bool
ahead_find(const struct dwarf *d, uint64_t addr, struct place *out, unsigned max, unsigned *n)
{
	const struct ahead *a = d->cache->ahead;
	uint32_t lo = 0, hi = a && a->dwarf == d ? a->n : 0, end = hi;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (a->answer[mid].key < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == end || a->answer[lo].key != addr)
		return false;
	*n = a->answer[lo].b < max ? a->answer[lo].b : max;
	memcpy(out, a->place + a->answer[lo].a, *n * sizeof *out);
	return true;
}
