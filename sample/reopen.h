/* What pressure wants while a capture runs, done: events are opened again, or get another period. */
#ifndef SAMPLE_REOPEN_H
#define SAMPLE_REOPEN_H

#include "session_state.h"

/* Does what pressure wants.  What cannot be had stays as it is, and pressure knows that. */
void session_obey(struct session *);
/* Whether there may be fewer samples: -F max takes as many as the kernel gives. */
bool session_may_slow(const struct session *);
/* Notes the threads that are there, with their names, while they still are.  Those from SURE on may have their events twice:
 * then only those that were opened on themselves count. */
void session_note_threads(struct session *, const struct threads *, uint32_t sure);

#endif
