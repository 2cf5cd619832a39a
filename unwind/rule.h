/* From frame descriptions to rules; and where there is none, from what else tells. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include "unwind/cfi/cfi.h"
#include "unwinder.h"

/* Finds out the rule for the code at VADDR of a module.  False where nothing describes it and it is to be looked at by itself:
 * rule_undescribed. */
bool rule_find(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
void rule_undescribed(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
/* What describes the code at VADDR; false where nothing does. */
bool rule_fde(struct unwinder *, struct module *, uint64_t vaddr, struct fde *);

enum { ROWS = 64 };

struct row_cache {
	uint64_t vaddr;
	uint32_t module;          /* + 1 */
	struct row row;
};

/* The full row there, cached; NULL where there is none (any more). */
const struct row *rule_row(struct unwinder *, struct module *, uint64_t vaddr);

#endif
