/* See symbol.h. */
#include "symbol.h"

#include <string.h>

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
symbol_better(const char *a, const char *b)
{
	unsigned ua = underscores(a), ub = underscores(b);
	size_t na, nb;

	if (ua != ub)
		return ua < ub;
	na = strnlen(a, LOOK_MAX);
	nb = strnlen(b, LOOK_MAX);
	return na != nb ? na < nb : strncmp(a, b, LOOK_MAX) < 0;
}
