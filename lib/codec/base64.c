/* See base64.h. */
#include "base64.h"

enum { AT_ONCE = 192 };   /* groups of three bytes */

/* Makes three bytes, of which N are there, four digits. */
static void
encode(const uint8_t *bytes, unsigned n, char *text)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

	text[0] = digit[v >> 18];
	text[1] = digit[v >> 12 & 63];
	text[2] = n > 1 ? digit[v >> 6 & 63] : '=';
	text[3] = n > 2 ? digit[v & 63] : '=';
}

void
base64_put(void *base64, const void *bytes, size_t n)
{
	struct base64 *b = base64;
	const uint8_t *p = bytes;
	char text[AT_ONCE * 4];

	for (; n && b->n; n--) {
		b->left[b->n++] = *p++;
		if (b->n == 3)
			base64_end(b);
	}
	while (n >= 3) {
		unsigned group = 0;

		for (; group < AT_ONCE && n >= 3; group++, p += 3, n -= 3)
			encode(p, 3, text + group * 4);
		sink_put(b->to, text, (size_t)group * 4);
	}
	for (; n; n--)
		b->left[b->n++] = *p++;
}

void
base64_end(struct base64 *b)
{
	char text[4];

	if (!b->n)
		return;
	encode(b->left, b->n, text);
	sink_put(b->to, text, 4);
	*b = (struct base64){ .to = b->to };
}

/* What a character counts for; 64 for a blank, a line end or padding, 65 for any other. */
static unsigned
digit_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (c >= '0' && c <= '9')
		return c - '0' + 52u;
	if (c == '+' || c == '/')
		return c == '+' ? 62 : 63;
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '=' ? 64 : 65;
}

void
base64_decode(struct cursor *c, struct sink *to)
{
	uint32_t v = 0;
	unsigned bits = 0, digit;

	for (; cur_left(c) && (digit = digit_value(*c->pos)) < 65; c->pos++) {
		if (digit == 64)
			continue;
		v = v << 6 | digit;
		bits += 6;
		if (bits >= 8)
			sink_char(to, (char)(v >> (bits -= 8)));
	}
}
