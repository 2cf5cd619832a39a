/* link: lib/cursor.c lib/crc.c lib/mem.c lib/sink.c */
/* Streams bare, of zlib and of gzip, into a buffer of a known size and into one that grows: both must agree. */
#include "lib/inflate.c"

#include <stdlib.h>

enum { MOST = 1 << 20 };

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
