/* Reading speedscope's files back; for format_speedscope.  Inside out/ only. */
#ifndef OUT_SPEEDSCOPE_READ_H
#define OUT_SPEEDSCOPE_READ_H

#include "../lib/cursor.h"
#include "profile.h"

bool speedscope_is(struct cursor);
const char *speedscope_read(struct profile *, struct cursor *);

#endif
