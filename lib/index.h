/* A hash index over items that live elsewhere: it holds their numbers and hashes, the caller compares.
 *
 *     for (slot = index_first(ix, h); (i = index_at(ix, slot)) != INDEX_NONE; slot = index_next(ix, slot))
 *             if (item[i] is it) return i;
 *     index_add(ix, h, i); */
#ifndef LIB_INDEX_H
#define LIB_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index {
	uint64_t *slot;          /* hash, and below it number + 1; or 0: all zero is an empty index */
	uint32_t mask, cap, used;
};

/* From SLOT on, the first that has this hash, or that is free. */
static inline uint32_t
index_seek(const struct index *ix, uint32_t slot, uint32_t hash)
{
	while (ix->slot[slot] && ix->slot[slot] >> 32 != hash)
		slot = (slot + 1) & ix->mask;
	return slot;
}

/* Asks for the memory where a search for HASH will begin. */
__attribute__((always_inline)) static inline void
index_ahead(const struct index *ix, uint32_t hash)
{
	if (ix->slot)
		__builtin_prefetch(&ix->slot[hash & ix->mask]);
}

static inline uint32_t
index_first(const struct index *ix, uint32_t hash)
{
	return ix->slot ? index_seek(ix, hash & ix->mask, hash) : 0;
}

static inline uint32_t
index_at(const struct index *ix, uint32_t slot)
{
	return ix->slot && ix->slot[slot] ? (uint32_t)ix->slot[slot] - 1 : INDEX_NONE;
}

static inline uint32_t
index_next(const struct index *ix, uint32_t slot)
{
	return index_seek(ix, (slot + 1) & ix->mask, (uint32_t)(ix->slot[slot] >> 32));
}

/* Adds ITEM, which is not in it yet, under HASH.  False at the memory cap, and nothing has changed. */
bool index_add(struct index *, uint32_t hash, uint32_t item);
void index_free(struct index *);

static inline uint32_t
hash_u64(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(v >> 32 ^ v >> 15);
}

uint32_t hash_bytes(const void *, size_t n);
uint32_t hash_str(const char *);

#endif
