/* Bare streams, and streams of zlib and gzip, into a buffer of known size, into one that grows, and block by block: all must agree. */
#include "lib/codec/inflate.c"

#include <stdlib.h>

enum { MOST = 1 << 20 };

/* A few more than are asked for. */
static size_t
more(void *ctx, size_t n)
{
	(void)ctx;
	return n <= MOST ? (n + 999 < MOST ? n + 999 : MOST) : 0;
}

/* Each block where it belongs, and again from a copy of where it begins, with room for its bytes and no other. */
static void
by_blocks(struct cursor in, const struct sink *want)
{
	static uint8_t out[MOST];
	struct inflate_stream s, before;
	size_t n = 0, have, len;
	uint8_t *again;

	for (inflate_begin(&s, in, MOST); !s.last && !s.in.bad;) {
		before = s;
		have = n < INFLATE_WINDOW ? n : INFLATE_WINDOW;
		len = inflate_block(&s, out, n, n, more, NULL) - n;
		if (!s.in.bad && have + len && (again = malloc(have + len))) {
			memcpy(again, out + n - have, have);
			if (inflate_block(&before, again, have, have + len, NULL, NULL) != have + len || s.in.pos != before.in.pos ||
			    memcmp(again, out + n - have, have + len))
				abort();
			free(again);
		}
		n += len;
	}
	if (want && !s.in.bad && (n != want->len || memcmp(out, want->buf, n)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned wrap = INFLATE_RAW; wrap <= INFLATE_GZIP; wrap++) {
		struct cursor in = cur_of(data, size, false), again = in;
		struct sink grown;
		const char *bad;
		uint8_t *out;

		sink_open(&grown, -1);
		bad = inflate_sink(&in, wrap, &grown, MOST);
		if (grown.len > MOST || in.pos > in.end)
			abort();
		if (wrap == INFLATE_ZLIB)
			by_blocks(again, bad ? NULL : &grown);
		if ((out = malloc(grown.len + 1))) {   /* of the very size, so that a byte too many is found out */
			const char *why = inflate(&again, wrap, out, grown.len);

			if (!bad && wrap != INFLATE_GZIP && (why || memcmp(out, grown.buf, grown.len)))
				abort();
		}
		free(out);
		sink_close(&grown);
	}
	return 0;
}
