/* Decompressing Zstandard frames (RFC 8878), without dictionaries. */
#ifndef LIB_CODEC_ZSTD_H
#define LIB_CODEC_ZSTD_H

#include "lib/cursor.h"

/* Unpacks all frames of IN into OUT: exactly N bytes together.  NULL if that worked; else what is wrong, in words, and OUT
 * holds anything.  It does not check checksums. */
const char *zstd(struct cursor in, void *out, size_t n);

/* A stream that comes in pieces, cut anywhere; of frames whose matches reach back no further than WINDOW_MOST. */
enum { ZSTD_WINDOW_MOST = 128 << 20 };
struct zstd_stream;
struct zstd_stream *zstd_stream_new(void);   /* NULL at the memory cap */
void zstd_stream_free(struct zstd_stream *);
/* Takes the next piece, and gives what it can unpack now to OUT, which may look at it until it returns.  NULL, or what is wrong,
 * now and for every later piece. */
const char *zstd_stream_feed(struct zstd_stream *, struct cursor in, void (*out)(void *ctx, const uint8_t *bytes, size_t n), void *ctx);

#endif
