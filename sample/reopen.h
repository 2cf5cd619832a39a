/* Does what pressure wants while a capture runs: opens events again, or gives them another period. */
#ifndef SAMPLE_REOPEN_H
#define SAMPLE_REOPEN_H

#include "session_state.h"

/* Does what pressure wants.  If something fails, it stays as it is, and pressure knows that. */
void session_obey(struct session *);
/* Whether there may be fewer samples: -F max takes as many as the kernel gives. */
bool session_may_slow(const struct session *);
/* Notes the threads that exist now, with their names.  A thread from SURE on may have its events twice: then only those count
 * that prof opened on the thread itself. */
void session_note_threads(struct session *, const struct threads *, uint32_t sure);

#endif
