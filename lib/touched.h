/* Pages that are not there until somebody touches them: who does is stopped by SIGSEGV until they are. */
#ifndef LIB_TOUCHED_H
#define LIB_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

/* FILL is called in a signal handler, with the address; true where it was one of its own, and is there now.  One that is known
 * already is not added again.  False where the machine refuses. */
bool touched_fill(bool (*fill)(uintptr_t at));

#endif
