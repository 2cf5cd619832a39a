/* See base64.h. */
#include "base64.h"

/* Three bytes, of which N are there, as four digits. */
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
