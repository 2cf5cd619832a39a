/* The kernel's tracepoints, as tracefs describes them: the number that perf_event_open takes, and the fields of a record.  Where
 * tracefs is not mounted, root mounts it where nobody else sees it. */
#ifndef SAMPLE_EVENTS_TRACEFS_H
#define SAMPLE_EVENTS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/mem.h"

/* NULL if prof can look up tracepoints, else why not, and the line that mends it. */
const char *tracefs_missing(void);
/* The number of tracepoint SYSTEM:NAME; false if there is none, if tracefs is not mounted, or if only root may read it. */
bool tracefs_id(const char *system, const char *name, uint64_t *id);
/* The text that tells the place and the size of each of its fields, into BUF, which gets a NUL. */
bool tracefs_format(const char *system, const char *name, char *buf, size_t cap);
/* The tracepoint SYSTEM:NAME that is nearest to these two words, in the arena; NULL: none is near. */
const char *tracefs_near(const char *system, const char *name, struct arena *);
/* SYSTEM:NAME of a tracepoint of that name, in the arena; NULL: there is none. */
const char *tracefs_called(const char *name, struct arena *);
/* The systems, or the tracepoints of SYSTEM, sorted, with a NULL behind the last; NULL if prof cannot read them. */
const char **tracefs_names(const char *system, struct arena *);

#endif
