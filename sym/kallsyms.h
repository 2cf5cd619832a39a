/* The kernel's and its modules' symbols, by /proc/kallsyms.  The kernel takes tens of milliseconds to print it: it can be
 * read piece by piece while there is something to wait for.  Restricted addresses (all zero) count as none. */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include "symtab.h"

struct kallsyms;

/* FD: /proc/kallsyms, opened by sample/, and open until it is read.  NULL at the memory cap or without a descriptor. */
struct kallsyms *kallsyms_open(struct arena *, int fd);
/* Reads on, at most MAX lines; false once there are no more. */
bool kallsyms_read(struct kallsyms *, uint32_t max);
/* After reading what is not read yet: MODULE gets the kernel module's name in brackets, or "[kernel]". */
bool kallsyms_find(struct kallsyms *, uint64_t addr, struct symbol *, const char **module);

#endif
