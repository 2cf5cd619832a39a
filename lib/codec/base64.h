/* Bytes as text: base64 (RFC 4648, section 4), as they come. */
#ifndef LIB_CODEC_BASE64_H
#define LIB_CODEC_BASE64_H

#include "lib/cursor.h"
#include "lib/sink.h"

/* All zero but TO, which the text goes to, is where it begins. */
struct base64 {
	struct sink *to;
	uint8_t left[3];
	unsigned n;
};

/* N bytes more, for a struct base64: what a sink drains to. */
void base64_put(void *base64, const void *bytes, size_t n);
/* Writes what is left and the padding. */
void base64_end(struct base64 *);

/* Decodes the text at the cursor, and appends the bytes to TO.  It ends at the first character that is not a digit of base64,
 * a blank or a line end; the cursor then stands there. */
void base64_decode(struct cursor *, struct sink *to);

#endif
