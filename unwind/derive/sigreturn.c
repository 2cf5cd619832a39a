/* Signal trampolines, known by their instructions: arch->trampolines, as kernels and C libraries have them.  See
 * sigreturn.h. */
#include "sigreturn.h"

#include <string.h>

enum { TRAMPOLINE_MOST = 10 };   /* the longest's BACK */

/* Whether another function begins behind the trampoline: then that function is more likely the interrupted one. */
static bool
begins(struct code_source *src, struct module *m, uint64_t vaddr)
{
	uint64_t lo, hi;

	return code_function(src, m, vaddr, &lo, &hi) && lo == vaddr;
}

/* The trampoline that begins BACK - 1 bytes before VADDR, if the pc may be that far behind its beginning. */
static const struct trampoline *
trampoline(struct code_source *src, struct module *m, uint64_t vaddr, unsigned back)
{
	struct cursor code = code_bytes(src, m, vaddr + 1 - back);

	for (unsigned i = 0; i < src->arch->ntrampolines; i++) {
		const struct trampoline *t = &src->arch->trampolines[i];
		struct cursor c = code;
		const uint8_t *p = cur_take(&c, t->len);

		if (back <= t->back && p && *p == *t->bytes && !memcmp(p, t->bytes, t->len))
			return t;
	}
	return NULL;
}

/* Whether no trampoline begins at any place where one might. */
static bool
none(struct code_source *src, struct module *m, uint64_t vaddr)
{
	struct cursor c = code_bytes(src, m, vaddr + 1 - TRAMPOLINE_MOST);

	if (cur_left(&c) < TRAMPOLINE_MOST + 2)
		return false;
	for (unsigned i = 0; i <= TRAMPOLINE_MOST; i++)
		for (unsigned k = 0; k < src->arch->ntrampolines; k++)
			if (!memcmp(c.pos + i, src->arch->trampolines[k].bytes, 2))
				return false;
	return true;
}

bool
sigreturn_rule(struct code_source *src, struct module *m, uint64_t vaddr, struct rule *r)
{
	const struct trampoline *t;
	bool packed = src->arch->align == 1;

	if (none(src, m, vaddr))
		return false;
	/* i686's sigreturn begins with a byte that pops: what is interrupted there has not popped yet. */
	if (packed && (t = trampoline(src, m, vaddr, 1)) && trampoline(src, m, vaddr, 0)) {
		*r = (struct rule){ .kind = RULE_SIGRETURN, .cfa_off = t->context };
		return true;
	}
	for (unsigned i = 0; i <= (!packed && vaddr % src->arch->align ? 0 : TRAMPOLINE_MOST); i++) {
		unsigned back = i ? TRAMPOLINE_MOST + 1 - i : 0;

		if ((t = trampoline(src, m, vaddr, back)) && (back <= t->len || !begins(src, m, vaddr) || (packed && trampoline(src, m, vaddr, 1)))) {
			*r = (struct rule){ .kind = t->back ? RULE_SIGRETURN : RULE_KEPT, .cfa_off = t->context };
			return true;
		}
	}
	return false;
}
