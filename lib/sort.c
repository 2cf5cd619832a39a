/* See sort.h.  Least significant digit first; digits that are the same in all keys cost nothing. */
#include "sort.h"

#include <string.h>

#include "mem.h"

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 64 };

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

bool
sort_items(struct item *item, uint32_t n)
{
	struct item *other = NULL, *from = item;
	uint32_t cap = 0;
	uint64_t differ = 0;

	if (n <= FEW) {
		insert(item, n);
		return true;
	}
	if (sorted(item, n))
		return true;
	if (!vec_room(&other, &cap, n, sizeof *other))
		return false;
	for (uint32_t i = 1; i < n; i++)
		differ |= item[i].key ^ item[0].key;
	for (unsigned shift = 0; shift < 64; shift += BITS)
		if (differ >> shift & (DIGITS - 1)) {
			pass(from == item ? other : item, from, n, shift);
			from = from == item ? other : item;
		}
	if (from != item)
		memcpy(item, from, n * sizeof *item);
	vec_free(&other, &cap, sizeof *other);
	return true;
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
