/* Rules for code without a frame description, by reading its instructions. */
#ifndef UNWIND_DERIVE_DERIVE_H
#define UNWIND_DERIVE_DERIVE_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

/* A rule by reading the function's instructions, from its beginning to VADDR or from VADDR to its end: SILENT if they do not
 * show it, BARE if prof cannot read them, LEFT if prof lately followed too much code of processes in vain. */
void derive_rule(struct code_source *, struct module *, uint64_t vaddr, struct rule *);
/* Like derive_rule, but for code with a wrong rule: the instructions before it may belong to another function, if that one
 * ends in a call that never returns.  Follows the code from places that the file calls, the nearest first, then from places
 * that the file has the address of.  The caller sets NEXT to 0 at first, and does not change it.  False if there are no more
 * rules, or if an earlier search found no more. */
bool derive_named(struct code_source *, struct module *, uint64_t vaddr, unsigned *next, struct rule *);
/* The rule for code that the function at START jumps to, by an address in a register, once it has made a frame: such code runs
 * with the frame as it is.  END: behind the jump; BACK: the code there takes the same frame away.  PAST: branches on the way there are not
 * taken.  False if the function does no such thing. */
bool derive_jumped(struct code_source *, struct module *, uint64_t start, bool past, struct rule *, uint64_t *end, bool *back);
/* By how much sp rises from VADDR on until the code jumps to an address in a register or in memory; false if prof finds no way to such a
 * jump. */
bool derive_rise(struct code_source *, struct module *, uint64_t vaddr, int32_t *rise);
/* Where the code at a file's entry ends, without a symbol: where it jumps away (the dynamic linker, to the program), else
 * behind its first call. */
uint64_t derive_entry_end(struct code_source *, struct module *, uint64_t entry);

#endif
