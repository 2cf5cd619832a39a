/* Code that the kernel made while we looked: BPF programs, trampolines.  /proc/kallsyms may be read before it comes to be or
 * after it has gone. */
#ifndef SYM_KERNEL_MADE_CODE_H
#define SYM_KERNEL_MADE_CODE_H

#include "sym/module/module.h"
#include "sym/module/symbol.h"

/* Takes note of it, with a copy of its name; at most so many. */
void made_code_add(struct modules *, const struct symbol *, bool bpf);
/* The newest one at VADDR; MODULE gets "[bpf]" or "[kernel]". */
bool made_code_find(const struct modules *, uint64_t vaddr, struct symbol *, const char **module);

#endif
