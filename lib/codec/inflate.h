/* Decompressing DEFLATE (RFC 1951), bare or as zlib (RFC 1950) or gzip (RFC 1952) wrap it. */
#ifndef LIB_CODEC_INFLATE_H
#define LIB_CODEC_INFLATE_H

#include "lib/cursor.h"
#include "lib/sink.h"

enum inflate_wrap { INFLATE_RAW, INFLATE_ZLIB, INFLATE_GZIP };

/* Unpacks a stream at the cursor into OUT: exactly N bytes.  The cursor then stands behind the stream.  NULL if that worked;
 * else what is wrong, in words, and OUT holds anything. */
const char *inflate(struct cursor *in, enum inflate_wrap, void *out, size_t n);
/* Inflates a stream of unknown size, at most MAX bytes, and appends it to a sink that is kept in memory.  A gzip stream may have
 * several members, one after the other. */
const char *inflate_sink(struct cursor *in, enum inflate_wrap, struct sink *out, size_t max);

/* A zlib stream that prof unpacks block by block; it does not check the checksum.  A copy of the struct keeps the place in
 * the stream. */
struct inflate_stream {
	struct cursor in;          /* BAD: it is broken */
	uint64_t bits;
	unsigned nbits;
	size_t blocks;             /* that may still come */
	bool last;                 /* there are none */
};
enum { INFLATE_WINDOW = 32 << 10 };
/* The stream becomes N bytes, more or less. */
void inflate_begin(struct inflate_stream *, struct cursor in, size_t n);
/* Puts the next block's bytes behind the HAVE bytes of OUT, and returns how many there are then.  The last INFLATE_WINDOW of the HAVE
 * bytes, or all if there are fewer, must be those before the block.  OUT has room for ROOM bytes; if that is not enough, MORE makes it
 * at least so many, in the same place, and returns how many, or 0, which breaks the stream. */
size_t inflate_block(struct inflate_stream *, uint8_t *out, size_t have, size_t room, size_t (*more)(void *ctx, size_t n), void *ctx);

#endif
