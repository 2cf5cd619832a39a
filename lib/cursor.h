/* Reading bytes that nobody vouches for.
 * Reads past the end give zeros and set BAD; read a whole record, then ask once. */
#ifndef LIB_CURSOR_H
#define LIB_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *pos, *end;
	const char *bad;   /* the first complaint, or NULL */
	bool big;          /* multi-byte values are big-endian */
};

/* A cursor over N bytes, which the caller keeps alive. */
static inline struct cursor
cur_of(const void *bytes, size_t n, bool big)
{
	const uint8_t *p = bytes;
	return (struct cursor){ p, p ? p + n : p, NULL, big };
}

static inline size_t
cur_left(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* The next N bytes, or NULL (and BAD set, and nothing left) where there are fewer. */
static inline const uint8_t *
cur_take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->pos;

	if (n > cur_left(c)) {
		c->pos = c->end;
		if (!c->bad)
			c->bad = "data ends too early";
		return NULL;
	}
	if (n)   /* an empty cursor may be NULL */
		c->pos += n;
	return p;
}

/* An unsigned value of SIZE (1 to 8) bytes. */
static inline uint64_t
cur_uint(struct cursor *c, unsigned size)
{
	const uint8_t *p = cur_take(c, size);
	uint64_t v = 0;

	if (!p)
		return 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (c->big ? size - 1 - i : i);
	return v;
}

/* What most of reading is, so without a loop. */
static inline uint8_t
cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 1);

	return p ? *p : 0;
}

static inline uint32_t
cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 4);
	uint32_t v;

	if (!p)
		return 0;
	v = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return c->big ? __builtin_bswap32(v) : v;
}

static inline uint16_t cur_u16(struct cursor *c) { return (uint16_t)cur_uint(c, 2); }
static inline uint64_t cur_u64(struct cursor *c) { return cur_uint(c, 8); }

/* LEB128; more than 64 bits of value is BAD. */
uint64_t cur_uleb(struct cursor *);
int64_t cur_sleb(struct cursor *);

/* A string that ends inside the cursor, past which it then stands; "" and BAD otherwise. */
const char *cur_str(struct cursor *);

/* The next N bytes as a cursor of their own (empty and BAD where there are fewer). */
struct cursor cur_sub(struct cursor *, uint64_t n);

/* N bytes from offset OFF on; the cursor given stays where it is.  Empty and BAD where they do not fit. */
struct cursor cur_slice(const struct cursor *, uint64_t off, uint64_t n);

#endif
