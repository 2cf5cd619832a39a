/* See made_code.h. */
#include "made_code.h"

#include <string.h>

enum { MADE_MOST = 1 << 16 };

struct made_codes {
	struct module_owned owned;
	struct made_code {
		struct symbol symbol;
		bool bpf;
	} *code;                   /* in the order of time */
	uint32_t n, cap;
};

static void
free_codes(struct module_owned *o)
{
	struct made_codes *made = (struct made_codes *)o;

	vec_free(&made->code, &made->cap, sizeof *made->code);
}

/* NULL at the memory cap. */
static struct made_codes *
made_of(struct modules *ms)
{
	if (!ms->made && (ms->made = arena_alloc(&ms->arena, sizeof *ms->made)))
		modules_own(ms, &ms->made->owned, free_codes);
	return ms->made;
}

void
made_code_add(struct modules *ms, const struct symbol *symbol, bool bpf)
{
	struct made_code new = { *symbol, bpf };
	struct made_codes *made;

	if (!*symbol->name || symbol->lo >= symbol->hi || !(made = made_of(ms)) || made->n == MADE_MOST ||
	    !vec_room(&made->code, &made->cap, (uint64_t)made->n + 1, sizeof new) ||
	    !(new.symbol.name = arena_str(&ms->arena, symbol->name, strlen(symbol->name))))
		return;
	made->code[made->n++] = new;
}

bool
made_code_find(const struct modules *ms, uint64_t vaddr, struct symbol *s, const char **module)
{
	for (uint32_t i = ms->made ? ms->made->n : 0; i--; ) {
		const struct made_code *c = &ms->made->code[i];

		if (vaddr < c->symbol.lo || vaddr >= c->symbol.hi)
			continue;
		*s = c->symbol;
		*module = c->bpf ? "[bpf]" : "[kernel]";
		return true;
	}
	return false;
}
