/* The lock that lets one thread at a time interpret (the GIL): where it is, and who has it. */
#ifndef SYM_LANGUAGE_PYTHON_GIL_H
#define SYM_LANGUAGE_PYTHON_GIL_H

#include "look.h"
#include "python_image.h"

enum { PYTHON_GIL_SIZE = 224 };   /* bytes, with the condition and the mutex that threads wait for it at */

/* Of a process before 3.13. */
struct python_gil {
	uint64_t at;               /* its address, or 0 */
	uint64_t tried;            /* ns: when it was looked for last */
};

/* The GIL of the interpreter at INTERPRETER (from 3.13 on), else the process's; 0: not known.  RUNTIME: _PyRuntime; ROOM: a page;
 * IS_THREAD: whether there is a thread's state at an address. */
uint64_t python_gil_find(struct python_gil *, const struct python_image *, struct look *, uint64_t runtime, uint64_t interpreter, uint8_t *room,
                         bool (*is_thread)(const void *ctx, uint64_t state), const void *ctx);
/* The thread's state whose thread has the GIL; 0: none. */
uint64_t python_gil_holder(const struct python_image *, struct look *, uint64_t gil);

#endif
