/* See text.h. */
#include "lib/name_store.h"

#include <string.h>

bool
text_add(struct text *t, const char *s, size_t n, uint32_t *number)
{
	if (n >= TEXT_BLOCK)
		return false;
	if (!t->blocks || n >= TEXT_BLOCK - t->used) {
		if (t->blocks == TEXT_BLOCKS || !(t->block[t->blocks] = arena_alloc(t->arena, TEXT_BLOCK)))
			return false;
		t->blocks++;
		t->used = 0;
	}
	memcpy(t->block[t->blocks - 1] + t->used, s, n);
	*number = (t->blocks - 1) * TEXT_BLOCK + t->used;
	t->used += (uint32_t)n + 1;
	return true;
}

/* Enough to tell two names apart: a hostile file has long ones, many of one address. */
enum { LOOK_MAX = 512, UNDERSCORES_MAX = 16 };

static unsigned
underscores(const char *s)
{
	unsigned n = 0;

	while (n < UNDERSCORES_MAX && s[n] == '_')
		n++;
	return n;
}

bool
text_better(const char *a, const char *b)
{
	unsigned ua = underscores(a), ub = underscores(b);
	size_t na, nb;

	if (ua != ub)
		return ua < ub;
	na = strnlen(a, LOOK_MAX);
	nb = strnlen(b, LOOK_MAX);
	return na != nb ? na < nb : strncmp(a, b, LOOK_MAX) < 0;
}
