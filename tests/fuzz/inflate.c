/* link: lib/cursor.c lib/crc.c lib/mem.c lib/sink.c */
/* Streams bare, of zlib and of gzip, into a buffer of a known size, into one that grows, and block by block: all must agree. */
#include "lib/inflate.c"

#include <stdlib.h>

enum { MOST = 1 << 20 };

static void
put(void *sink, const uint8_t *bytes, size_t n)
{
	struct sink *s = sink;

	sink_put(s, bytes, s->len < MOST ? n : 0);
}

/* A block more than once, from a copy of where it begins. */
static void
by_blocks(struct cursor in, const struct sink *want)
{
	static uint8_t window[INFLATE_ROOM], again[INFLATE_ROOM];
	struct inflate_stream s, before;
	struct sink got;
	size_t have = 0, len;

	sink_open(&got, -1);
	for (inflate_begin(&s, in, MOST); !s.last && !s.in.bad;) {
		before = s;
		memcpy(again, window, have);
		len = got.len;
		inflate_block(&before, again, have, put, &got);
		got.len = len;
		have = inflate_block(&s, window, have, put, &got);
		if (s.in.pos != before.in.pos || memcmp(window, again, have))
			abort();
	}
	if (want && !s.in.bad && got.len < MOST && (got.len != want->len || memcmp(got.buf, want->buf, got.len)))
		abort();
	sink_close(&got);
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
