/* See copy.h: two words that overlap. */
#include "copy.h"

#include <stdint.h>
#include <string.h>

void
copy_few(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	uint64_t a, b;
	uint32_t c, e;

	if (n > 2 * sizeof a) {
		memcpy(d, s, n);
	} else if (n >= sizeof a) {
		memcpy(&a, s, sizeof a);
		memcpy(&b, s + n - sizeof b, sizeof b);
		memcpy(d, &a, sizeof a);
		memcpy(d + n - sizeof b, &b, sizeof b);
	} else if (n >= sizeof c) {
		memcpy(&c, s, sizeof c);
		memcpy(&e, s + n - sizeof e, sizeof e);
		memcpy(d, &c, sizeof c);
		memcpy(d + n - sizeof e, &e, sizeof e);
	} else {
		for (; n; n--)
			*d++ = *s++;
	}
}
