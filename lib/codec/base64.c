/* See base64.h. */
#include "base64.h"

/* Writes three bytes, of which N are there, as four digits. */
static void
encode(struct base64 *b, unsigned n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = (uint32_t)b->left[0] << 16 | (uint32_t)b->left[1] << 8 | b->left[2];
	char text[4] = { digit[v >> 18], digit[v >> 12 & 63], n > 1 ? digit[v >> 6 & 63] : '=', n > 2 ? digit[v & 63] : '=' };

	sink_put(b->to, text, 4);
	*b = (struct base64){ .to = b->to };
}

void
base64_put(void *base64, const void *bytes, size_t n)
{
	struct base64 *b = base64;
	const uint8_t *p = bytes;

	for (; n; n--) {
		b->left[b->n++] = *p++;
		if (b->n == 3)
			encode(b, 3);
	}
}

void
base64_end(struct base64 *b)
{
	if (b->n)
		encode(b, b->n);
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
