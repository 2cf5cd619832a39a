/* The kernel's and its modules' symbols, by /proc/kallsyms.  Read at the first question; restricted addresses (all zero)
 * count as none. */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include "symtab.h"

struct kallsyms;

struct kallsyms *kallsyms_open(struct arena *, int fd);   /* FD: /proc/kallsyms, opened by sample/; reads it all; NULL where it tells nothing */
/* MODULE gets the kernel module's name in brackets, or "[kernel]". */
bool kallsyms_find(const struct kallsyms *, uint64_t addr, struct symbol *, const char **module);

#endif
