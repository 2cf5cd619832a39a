/* What the writer and the reader of perf script's text agree on.  Inside out/ only. */
#ifndef OUT_SCRIPT_H
#define OUT_SCRIPT_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

#define SCRIPT_GLOBAL "::"               /* before names that begin with a parenthesis */
#define SCRIPT_PERIOD "period_ns = "     /* in the header's line of an event: what one unit of weight is worth, 0 where that is no time */

bool script_is(struct cursor);
const char *script_read(struct profile *, struct cursor *);

#endif
