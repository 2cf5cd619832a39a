/* Reading speedscope's files back. */
#ifndef OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_READ_H
#define OUT_FORMAT_SPEEDSCOPE_SPEEDSCOPE_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

/* For struct format. */
bool speedscope_is(struct cursor);
const char *speedscope_read(struct profile *, struct cursor *);

#endif
