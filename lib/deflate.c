/* See deflate.h. */
#include "deflate.h"
#include "crc.h"
#include "mem.h"

#include <string.h>

enum { STORED_MAX = 65535 };

struct deflate_state {
	uint8_t window[STORED_MAX];
	uint32_t n;
};

static void
put_le(struct deflater *d, uint64_t v, unsigned n)
{
	for (; n--; v >>= 8)
		sink_char(d->to, (char)v);
}

bool
deflate_open(struct deflater *d, struct sink *to, enum deflate_wrap wrap)
{
	*d = (struct deflater){ .to = to, .wrap = wrap, .sum = wrap == DEFLATE_ZLIB };
	if (!vec_room(&d->state, &d->cap, 1, sizeof *d->state))
		return false;
	if (wrap == DEFLATE_GZIP)
		sink_put(to, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	else if (wrap == DEFLATE_ZLIB)
		sink_put(to, "\x78\x9c", 2);
	return true;
}

static void
stored(struct deflater *d, bool last)
{
	put_le(d, last, 1);
	put_le(d, d->state->n, 2);
	put_le(d, ~d->state->n, 2);
	sink_put(d->to, d->state->window, d->state->n);
	d->state->n = 0;
}

void
deflate_put(struct deflater *d, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	d->size += n;
	d->sum = d->wrap == DEFLATE_ZLIB ? adler32_add(d->sum, p, n) : crc32_add(d->sum, p, n);
	while (n) {
		size_t room = STORED_MAX - d->state->n, part = n < room ? n : room;

		memcpy(d->state->window + d->state->n, p, part);
		d->state->n += (uint32_t)part;
		if (d->state->n == STORED_MAX)
			stored(d, false);
		p += part;
		n -= part;
	}
}

void
deflate_close(struct deflater *d)
{
	stored(d, true);
	if (d->wrap == DEFLATE_ZLIB)
		put_le(d, __builtin_bswap32(d->sum), 4);
	if (d->wrap == DEFLATE_GZIP) {
		put_le(d, d->sum, 4);
		put_le(d, d->size, 4);
	}
	vec_free(&d->state, &d->cap, sizeof *d->state);
}

static void
drain(void *deflater, const void *bytes, size_t n)
{
	deflate_put(deflater, bytes, n);
}

void
deflate_sink(struct sink *s, struct deflater *d)
{
	sink_open_to(s, drain, d);
}
