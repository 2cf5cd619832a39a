/* Rules that prof has derived from code that a process made, as long as that code stays the same: also if other code of the process changes,
 * and if the process describes this code, and is not believed. */
#ifndef UNWIND_DERIVE_KEPT_RULES_H
#define UNWIND_DERIVE_KEPT_RULES_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

/* Whether prof keeps a rule for VADDR; call it before deriving one: then prof notes what code it reads for that. */
bool kept_rules_find(struct code_source *, const struct module *, uint64_t vaddr, struct rule *);
/* Keeps a rule that was derived since. */
void kept_rules_add(struct code_source *, const struct module *, uint64_t vaddr, const struct rule *);

#endif
