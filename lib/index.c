/* See index.h.  Open addressing, linear probing, at most three quarters full.  The hash stands in the slot, so the index grows
 * without a look at the items: with millions, each look would wait for memory. */
#include "index.h"
#include "mem.h"

#include <string.h>

static void
place(struct index *ix, uint64_t entry)
{
	uint32_t slot = (uint32_t)(entry >> 32) & ix->mask;

	while (ix->slot[slot])
		slot = (slot + 1) & ix->mask;
	ix->slot[slot] = entry;
}

bool
index_add(struct index *ix, uint32_t hash, uint32_t item)
{
	if (item == INDEX_NONE)
		return false;
	if (!ix->slot || ix->used >= ix->cap / 4 * 3) {
		struct index bigger = { .used = ix->used };

		if (!vec_room(&bigger.slot, &bigger.cap, ix->slot ? (uint64_t)ix->cap * 2 : 64, sizeof *bigger.slot))
			return false;
		bigger.mask = bigger.cap - 1;
		for (uint32_t i = 0; i < ix->cap; i++)
			if (ix->slot[i])
				place(&bigger, ix->slot[i]);
		vec_free(&ix->slot, &ix->cap, sizeof *ix->slot);
		*ix = bigger;
	}
	place(ix, (uint64_t)hash << 32 | (item + 1));
	ix->used++;
	return true;
}

void
index_free(struct index *ix)
{
	vec_free(&ix->slot, &ix->cap, sizeof *ix->slot);
	*ix = (struct index){ 0 };
}

uint32_t
hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325u ^ n, word;

	for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
		memcpy(&word, p, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	for (; n; n--)
		h = (h ^ *p++) * 0x100000001b3u;
	return hash_u64(h);
}

uint32_t
hash_str(const char *s)
{
	return hash_bytes(s, strlen(s));
}
