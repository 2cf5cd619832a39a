/* See kept_rules.h.  A rule depends on bytes of code alone.  Where prof finds that a page has changed, it forgets all that it knows of the
 * space's addresses; but compilers patch calls all the time, and most pages stay. */
#include "kept_rules.h"

enum { RULES_LOG = 11 };

struct kept_rule {
	uint64_t vaddr;
	struct code_extent extent;
	uint32_t module;          /* its number + 1; 0: empty */
	struct rule rule;
};

static struct kept_rule *
place(const struct code_source *src, const struct module *m, uint64_t vaddr)
{
	return &src->kept[hash_u64(vaddr ^ (uint64_t)m->id << 48) >> (32 - RULES_LOG)];
}

bool
kept_rules_find(struct code_source *src, const struct module *m, uint64_t vaddr, struct rule *r)
{
	const struct kept_rule *k = src->kept ? place(src, m, vaddr) : NULL;
	bool found = k && k->vaddr == vaddr && k->module == m->id + 1 && code_pages_same(&src->pages, src->space, &k->extent);

	if (found)
		*r = k->rule;
	else
		code_pages_note(&src->pages);
	return found;
}

void
kept_rules_add(struct code_source *src, const struct module *m, uint64_t vaddr, const struct rule *r)
{
	struct kept_rule k = { .vaddr = vaddr, .module = m->id + 1, .rule = *r };

	if (r->kind == RULE_LEFT || !code_pages_noted(&src->pages, &k.extent))
		return;
	if (src->kept || (src->kept = arena_alloc(src->arena, sizeof *src->kept << RULES_LOG)))
		*place(src, m, vaddr) = k;
}
