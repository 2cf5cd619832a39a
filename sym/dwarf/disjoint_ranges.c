/* See disjoint_ranges.h. */
#include "disjoint_ranges.h"

#include "lib/sort.h"

bool
disjoint_add(struct disjoint_ranges *s, uint64_t lo, uint64_t hi, uint64_t what)
{
	if (lo >= hi)
		return true;
	if (!vec_room(&s->span, &s->cap, (uint64_t)s->n + 1, sizeof *s->span))
		return false;
	s->span[s->n++] = (struct disjoint_range){ lo, hi, what };
	return true;
}

void
disjoint_free(struct disjoint_ranges *s)
{
	vec_free(&s->span, &s->cap, sizeof *s->span);
	s->n = 0;
}

const struct disjoint_range *
disjoint_find(const struct disjoint_range *span, uint32_t n, uint64_t addr)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (span[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && span[lo].lo <= addr ? &span[lo] : NULL;
}

/* A heap, with the winner on top: the spans that hold the sweep's position, and ended spans that have not yet come to the
 * top. */
struct active {
	const struct disjoint_range *span;
	uint32_t *heap;
	uint32_t n;
	bool largest;
};

static bool
beats(const struct active *a, uint32_t x, uint32_t y)
{
	return a->largest ? a->span[x].what > a->span[y].what : a->span[x].what < a->span[y].what;
}

static void
push(struct active *a, uint32_t item)
{
	uint32_t i = a->n++;

	for (; i && beats(a, item, a->heap[(i - 1) / 2]); i = (i - 1) / 2)
		a->heap[i] = a->heap[(i - 1) / 2];
	a->heap[i] = item;
}

static void
pop(struct active *a)
{
	uint32_t last = a->heap[--a->n], i = 0;

	for (uint32_t kid = 1; kid < a->n; kid = 2 * i + 1) {
		if (kid + 1 < a->n && beats(a, a->heap[kid + 1], a->heap[kid]))
			kid++;
		if (!beats(a, a->heap[kid], last))
			break;
		a->heap[i] = a->heap[kid];
		i = kid;
	}
	a->heap[i] = last;
}

/* [LO, HI) belongs to the winner, if there is one. */
static bool
emit(struct disjoint_ranges *out, struct active *a, uint64_t lo, uint64_t hi)
{
	const struct disjoint_range *s;

	while (a->n && a->span[a->heap[0]].hi <= lo)
		pop(a);
	if (!a->n || lo == hi)
		return true;
	s = &a->span[a->heap[0]];
	if (out->n && out->span[out->n - 1].hi == lo && out->span[out->n - 1].what == s->what) {
		out->span[out->n - 1].hi = hi;
		return true;
	}
	return disjoint_add(out, lo, hi, s->what);
}

/* EVENT: the places where spans begin (B 1) and end, sorted. */
static bool
sweep(struct disjoint_ranges *out, struct active *a, const struct item *event, uint32_t n)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!emit(out, a, at, event[i].key))
			return false;
		at = event[i].key;
		if (event[i].b)
			push(a, event[i].a);
	}
	return true;
}

static bool
in_order(const struct disjoint_ranges *s)
{
	for (uint32_t i = 1; i < s->n; i++)
		if (s->span[i].lo < s->span[i - 1].hi)
			return false;
	return true;
}

bool
disjoint_settle(struct disjoint_ranges *s, bool largest)
{
	struct disjoint_ranges out = { 0 };
	struct active a = { .span = s->span, .largest = largest };
	struct item *event = NULL;
	uint32_t cap = 0, heap = 0;
	bool good = true;

	if (in_order(s))
		return true;
	good = s->n < UINT32_MAX / 2 && vec_room(&event, &cap, 2 * (uint64_t)s->n, sizeof *event) &&
	       vec_room(&a.heap, &heap, s->n, sizeof *a.heap);
	for (uint32_t i = 0; good && i < s->n; i++) {
		event[2 * i] = (struct item){ s->span[i].lo, i, 1 };
		event[2 * i + 1] = (struct item){ s->span[i].hi, i, 0 };
	}
	good = good && sort_items(event, 2 * s->n) && sweep(&out, &a, event, 2 * s->n);
	vec_free(&event, &cap, sizeof *event);
	vec_free(&a.heap, &heap, sizeof *a.heap);
	disjoint_free(s);
	if (good)
		*s = out;
	else
		disjoint_free(&out);
	return good;
}
