/* Rights are given up where foreign bytes are read: a keeper goes on with them. */
#ifndef CMD_GUARD_H
#define CMD_GUARD_H

#include "plan.h"

/* For a prof that has rights which its caller lacks (set-user-id, or capabilities of its file): whether the caller may have
 * what PLAN asks for.  False once it has said why not. */
bool guard_allows(const struct plan *);
/* Whether a file under a default name can be made; false once it has said why not. */
bool guard_room(const struct plan *);
/* When the command has been forked, which keeps what it was given: finds prof a /proc of its own pids, and says who may read
 * the files that prof makes. */
void guard_begin(const struct plan *);
/* From here on this process has no rights but to go on with SESSION and to write PLAN's outputs. */
void guard(struct session *, struct plan *);
/* The keeper is not needed any more.  Says, with -v, what the sandbox was in the way of. */
void guard_over(void);

#endif
