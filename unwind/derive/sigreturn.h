/* Signal trampolines without a description. */
#ifndef UNWIND_DERIVE_SIGRETURN_H
#define UNWIND_DERIVE_SIGRETURN_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

/* Whether VADDR is in a signal trampoline, and its rule.  A handler may return to it: then VADDR is the byte before it,
 * perhaps the last one of another trampoline.  Or it may be interrupted, at each of its instructions.  During its system call
 * the pc is behind it, where i686's musl has the next trampoline. */
bool sigreturn_rule(struct code_source *, struct module *, uint64_t vaddr, struct rule *);

#endif
