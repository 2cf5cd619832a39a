/* Reads bytes that may be hostile.  Reads past the end give zeros and set BAD; read a whole record, then ask once. */
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

/* Whether its values are of another byte order than this machine's. */
static inline bool
cur_swapped(const struct cursor *c)
{
	return c->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* The next N bytes, or NULL (and BAD set, and nothing left) where there are fewer. */
const uint8_t *cur_take(struct cursor *, uint64_t n);

/* An unsigned value of SIZE (1 to 8) bytes. */
uint64_t cur_uint(struct cursor *, unsigned size);
uint8_t cur_u8(struct cursor *);
uint16_t cur_u16(struct cursor *);
uint32_t cur_u32(struct cursor *);
uint64_t cur_u64(struct cursor *);

/* LEB128; more than 64 bits of value is BAD. */
uint64_t cur_uleb(struct cursor *);
int64_t cur_sleb(struct cursor *);

/* A string that ends inside the cursor, which then stands behind it; "" and BAD otherwise. */
const char *cur_str(struct cursor *);

/* The next N bytes as a separate cursor (empty and BAD if there are fewer). */
struct cursor cur_sub(struct cursor *, uint64_t n);

/* N bytes from offset OFF on; the cursor given stays where it is.  Empty and BAD where they do not fit. */
struct cursor cur_slice(const struct cursor *, uint64_t off, uint64_t n);

#endif
