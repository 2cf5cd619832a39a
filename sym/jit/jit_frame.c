/* See jit.h: the frame descriptions that a jitdump has brought. */
#include "jit.h"

enum { FORKS_MAX = 64 };   /* the most parents that a search goes back through */

bool
jit_frame(struct module *m, uint64_t vaddr, struct fde *f)
{
	for (unsigned forks = 0; m && forks < FORKS_MAX; forks++, m = m->parent) {
		struct jit *j = m->jit;
		const struct jit_table *t;
		uint32_t i;

		if (j->sorted != j->tables && sort_items(j->by_lo, j->tables))
			j->sorted = j->tables;
		if (j->sorted != j->tables || !(i = sort_upto(j->by_lo, j->tables, vaddr)))
			continue;
		t = &j->table[j->by_lo[i - 1].a];
		if (vaddr < t->hi && ehframe_alone(t->bytes, sizeof(void *) == 8, t->lo, t->hi, f))
			return true;
	}
	return false;
}
