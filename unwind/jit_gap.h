/* The thread's native frames beneath code that keeps its frames elsewhere, on stacks in the heap.  Between them and the innermost
 * frames that prof knows a stack shows [jit]. */
#ifndef UNWIND_JIT_GAP_H
#define UNWIND_JIT_GAP_H

#include "job.h"

struct base;   /* of a thread: a frame that stays as long as such code runs */

/* Where the walk goes on beneath such code, if the walk ended in it.  REGS: those of the sample; the code is among the
 * frames from ABOVE on.  OK: at TO, whose stack prof can
 * read; ROOT: with the frames of BASE, which an earlier walk found; NONE: prof cannot tell. */
enum step jit_gap_find(struct job *, const struct regs *, int32_t tid, uint32_t above, struct frame *to, const struct base **);
/* Pushes BASE's frames. */
void jit_gap_push(struct job *, const struct base *);
/* Notes what the walk has found beneath, from its frame FROM on, which was at TO. */
void jit_gap_learn(struct job *, int32_t tid, const struct frame *to, uint32_t from);

#endif
