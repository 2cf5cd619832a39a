/* The kernel's symbols, and code that it made while we looked: BPF programs, trampolines.  /proc/kallsyms may be read before
 * it comes to be or after it has gone. */
#ifndef SYM_KSYMBOL_H
#define SYM_KSYMBOL_H

#include "sym/module/symtab.h"

/* No function is longer: what lies farther behind a symbol is something else. */
enum { KSYMBOL_SIZE_MAX = 128 << 10 };

/* Of two symbols at one address that with the lower rank is shown, by its type: a global one before a weak one before a local. */
static inline unsigned
ksymbol_rank(char type)
{
	return type == 'T' ? 0 : type == 't' ? 2 : 1;
}

struct ksymbol {
	struct symbol code;
	bool bpf;
};

/* Takes note of it, with a copy of its name; at most so many. */
void ksymbol_add(struct modules *, const struct symbol *, bool bpf);
/* The newest one at VADDR; MODULE gets "[bpf]" or "[kernel]". */
bool ksymbol_find(const struct modules *, uint64_t vaddr, struct symbol *, const char **module);

#endif
