/* See index.h.  Open addressing, linear probing, at most three quarters full. */
#include "index.h"
#include "mem.h"

#include <string.h>

static void
place(struct index *ix, uint32_t hash, uint32_t item)
{
	uint32_t slot = index_first(ix, hash);

	while (ix->slot[slot])
		slot = index_next(ix, slot);
	ix->slot[slot] = item + 1;
}

bool
index_add(struct index *ix, uint32_t hash, uint32_t item,
          uint32_t (*again)(const void *ctx, uint32_t item), const void *ctx)
{
	if (!ix->slot || ix->used >= ix->cap / 4 * 3) {
		struct index bigger = { 0 };
		uint64_t want = ix->slot ? (uint64_t)ix->cap * 2 : 64;

		if (want > UINT32_MAX / 2 + 1u || !vec_room(&bigger.slot, &bigger.cap, want, sizeof *bigger.slot))
			return false;
		bigger.mask = bigger.cap - 1;
		for (uint32_t i = 0; i < ix->cap; i++)
			if (ix->slot[i])
				place(&bigger, again(ctx, ix->slot[i] - 1), ix->slot[i] - 1);
		bigger.used = ix->used;
		vec_free(&ix->slot, &ix->cap, sizeof *ix->slot);
		*ix = bigger;
	}
	place(ix, hash, item);
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
