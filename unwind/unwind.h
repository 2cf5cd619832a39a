/* From registers and a copy of the stack to codes.  Executes cached rules; parses only at the first sight of an address. */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "sym/module/code.h"
#include "sym/module/space.h"
#include "unwind/arch/arch.h"
#include "walk.h"

extern const char *const walk_end_words[WALK_ENDS];   /* "stack deeper than the copy", … */

struct unwinder;   /* rules by code, and the cache of the hot path */

struct unwinder *unwinder_new(const struct arch *, struct modules *, struct codes *, enum walk_mode, uint32_t max_stack);
void unwinder_free(struct unwinder *);
/* Says that the next walks are in code of that machine.  The space of a process always belongs to one machine. */
void unwinder_set(struct unwinder *, const struct arch *);
/* Walks the user stack.  CHAIN is the kernel's own user callchain (NCHAIN return addresses, its first the pc; NULL if nobody
 * asked for it); the walk goes on by it if the copy ends in code that keeps frame pointers. */
void unwind(struct unwinder *, struct space *, const struct regs *, const struct stack *,
            const uint64_t *chain, uint32_t nchain, struct walk *);
/* Makes the user codes from a chain alone (--call-graph fp without a stack copy).  LINK: the return address that was in a register, or
 * 0: the chain lacks it where the innermost function has no frame yet. */
void unwind_chain(struct unwinder *, struct space *, const uint64_t *chain, uint32_t nchain, uint64_t link, struct walk *);
/* Makes a walk that finds nothing and ends like that. */
void unwind_not(struct walk *, enum walk_end);
/* JIT code may have changed: once in a while prof compares what it has read with the process.  TIME: in ns. */
void unwinder_compare(struct unwinder *, struct space *, uint64_t time);
/* How often prof did not read JIT code because that would have taken more of the CPU than it is worth. */
uint32_t unwinder_left(const struct unwinder *);
/* The code of a single address in SPACE (exact, not a return address). */
uint32_t unwind_code(struct unwinder *, struct space *, uint64_t pc);

#endif
