/* Where functions without a name begin, by their first instructions. */
#ifndef UNWIND_DERIVE_FUNCTION_START_H
#define UNWIND_DERIVE_FUNCTION_START_H

#include "code_source.h"

/* Where the function around VADDR seems to begin, by the instructions that make its frame. */
bool function_start(struct code_source *, struct module *, uint64_t vaddr, uint64_t *start);
/* Where code without a frame around VADDR seems to begin: aligned, behind padding. */
bool function_aligned(struct code_source *, const struct module *, uint64_t vaddr, uint64_t *start);
/* The same for code that a process made, behind 8 bytes of zeros: no instruction has so many (Mono's trampolines). */
bool function_behind_zeros(struct code_source *, const struct module *, uint64_t vaddr, uint64_t *start);

/* Where a part of a function that a process made begins, if its other parts call it, and it takes the return address away at once: then it
 * runs in the function's frame (sljit's fast calls, of PCRE). */
bool function_part(struct code_source *, struct module *, uint64_t vaddr, uint64_t *start);

#endif
