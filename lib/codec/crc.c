/* See crc.h.  ISO 3309 (as RFC 1952 section 8 has it), ECMA-182, RFC 1950 section 8.2; bits are reflected. */
#include "crc.h"

/* The tables hold nothing but what their polynomials say; they are made at first use, which costs less than their bytes
 * would in the file. */
uint32_t
crc32_add(uint32_t sum, const void *bytes, size_t n)
{
	static uint32_t table[256];
	const uint8_t *p = bytes;

	for (uint32_t i = 0; !table[255] && i < 256; i++) {
		uint32_t v = i;

		for (unsigned bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? 0xedb88320 : 0);
		table[i] = v;
	}
	sum = ~sum;
	while (n--)
		sum = sum >> 8 ^ table[(sum ^ *p++) & 255];
	return ~sum;
}

uint64_t
crc64_add(uint64_t sum, const void *bytes, size_t n)
{
	static uint64_t table[256];
	const uint8_t *p = bytes;

	for (uint32_t i = 0; !table[255] && i < 256; i++) {
		uint64_t v = i;

		for (unsigned bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? 0xc96c5795d7870f42 : 0);
		table[i] = v;
	}
	sum = ~sum;
	while (n--)
		sum = sum >> 8 ^ table[(sum ^ *p++) & 255];
	return ~sum;
}

uint32_t
adler32_add(uint32_t sum, const void *bytes, size_t n)
{
	uint32_t a = sum & 0xffff, b = sum >> 16;
	const uint8_t *p = bytes;

	while (n) {
		size_t part = n < 5552 ? n : 5552;   /* so many fit into 32 bits before a division */

		for (n -= part; part--; p++) {
			a += *p;
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}
