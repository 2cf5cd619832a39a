/* See name_store.h. */
#include "name_store.h"

#include <string.h>

bool
name_store_add(struct name_store *t, const char *s, size_t n, uint32_t *number)
{
	if (n >= NAME_STORE_BLOCK)
		return false;
	if (!t->blocks || n >= NAME_STORE_BLOCK - t->used) {
		if (t->blocks == NAME_STORE_BLOCKS || !(t->block[t->blocks] = arena_alloc(t->arena, NAME_STORE_BLOCK)))
			return false;
		t->blocks++;
		t->used = 0;
	}
	memcpy(t->block[t->blocks - 1] + t->used, s, n);
	*number = (t->blocks - 1) * NAME_STORE_BLOCK + t->used;
	t->used += (uint32_t)n + 1;
	return true;
}
