/* See sort.h.  Least significant digit first; digits that are the same in all keys cost nothing. */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 64 };
enum { MANY = 1024, PARTS_MOST = 64 };   /* smaller groups are compared, not sorted by key; parts of keys that count */

static bool
sorted(const struct item *item, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (item[i].key < item[i - 1].key)
			return false;
	return true;
}

static void
pass(struct item *to, const struct item *from, uint32_t n, unsigned shift)
{
	uint32_t place[DIGITS] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		place[from[i].key >> shift & (DIGITS - 1)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		uint32_t count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts few items by insertion, which is faster than a look at all digits. */
static void
insert(struct item *item, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct item it = item[i];
		uint32_t at = i;

		for (; at && item[at - 1].key > it.key; at--)
			item[at] = item[at - 1];
		item[at] = it;
	}
}

/* As sort_items; OTHER is room that the caller keeps. */
static bool
sort_in(struct item *item, uint32_t n, struct item **other, uint32_t *cap)
{
	struct item *from = item;
	uint64_t differ = 0;

	if (n <= FEW) {
		insert(item, n);
		return true;
	}
	if (sorted(item, n))
		return true;
	if (!vec_room(other, cap, n, sizeof **other))
		return false;
	for (uint32_t i = 1; i < n; i++)
		differ |= item[i].key ^ item[0].key;
	for (unsigned shift = 0; shift < 64; shift += BITS)
		if (differ >> shift & (DIGITS - 1)) {
			pass(from == item ? *other : item, from, n, shift);
			from = from == item ? *other : item;
		}
	if (from != item)
		memcpy(item, from, n * sizeof *item);
	return true;
}

bool
sort_items(struct item *item, uint32_t n)
{
	struct item *other = NULL;
	uint32_t cap = 0;
	bool good = sort_in(item, n, &other, &cap);

	vec_free(&other, &cap, sizeof *other);
	return good;
}

uint32_t
sort_upto(const struct item *item, uint32_t n, uint64_t key)
{
	uint32_t lo = 0;

	while (lo < n) {
		uint32_t mid = lo + (n - lo) / 2;

		if (item[mid].key <= key)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

uint64_t
sort_key(const char *s, uint32_t part)
{
	size_t at = (size_t)part * 8;
	uint64_t key = 0;

	s += strnlen(s, at) < at ? strlen(s) : at;
	for (unsigned shift = 64; shift && *s; s++)
		key |= (uint64_t)(unsigned char)*s << (shift -= 8);
	return key;
}

/* Sorts N numbers by merging runs, twice as long each time; ROOM has place for as many. */
static void
merge(uint32_t *number, uint32_t n, uint32_t *room, int (*compare)(const void *, const void *, void *), void *ctx)
{
	uint32_t *from = number, *to = room;

	for (uint64_t run = 1; run < n; run *= 2) {
		for (uint64_t lo = 0; lo < n; lo += 2 * run) {
			uint64_t mid = lo + run < n ? lo + run : n, hi = lo + 2 * run < n ? lo + 2 * run : n, a = lo, b = mid;

			for (uint64_t at = lo; at < hi; at++)
				to[at] = b == hi || (a < mid && compare(&from[a], &from[b], ctx) <= 0) ? from[a++] : from[b++];
		}
		from = to;
		to = to == room ? number : room;
	}
	if (from != number)
		memcpy(number, from, n * sizeof *number);
}

struct numbers {
	void (*keys)(const void *ctx, struct item *, uint32_t n, uint32_t part);
	int (*compare)(const void *, const void *, void *ctx);
	void *ctx;
	struct item *item;         /* a: the number; b: whether a group begins here */
	uint32_t *room;            /* for the numbers of a group, twice */
	struct item *other;        /* for the items of a group */
	uint32_t n, room_cap, other_cap;
};

/* Sorts the group [lo, hi) by comparing: then each number is a group.  False at the memory cap. */
static bool
sort_few(struct numbers *s, uint32_t lo, uint32_t hi)
{
	uint32_t n = hi - lo;

	if (!vec_room(&s->room, &s->room_cap, 2 * (uint64_t)n, sizeof *s->room))
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->room[i] = s->item[lo + i].a;
	merge(s->room, n, s->room + n, s->compare, s->ctx);
	for (uint32_t i = 0; i < n; i++)
		s->item[lo + i] = (struct item){ 0, s->room[i], 1 };
	return true;
}

/* Sorts the group by its keys' part: equal keys are a group.  False at the memory cap. */
static bool
sort_part(struct numbers *s, uint32_t lo, uint32_t hi, uint32_t part)
{
	s->keys(s->ctx, s->item + lo, hi - lo, part);
	if (!sort_in(s->item + lo, hi - lo, &s->other, &s->other_cap))
		return false;
	for (uint32_t i = lo; i < hi; i++)
		s->item[i].b = i == lo || s->item[i].key != s->item[i - 1].key;
	return true;
}

static bool
sort_groups(struct numbers *s)
{
	bool more = s->n > 1;

	for (uint32_t part = 0; more; part++) {
		more = false;
		for (uint32_t lo = 0, hi; lo < s->n; lo = hi) {
			bool few;

			for (hi = lo + 1; hi < s->n && !s->item[hi].b; hi++)
				;
			if (hi - lo == 1)
				continue;
			few = part && (hi - lo < MANY || !s->item[lo].key || part == PARTS_MOST);
			if (!(few ? sort_few(s, lo, hi) : sort_part(s, lo, hi, part)))
				return false;
			more |= !few;
		}
	}
	return true;
}

void
sort_numbers(uint32_t *number, uint32_t n, void (*keys)(const void *ctx, struct item *, uint32_t n, uint32_t part),
             int (*compare)(const void *, const void *, void *ctx), const void *ctx)
{
	struct numbers s = { .keys = keys, .compare = compare, .ctx = (void *)(uintptr_t)ctx, .n = n };
	uint32_t cap = 0;
	bool good = vec_room(&s.item, &cap, n, sizeof *s.item);

	for (uint32_t i = 0; good && i < n; i++)
		s.item[i].a = number[i];
	if (good && sort_groups(&s)) {
		for (uint32_t i = 0; i < n; i++)
			number[i] = s.item[i].a;
	} else if (n) {
		qsort_r(number, n, sizeof *number, compare, s.ctx);
	}
	vec_free(&s.item, &cap, sizeof *s.item);
	vec_free(&s.room, &s.room_cap, sizeof *s.room);
	vec_free(&s.other, &s.other_cap, sizeof *s.other);
}

static const char *const *
text_at(const void *first, size_t each, uint32_t number)
{
	return (const char *const *)((const char *)first + number * each);
}

void
sort_text_keys(struct item *item, uint32_t n, uint32_t part, const void *first, size_t each)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i + 2 * SORT_AHEAD < n)
			__builtin_prefetch(text_at(first, each, item[i + 2 * SORT_AHEAD].a));
		if (i + SORT_AHEAD < n)
			__builtin_prefetch(*text_at(first, each, item[i + SORT_AHEAD].a) + (size_t)part * 8);
		item[i].key = sort_key(*text_at(first, each, item[i].a), part);
	}
}
