/* Decompressing Zstandard frames (RFC 8878), without dictionaries. */
#ifndef LIB_CODEC_ZSTD_H
#define LIB_CODEC_ZSTD_H

#include "lib/cursor.h"

/* Unpacks all frames of IN into OUT: exactly N bytes together.  NULL if that worked; else what is wrong, in words, and OUT
 * holds anything.  It does not check checksums. */
const char *zstd(struct cursor in, void *out, size_t n);

#endif
