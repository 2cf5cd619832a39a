/* A hash index over items that live elsewhere: it holds their numbers, the caller compares.
 *
 *     for (slot = index_first(ix, h); (i = index_at(ix, slot)) != INDEX_NONE; slot = index_next(ix, slot))
 *             if (item[i] is it) return i;
 *     index_add(ix, h, i, hash_again, items); */
#ifndef LIB_INDEX_H
#define LIB_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index {
	uint32_t *slot;          /* number + 1, or 0; all zero is an empty index */
	uint32_t mask, cap, used;
};

static inline uint32_t
index_first(const struct index *ix, uint32_t hash)
{
	return hash & ix->mask;
}

static inline uint32_t
index_at(const struct index *ix, uint32_t slot)
{
	return ix->slot ? ix->slot[slot] - 1 : INDEX_NONE;
}

static inline uint32_t
index_next(const struct index *ix, uint32_t slot)
{
	return (slot + 1) & ix->mask;
}

/* Adds ITEM, which is not in it yet, under HASH.  AGAIN gives the hash of an item that is, for when the index
 * grows.  False at the memory cap, and nothing has changed. */
bool index_add(struct index *, uint32_t hash, uint32_t item,
               uint32_t (*again)(const void *ctx, uint32_t item), const void *ctx);
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
