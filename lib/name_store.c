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
	t->block[t->blocks - 1][t->used + n] = 0;
	*number = (t->blocks - 1) * NAME_STORE_BLOCK + t->used;
	t->used += (uint32_t)n + 1;
	return true;
}

void
name_store_drop(struct name_store *t, uint32_t number)
{
	if (number / NAME_STORE_BLOCK == t->blocks - 1)
		t->used = number % NAME_STORE_BLOCK;
}
