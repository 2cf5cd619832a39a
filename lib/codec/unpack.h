/* Reads bytes that zlib has packed as if it had not: prof unpacks a piece when somebody reads it, and gives it back when others
 * are read.  Pieces begin where blocks of the stream do; prof keeps the 32 KiB before each, which the piece may repeat. */
#ifndef LIB_CODEC_UNPACK_H
#define LIB_CODEC_UNPACK_H

#include "lib/cursor.h"
#include "lib/mem.h"

/* The SIZE bytes that IN unpacks to; zeros where IN is broken.  IN must stay where it is.  System calls cannot read the bytes.
 * NULL at the memory cap, or if the machine has no room or other pages: then unpack all at once. */
const uint8_t *unpack_open(struct arena *, struct cursor in, size_t size);
/* Ends all that prof opened with that arena; call it before the arena ends. */
void unpack_close(const struct arena *);
/* Gives back the unpacked pieces. */
void unpack_trim(void);
/* The bytes of all unpacked pieces. */
size_t unpack_held(void);

#endif
