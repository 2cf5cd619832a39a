/* Decompressing DEFLATE (RFC 1951), bare or as zlib (RFC 1950) or gzip (RFC 1952) wrap it. */
#ifndef LIB_INFLATE_H
#define LIB_INFLATE_H

#include "cursor.h"
#include "sink.h"

enum inflate_wrap { INFLATE_RAW, INFLATE_ZLIB, INFLATE_GZIP };

/* A stream at the cursor, which then stands behind it, of N bytes, neither more nor less, into OUT.  NULL if all is well, else
 * what is wrong, in words; what OUT holds is then anything. */
const char *inflate(struct cursor *in, enum inflate_wrap, void *out, size_t n);
/* The same of a size that nobody knows before, but at most MAX bytes, appended to a sink that is kept in memory.  Of gzip also
 * several members, one behind the other. */
const char *inflate_sink(struct cursor *in, enum inflate_wrap, struct sink *out, size_t max);

#endif
