/* A hash table of numbers, four bytes each.  The numbers are of items that live elsewhere, and the caller compares.  A slot holds six bits of the
 * hash beside the number, so that a search past other items seldom looks at them.  The table is at most four fifths full.
 *
 *     for (at = tags_first(t, h); tags_taken(t, at); at = tags_next(t, at))
 *             if (tags_like(t, at, h) && item[tags_number(t, at)] is it) return tags_number(t, at);
 *     tags_put(t, at, h, i); */
#ifndef LIB_TAGS_H
#define LIB_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "mem.h"

enum { TAG_SHIFT = 26, TAGS_MAX = (1 << TAG_SHIFT) - 1 /* numbers are less */ };

struct tags {
	uint32_t *slot, slots;   /* a vector; all zero is an empty table, which has no room */
};

/* The slot where a search begins: the hash's upper half, scaled to the table. */
static inline uint32_t
tags_first(const struct tags *t, uint64_t hash)
{
	return (uint32_t)((hash >> 32) * t->slots >> 32);
}

static inline uint32_t
tags_next(const struct tags *t, uint32_t at)
{
	return at + 1 == t->slots ? 0 : at + 1;
}

static inline bool
tags_taken(const struct tags *t, uint32_t at)
{
	return t->slot[at];
}

static inline bool
tags_like(const struct tags *t, uint32_t at, uint64_t hash)
{
	return !((t->slot[at] ^ (uint32_t)hash << TAG_SHIFT) >> TAG_SHIFT);
}

static inline uint32_t
tags_number(const struct tags *t, uint32_t at)
{
	return (t->slot[at] & TAGS_MAX) - 1;
}

/* Puts the number into a free slot where a search for it ended. */
static inline void
tags_put(struct tags *t, uint32_t at, uint64_t hash, uint32_t number)
{
	t->slot[at] = (uint32_t)hash << TAG_SHIFT | (number + 1);
}

static inline void
tags_place(struct tags *t, uint64_t hash, uint32_t number)
{
	uint32_t at = tags_first(t, hash);

	while (tags_taken(t, at))
		at = tags_next(t, at);
	tags_put(t, at, hash, number);
}

/* Whether no number fits beside N. */
static inline bool
tags_full(const struct tags *t, uint32_t n)
{
	return n >= t->slots - t->slots / 5;
}

/* An empty table for N numbers and a third more; false at the memory cap. */
static inline bool
tags_new(struct tags *t, uint32_t n)
{
	*t = (struct tags){ 0 };
	return vec_room(&t->slot, &t->slots, (uint64_t)n + n / 3 * 2 + 64, sizeof *t->slot);
}

static inline void
tags_free(struct tags *t)
{
	vec_free(&t->slot, &t->slots, sizeof *t->slot);
}

#endif
