/* Reading profiles back, whatever their format. */
#ifndef OUT_READ_H
#define OUT_READ_H

#include "out/format/format.h"

/* Adds what BYTES hold to the profile, which may hold others already; unpacks them first if gzip packed them.  The caller
 * calls profile_name afterwards.  NULL if all is well, else what is wrong, in words; *FORMAT is then what the bytes look
 * like, or NULL, and *WHERE the line (of a text format, from 1) or the offset (unpacked) at which it is wrong.  It keeps
 * nothing of BYTES. */
const char *profile_read(struct profile *, const char *name, struct cursor bytes, const struct format **format, uint64_t *where);

#endif
