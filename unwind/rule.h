/* Makes rules from frame descriptions, or from other sources if there is no description. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include "unwind/cfi/cfi.h"
#include "unwinder.h"

/* Finds the rule for the code at VADDR of a module.  False if nothing describes the code: then rule_undescribed reads the
 * code itself. */
bool rule_find(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
void rule_undescribed(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
/* The description of the code at VADDR; false if there is none. */
bool rule_fde(struct unwinder *, struct module *, uint64_t vaddr, struct fde *);

enum { ROWS = 64 };

struct row_cache {
	uint64_t vaddr;
	uint32_t module;          /* + 1 */
	struct row row;
};

/* The full row there, cached; NULL if there is none, or not any more. */
const struct row *rule_row(struct unwinder *, struct module *, uint64_t vaddr);

#endif
