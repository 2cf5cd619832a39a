/* Code that the kernel made while we looked: BPF programs, trampolines.  /proc/kallsyms may be read before it comes to be
 * or after it has gone. */
#ifndef SYM_KSYMBOL_H
#define SYM_KSYMBOL_H

#include "symtab.h"

struct ksymbol {
	struct symbol code;
	bool bpf;
};

/* Takes note of it, with a copy of its name; at most so many. */
void ksymbol_add(struct modules *, const struct symbol *, bool bpf);
/* The newest one at VADDR; MODULE gets "[bpf]" or "[kernel]". */
bool ksymbol_find(const struct modules *, uint64_t vaddr, struct symbol *, const char **module);

#endif
