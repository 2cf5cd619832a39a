/* See crc.h.  ISO 3309 (as RFC 1952 section 8 has it), ECMA-182, RFC 1950 section 8.2; bits are reflected. */
#include "crc.h"

/* The change that a byte makes is the sum, without carries, of the changes that its bits make.  So the tables are made of eight
 * numbers each, from the lowest bit on. */
#define BYTE(i, a, b, c, d, e, f, g, h) \
	(((i) & 1 ? a : 0) ^ ((i) & 2 ? b : 0) ^ ((i) & 4 ? c : 0) ^ ((i) & 8 ? d : 0) ^ \
	 ((i) & 16 ? e : 0) ^ ((i) & 32 ? f : 0) ^ ((i) & 64 ? g : 0) ^ ((i) & 128 ? h : 0))
#define FOUR(of, i) of(i), of((i) + 1), of((i) + 2), of((i) + 3)
#define SIXTEEN(of, i) FOUR(of, i), FOUR(of, (i) + 4), FOUR(of, (i) + 8), FOUR(of, (i) + 12)
#define ROW(of, i) SIXTEEN(of, i), SIXTEEN(of, (i) + 16), SIXTEEN(of, (i) + 32), SIXTEEN(of, (i) + 48)
#define TABLE(of) { ROW(of, 0), ROW(of, 64), ROW(of, 128), ROW(of, 192) }

#define OF32(i) BYTE(i, 0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, \
	0x3b6e20c8, 0x76dc4190, 0xedb88320)
#define OF64(i) BYTE(i, 0xb32e4cbe03a75f6f, 0xf4843657a840a05b, 0x7bd0c384ff8f5e33, \
	0xf7a18709ff1ebc66, 0x7d9ba13851336649, 0xfb374270a266cc92, \
	0x64b62bcaebc387a1, 0xc96c5795d7870f42)

static const uint32_t table32[256] = TABLE(OF32);
static const uint64_t table64[256] = TABLE(OF64);

uint32_t
crc32_add(uint32_t sum, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	sum = ~sum;
	while (n--)
		sum = sum >> 8 ^ table32[(sum ^ *p++) & 255];
	return ~sum;
}

uint64_t
crc64_add(uint64_t sum, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	sum = ~sum;
	while (n--)
		sum = sum >> 8 ^ table64[(sum ^ *p++) & 255];
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
