/* Unpacks .xz files (xz-file-format 1.2) with LZMA2 as the only filter, as in MiniDebugInfo. */
#ifndef LIB_CODEC_XZ_H
#define LIB_CODEC_XZ_H

#include "lib/cursor.h"
#include "lib/sink.h"

/* Appends what IN holds, at most MAX bytes, to a sink that is kept in memory.  NULL if all is well, else what is wrong, in
 * words. */
const char *xz(struct cursor in, struct sink *out, size_t max);

#endif
