#include "test.h"

#define memchr bytes_memchr
#define memcmp bytes_memcmp
void *bytes_memchr(const void *, int, size_t);
int bytes_memcmp(const void *, const void *, size_t);
#include "lib/libc/bytes.c"
#undef memchr
#undef memcmp

void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);

static int
sign(int v)
{
	return (v > 0) - (v < 0);
}

static void
bytes_in_words(void)
{
	unsigned char a[40], b[40];
	unsigned seed = 9;

	for (unsigned n = 0; n <= 24; n++)
		for (unsigned round = 0; round < 400; round++) {
			unsigned at = round % 9;

			for (unsigned i = 0; i < n; i++) {
				seed = seed * 1664525 + 1013904223;
				a[at + i] = b[at + i] = (unsigned char)(seed >> 24 & (round & 1 ? 0xff : 0x81));
			}
			if (n && round % 3)
				b[at + (seed >> 8) % n] ^= (unsigned char)(1u << (seed >> 16 & 7));
			CHECK(sign(bytes_memcmp(a + at, b + at, n)) == sign(memcmp(a + at, b + at, n)));
			for (int c = 0; c < 256; c += 1 + (int)(seed >> 20 & 63))
				CHECK(bytes_memchr(a + at, c, n) == memchr(a + at, c, n));
		}
}

int
main(void)
{
	RUN("bytes", bytes_in_words);
	return TEST_STATUS;
}
