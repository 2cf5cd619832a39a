/* What the unwinder knows of code, for probes. */
#ifndef CMD_CAPTURE_PROBED_CODE_H
#define CMD_CAPTURE_PROBED_CODE_H

#include "sym/module/module.h"

/* The caller's sp when the code at PC is about to run, by the code's description: a register by DWARF's number, and what is added to it. */
bool call_frame(struct modules *, struct module *, uint64_t pc, uint64_t *reg, int64_t *off);
/* Where the instruction that holds VADDR begins, as one finds it from the function's beginning on: BEGIN, or what its description says (BEGIN
 * 0: nothing else does).  VADDR itself if prof cannot tell. */
uint64_t instruction_at(struct modules *, struct module *, uint64_t begin, uint64_t vaddr);

#endif
