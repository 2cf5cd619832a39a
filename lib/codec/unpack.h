/* Bytes that zlib has packed, read as if it had not: they are unpacked piece by piece where somebody reads them, and given back
 * when others are read.  Pieces begin where blocks of the stream do; the 32 KiB before each, which it may repeat, are kept. */
#ifndef LIB_UNPACK_H
#define LIB_UNPACK_H

#include "lib/cursor.h"
#include "lib/mem.h"

/* The SIZE bytes that IN, which stays where it is, becomes; where it is broken, zeros.  System calls cannot read them.  NULL at the
 * memory cap, or where the machine has no room or other pages: then they are to be unpacked at once. */
const uint8_t *unpack_open(struct arena *, struct cursor in, size_t size);
/* All that were opened with that arena are over; before it is. */
void unpack_close(const struct arena *);
/* Gives back what is unpacked now. */
void unpack_trim(void);
/* Bytes of all that are unpacked now. */
size_t unpack_held(void);

#endif
