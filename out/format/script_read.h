/* Reading perf script's text back. */
#ifndef OUT_FORMAT_SCRIPT_READ_H
#define OUT_FORMAT_SCRIPT_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

/* For struct format. */
bool script_is(struct cursor);
const char *script_read(struct profile *, struct cursor *);

#endif
