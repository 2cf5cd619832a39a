/* prof reads back what it has compressed. The input's first byte says in which format, in what pieces, and how often the rest is
 * repeated. */
#include "lib/codec/deflate.c"

#include "lib/codec/inflate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = size ? *data : 0, times = 1u << (how >> 4 & 7), wrap = how % 3;
	struct sink packed, unpacked;
	struct deflater d;
	struct cursor in;

	data += size != 0;
	size -= size != 0;
	times = size * times > 400000 ? 1 : times;
	sink_open(&packed, -1);
	sink_open(&unpacked, -1);
	if (!deflate_open(&d, &packed, wrap))
		abort();
	for (unsigned i = 0; i < times; i++) {
		size_t cut = how & 8 ? size / 3 : 0;

		deflate_put(&d, data, cut);
		deflate_put(&d, data + cut, size - cut);
	}
	deflate_close(&d);
	in = cur_of(packed.buf, packed.len, false);
	if (inflate_sink(&in, wrap, &unpacked, SIZE_MAX / 2) || cur_left(&in) || unpacked.len != size * times)
		abort();
	for (unsigned i = 0; i < times; i++)
		if (size && memcmp(unpacked.buf + i * size, data, size))
			abort();
	if (packed.len > size * times + size * times / 8 + 64)
		abort();
	sink_close(&packed);
	sink_close(&unpacked);
	return 0;
}
