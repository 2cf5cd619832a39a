/* The kernel's and its modules' symbols, by /proc/kallsyms.  The kernel takes tens of milliseconds to print it: it is read as
 * far as it is asked for, and piece by piece while there is something to wait for.  Before that the tables behind it are tried
 * (kallsyms_tables.h), for the kernel's own, then what the kernel says of single addresses (bpf_names.h).  Restricted addresses (all zero) count as none. */
#ifndef SYM_KERNEL_KALLSYMS_H
#define SYM_KERNEL_KALLSYMS_H

#include "lib/mem.h"
#include "sym/module/symbol.h"

struct kallsyms;

/* FD: /proc/kallsyms, opened by sample/, and open until it is closed here.  READ: see kallsyms_tables_open; SAYS: see bpf_names; or
 * NULL.  NULL at the memory cap or without a descriptor. */
struct kallsyms *kallsyms_open(struct arena *, int fd, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n),
                               size_t (*says)(const char *addrs, char *text, size_t size));
void kallsyms_close(struct kallsyms *);
/* ADDR will be asked for: reads on as far as that takes, at most MAX symbols; false once there is no more to do. */
bool kallsyms_ahead(struct kallsyms *, uint64_t addr, uint32_t max);
/* These N addresses will be asked for, next. */
void kallsyms_all(struct kallsyms *, const uint64_t *addr, uint32_t n);
/* After reading what is not read yet: MODULE gets the kernel module's name in brackets, or "[kernel]". */
bool kallsyms_find(struct kallsyms *, uint64_t addr, struct symbol *, const char **module);

#endif
