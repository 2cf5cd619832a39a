/* Reading pprof's format back. */
#ifndef OUT_FORMAT_PPROF_PPROF_READ_H
#define OUT_FORMAT_PPROF_PPROF_READ_H

#include "lib/cursor.h"
#include "out/profile/profile.h"

/* For struct format. */
bool pprof_is(struct cursor);
const char *pprof_read(struct profile *, struct cursor *);

#endif
