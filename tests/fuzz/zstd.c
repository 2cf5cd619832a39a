/* Frames, into buffers of the size that the input's first two bytes give, and of another; and as a stream. */
#include "lib/codec/zstd.c"

#include <stdlib.h>

static void
look(void *ctx, const uint8_t *bytes, size_t n)
{
	size_t *sum = ctx;

	for (size_t i = 0; i < n; i++)
		*sum += bytes[i];
}

/* As a stream, in pieces of STEP bytes. */
static void
stream(const uint8_t *data, size_t size, size_t step)
{
	struct zstd_stream *z = zstd_stream_new();
	size_t sum = 0;

	for (size_t at = 0; z && at < size; at += step)
		zstd_stream_feed(z, cur_of(data + at, size - at < step ? size - at : step, false), look, &sum);
	zstd_stream_free(z);
	if (mem_used())
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t given = size >= 2 ? (size_t)(data[0] | data[1] << 8) : 0;
	const size_t sizes[] = { given, 5000 };

	for (unsigned i = 0; size >= 2 && i < sizeof sizes / sizeof *sizes; i++) {
		uint8_t *out = malloc(sizes[i] + (sizes[i] == 0));

		if (out)
			zstd(cur_of(data + 2, size - 2, false), out, sizes[i]);
		free(out);
	}
	if (size >= 2)
		stream(data + 2, size - 2, data[0] % 64 * 16 + 1);
	return 0;
}
