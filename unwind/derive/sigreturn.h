/* Signal trampolines without a description. */
#ifndef UNWIND_DERIVE_SIGRETURN_H
#define UNWIND_DERIVE_SIGRETURN_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

/* Whether a signal trampoline is here, and its rule.  It may be returned to (VADDR is the byte before it then,
 * and may be another one's last) or be interrupted: at either instruction, and within its system call, when pc is behind it,
 * where i686's musl has the next one. */
bool sigreturn_rule(struct code_source *, struct module *, uint64_t vaddr, struct rule *);

#endif
