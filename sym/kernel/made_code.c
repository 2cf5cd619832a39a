/* See ksymbol.h. */
#include "kernel_symbol.h"

#include <string.h>

enum { KSYMBOLS_MAX = 1 << 16 };

void
ksymbol_add(struct modules *ms, const struct symbol *code, bool bpf)
{
	struct ksymbol k = { *code, bpf };

	if (!*code->name || code->lo >= code->hi || ms->nksymbol == KSYMBOLS_MAX ||
	    !vec_room(&ms->ksymbol, &ms->ksymbol_cap, (uint64_t)ms->nksymbol + 1, sizeof k) ||
	    !(k.code.name = arena_str(&ms->arena, code->name, strlen(code->name))))
		return;
	ms->ksymbol[ms->nksymbol++] = k;
}

bool
ksymbol_find(const struct modules *ms, uint64_t vaddr, struct symbol *s, const char **module)
{
	for (uint32_t i = ms->nksymbol; i--; ) {
		const struct ksymbol *k = &ms->ksymbol[i];

		if (vaddr < k->code.lo || vaddr >= k->code.hi)
			continue;
		*s = k->code;
		*module = k->bpf ? "[bpf]" : "[kernel]";
		return true;
	}
	return false;
}
