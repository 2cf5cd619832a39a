/* See text.h. */
#include "text.h"

bool
text_hex(const char **p, uint64_t *v)
{
	const char *s = *p;
	uint64_t n = 0;

	for (;; s++) {
		unsigned d = (unsigned)*s - '0', letter = ((unsigned)*s | 32) - 'a';

		if (d > 9 && letter > 5)
			break;
		if (n >> 60)
			return false;
		n = n << 4 | (d > 9 ? letter + 10 : d);
	}
	*v = n;
	if (s == *p)
		return false;
	*p = s;
	return true;
}

bool
text_dec(const char **p, uint64_t *v)
{
	const char *s = *p;

	for (*v = 0; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
			return false;
	if (s == *p)
		return false;
	*p = s;
	return true;
}

bool
text_decimal(const char **p, unsigned places, uint64_t *v)
{
	const char *s = *p, *digits;
	bool whole = text_dec(&s, v);

	if (!whole && (*s != '.' || *v))   /* none, or more than fits */
		return false;
	digits = *s == '.' ? ++s : s;
	while (digits > *p && digits[-1] == '.' && *s >= '0' && *s <= '9')
		s++;
	if (!whole && s == digits)
		return false;
	for (; places; places--) {
		uint64_t digit = digits < s ? (uint64_t)(*digits++ - '0') : 0;

		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, digit, v))
			return false;
	}
	*p = s;
	return true;
}
