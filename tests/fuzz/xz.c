/* Files; and LZMA2 alone after a first byte of 0, because the checksums of files would hide its bugs. */
#define crc32_add right_crc32   /* every checksum is right */
#define crc64_add right_crc64
#include "lib/codec/xz.c"
#undef crc32_add
#undef crc64_add

#include <stdlib.h>

enum { MOST = 1 << 20 };

uint32_t
right_crc32(uint32_t sum, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return sum;
}

uint64_t
right_crc64(uint64_t sum, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return sum;
}

/* LZMA2 of DATA in a file around it; all sums are zero. */
static size_t
wrapped(uint8_t *file, const uint8_t *data, size_t size)
{
	static const uint8_t head[] = { 0xfd, '7', 'z', 'X', 'Z', 0, 0, 0, 0, 0, 0, 0,
		                        2, 0, 0x21, 1, 22, 0, 0, 0, 0, 0, 0, 0 };

	memcpy(file, head, sizeof head);
	if (size)
		memcpy(file + sizeof head, data, size);
	return sizeof head + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file = malloc(size + 64);
	struct sink out;
	size_t n = size;

	if (!file || !size)
		goto done;
	if (*data == 0)
		n = wrapped(file, data + 1, size - 1);
	else
		memcpy(file, data, size);
	sink_open(&out, -1);
	xz(cur_of(file, n, false), &out, MOST);
	if (out.len > MOST)
		abort();
	sink_close(&out);
done:
	free(file);
	return 0;
}
