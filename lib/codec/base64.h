/* Writes bytes as text while they come: base64 (RFC 4648, section 4). */
#ifndef LIB_CODEC_BASE64_H
#define LIB_CODEC_BASE64_H

#include "lib/cursor.h"
#include "lib/sink.h"

/* At the beginning all is zero except TO, which gets the text. */
struct base64 {
	struct sink *to;
	uint8_t left[3];
	unsigned n;
};

/* Takes N more bytes for a struct base64: a sink may drain to it. */
void base64_put(void *base64, const void *bytes, size_t n);
/* Writes what is left and the padding. */
void base64_end(struct base64 *);

/* Decodes the text at the cursor, and appends the bytes to TO.  It ends at the first character that is not a digit of base64,
 * a blank or a line end; the cursor then stands there. */
void base64_decode(struct cursor *, struct sink *to);

#endif
