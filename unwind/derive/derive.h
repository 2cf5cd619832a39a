/* Rules for code without a frame description, by reading its instructions. */
#ifndef UNWIND_DERIVE_DERIVE_H
#define UNWIND_DERIVE_DERIVE_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

/* A rule by reading the function's instructions, from its beginning to VADDR or from VADDR to its end: SILENT
 * where they do not tell, BARE where they cannot be read. */
void derive_rule(struct code_source *, struct module *, uint64_t vaddr, struct rule *);
/* As derive_rule, by the way from a place that the file calls, the nearest first, then from one that it has the address of: for code
 * whose instructions told what is not so, as those behind a call that never returns are another function's.  NEXT is 0 at first,
 * and then left as it is; false where no more are found, or were before. */
bool derive_named(struct code_source *, struct module *, uint64_t vaddr, unsigned *next, struct rule *);
/* Where the code at a file's entry ends, without a symbol: where it jumps away (the dynamic linker, to the program), else
 * behind its first call. */
uint64_t derive_entry_end(struct code_source *, struct module *, uint64_t entry);

#endif
