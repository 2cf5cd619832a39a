/* See jit.h: the frame descriptions that a jitdump has brought, or that the process keeps for debuggers. */
#include "jit.h"

enum { FORKS_MAX = 64 };   /* the most parents that a search goes back through */

static bool
dumped_frame(struct jit *j, uint64_t vaddr, struct fde *f)
{
	const struct jit_table *t;
	uint32_t i;

	if (j->sorted != j->tables && sort_items(j->by_lo, j->tables))
		j->sorted = j->tables;
	if (j->sorted != j->tables || !(i = sort_upto(j->by_lo, j->tables, vaddr)))
		return false;
	t = &j->table[j->by_lo[i - 1].a];
	return vaddr < t->hi && ehframe_alone(t->bytes, sizeof(void *) == 8, t->lo, t->hi, f);
}

bool
jit_frame(struct module *m, uint64_t vaddr, struct fde *f)
{
	for (unsigned forks = 0; m && forks < FORKS_MAX; forks++, m = m->parent)
		if (dumped_frame(m->jit, vaddr, f) || registered_frame(&m->jit->registered, vaddr, f))
			return true;
	return false;
}
