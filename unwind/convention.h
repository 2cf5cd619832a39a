/* Which convention the code follows that a process made: told by the function that enters it, which is known by its symbol. */
#ifndef UNWIND_CONVENTION_H
#define UNWIND_CONVENTION_H

#include "unwinder.h"

/* The function by which the process of this walk enters such code, or NULL. */
const struct jumper *convention_of(struct unwinder *);
/* Whether the function at START makes a frame and then jumps to code that leaves that frame alone; PAST: branches on the way are not
 * taken. */
bool convention_host(struct unwinder *, struct module *, uint64_t start, bool past, struct jumper *);

#endif
