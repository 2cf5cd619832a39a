/* See nearest.h.  Edits are insertions, deletions, replacements and swapped neighbours. */
#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 40 };

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Whether two characters are the same, regardless of case. */
static bool
same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned char row[3][WORD_MAX + 1], *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned char)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned char *spare = before;

		now[0] = (unsigned char)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned d = least(least(last[j], now[j - 1]) + 1u, last[j - 1] + !same(a[i - 1], b[j - 1]));

			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				d = least(d, before[j - 2] + 1u);
			now[j] = (unsigned char)d;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

const char *
nearest(const char *word, const char *const *names, const char *end)
{
	size_t n = strcspn(word, end);
	const char *best = NULL;
	unsigned least_so_far = 3;

	for (; n <= WORD_MAX && *names; names++) {
		size_t m = strcspn(*names, end);
		unsigned d = m <= WORD_MAX ? distance(word, n, *names, m) : WORD_MAX;

		if (d < least_so_far && d * 2 <= m) {
			least_so_far = d;
			best = *names;
		}
	}
	return best;
}
