/* Where functions begin that nothing names, by their first instructions. */
#ifndef UNWIND_DERIVE_FUNCTION_START_H
#define UNWIND_DERIVE_FUNCTION_START_H

#include "code_source.h"

/* Where the function that VADDR is in seems to begin, by the instructions that make its frame. */
bool function_start(struct code_source *, struct module *, uint64_t vaddr, uint64_t *start);
/* Where assembly without a frame seems to begin that VADDR is in: aligned, behind padding. */
bool function_aligned(struct code_source *, const struct module *, uint64_t vaddr, uint64_t *start);

#endif
