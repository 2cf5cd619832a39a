/* Decompressing Zstandard frames (RFC 8878), without dictionaries. */
#ifndef LIB_CODEC_ZSTD_H
#define LIB_CODEC_ZSTD_H

#include "lib/cursor.h"

/* All frames of IN, N bytes together, neither more nor less, into OUT.  NULL if all is well, else what is wrong, in words; what
 * OUT holds is then anything.  Checksums are not looked at. */
const char *zstd(struct cursor in, void *out, size_t n);

#endif
