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

#endif
