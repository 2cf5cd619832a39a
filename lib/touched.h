/* Pages that are not there until somebody touches them: who does is stopped by SIGSEGV until they are. */
#ifndef LIB_TOUCHED_H
#define LIB_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

/* A signal handler calls FILL with the address; FILL returns true if the address was its own, and is readable now.  A known
 * FILL is not added again.  False if the machine refuses. */
bool touched_fill(bool (*fill)(uintptr_t at));
/* For who has no memory to fill a page (RLIMIT_DATA): zeros are there instead, and what is being worked on is over. */
bool touched_zeros(uintptr_t at);

#endif
