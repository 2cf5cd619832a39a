/* See cursor.h. */
#include "cursor.h"

#include <string.h>

#include "work.h"

static void
complain(struct cursor *c, const char *what)
{
	c->pos = c->end;
	if (!c->bad)
		c->bad = what;
}

/* Stands apart, to keep the usual way short. */
__attribute__((noinline, cold)) static const uint8_t *
cannot_take(struct cursor *c, uint64_t n)
{
	complain(c, n > cur_left(c) || work_step(1) ? "data ends too early" : "takes too long to read");
	return NULL;
}

const uint8_t *
cur_take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->pos;

	if (n > cur_left(c) || !work_left)
		return cannot_take(c, n);
	work_left--;
	if (n)   /* an empty cursor may be NULL */
		c->pos += n;
	return p;
}

/* Most reads are of one byte, so this has no loop. */
uint8_t
cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 1);

	return p ? *p : 0;
}

uint16_t
cur_u16(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return cur_swapped(c) ? __builtin_bswap16(v) : v;
}

uint32_t
cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return cur_swapped(c) ? __builtin_bswap32(v) : v;
}

uint64_t
cur_u64(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return cur_swapped(c) ? __builtin_bswap64(v) : v;
}

/* Stands apart, to keep the common sizes fast. */
__attribute__((noinline)) static uint64_t
any_uint(struct cursor *c, unsigned size)
{
	const uint8_t *p = cur_take(c, size);
	uint64_t v = 0;

	if (!p)
		return 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (c->big ? size - 1 - i : i);
	return v;
}

uint64_t
cur_uint(struct cursor *c, unsigned size)
{
	if (size == 8)
		return cur_u64(c);
	if (size == 4)
		return cur_u32(c);
	return any_uint(c, size);
}

/* It reads padding beyond the 64 bits, but not without end: a value costs no more than this many bits. */
enum { LEB_BITS = 7 * 16 };

uint64_t
cur_uleb(struct cursor *c)
{
	uint64_t v = 0;

	if (c->pos < c->end && *c->pos < 0x80)   /* as most are */
		return *c->pos++;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = cur_u8(c);

		if (c->bad)
			return 0;
		if (shift >= LEB_BITS || (shift > 63 ? (b & 0x7f) != 0 : shift == 63 && (b & 0x7f) > 1)) {
			complain(c, "LEB128 value too large");
			return 0;
		}
		if (shift <= 63)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
}

int64_t
cur_sleb(struct cursor *c)
{
	uint64_t v = 0;

	if (c->pos < c->end && *c->pos < 0x80)   /* as most are */
		return (int64_t)(*c->pos++ ^ 0x40) - 0x40;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = cur_u8(c);

		if (c->bad)
			return 0;
		if (shift >= LEB_BITS || (shift >= 63 && (b & 0x7f) != 0 && (b & 0x7f) != 0x7f)) {
			complain(c, "LEB128 value too large");
			return 0;
		}
		if (shift <= 63)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if ((b & 0x40) && shift < 57)
			v |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)v;
	}
}

/* Bytes of a string that prof looks at in one step. */
enum { STRING_STEP = 64 };

const char *
cur_str(struct cursor *c)
{
	const uint8_t *s = c->pos, *nul = cur_left(c) ? memchr(s, 0, cur_left(c)) : NULL;

	if (!work_step(1 + (uint64_t)((nul ? nul : c->end) - s) / STRING_STEP))
		nul = NULL;
	if (!nul) {
		complain(c, "string does not end");
		return "";
	}
	c->pos = nul + 1;
	return (const char *)s;
}

struct cursor
cur_sub(struct cursor *c, uint64_t n)
{
	const uint8_t *p = cur_take(c, n);
	struct cursor sub = cur_of(p, p ? (size_t)n : 0, c->big);

	if (!p)
		sub.bad = c->bad;
	return sub;
}

struct cursor
cur_slice(const struct cursor *c, uint64_t off, uint64_t n)
{
	struct cursor at = *c;

	if (off <= cur_left(c) && n <= cur_left(c) - off && work_left) {
		work_left--;
		return cur_of(off ? c->pos + off : c->pos, (size_t)n, c->big);
	}
	cur_take(&at, off);
	return cur_sub(&at, n);
}
