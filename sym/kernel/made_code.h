/* Code that the kernel made during the capture: BPF programs, trampolines.  prof may read /proc/kallsyms before the code
 * exists or after it is gone. */
#ifndef SYM_KERNEL_MADE_CODE_H
#define SYM_KERNEL_MADE_CODE_H

#include "sym/module/module.h"
#include "sym/module/symbol.h"

/* Notes such code, with a copy of its name; the number is bounded. */
void made_code_add(struct modules *, const struct symbol *, bool bpf);
/* The newest one at VADDR; MODULE gets "[bpf]" or "[kernel]". */
bool made_code_find(const struct modules *, uint64_t vaddr, struct symbol *, const char **module);

#endif
