/* Pages that are not there until somebody touches them: SIGSEGV stops that thread until they are. */
#ifndef LIB_TOUCHED_H
#define LIB_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

/* A signal handler calls FILL with the address; FILL returns true if the address was its own, and is readable now.  A known
 * FILL is not added again.  False if the machine refuses. */
bool touched_fill(bool (*fill)(uintptr_t at));
/* Without memory to fill a page (RLIMIT_DATA): the page is zeros, and the work in progress ends. */
bool touched_zeros(uintptr_t at);

#endif
