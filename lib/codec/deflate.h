/* Compressing: DEFLATE (RFC 1951), bare or as zlib (RFC 1950) or gzip (RFC 1952) wrap it, while somebody writes. */
#ifndef LIB_CODEC_DEFLATE_H
#define LIB_CODEC_DEFLATE_H

#include <stdbool.h>

#include "lib/sink.h"

enum deflate_wrap { DEFLATE_RAW, DEFLATE_ZLIB, DEFLATE_GZIP };

struct deflater {
	struct sink *to;
	enum deflate_wrap wrap;
	uint32_t sum;              /* of the input, by the wrap's method */
	uint64_t size;             /* of the input */
	struct deflate_state *state;   /* a third of a mebibyte, under the cap */
	uint32_t cap;
};

/* Writes compressed bytes to TO, which belongs to the caller, and remembers failures.  False at the memory cap. */
bool deflate_open(struct deflater *, struct sink *to, enum deflate_wrap);
void deflate_put(struct deflater *, const void *bytes, size_t n);
/* Writes the end and gives the memory back. */
void deflate_close(struct deflater *);

/* Opens S as a sink that compresses: what somebody writes into it goes through D, which is open.  Close S, then D, then what
 * D writes to. */
void deflate_sink(struct sink *s, struct deflater *d);

#endif
