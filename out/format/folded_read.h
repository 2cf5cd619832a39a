/* Reading folded stacks back; for format_folded.  Inside out/ only. */
#ifndef OUT_FORMAT_FOLDED_READ_H
#define OUT_FORMAT_FOLDED_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

bool folded_is(struct cursor);
const char *folded_read(struct profile *, struct cursor *);

#endif
