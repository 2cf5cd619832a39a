/* Frames, into buffers of the size that the input's first two bytes give, and of another. */
#include "lib/codec/zstd.c"

#include <stdlib.h>

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
	return 0;
}
