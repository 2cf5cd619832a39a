/* The kernel's and its modules' symbols, by /proc/kallsyms.  The kernel takes tens of milliseconds to print them all, so prof
 * reads only as far as it needs, in pieces, while it waits for something else.  Before that it tries two faster ways: the
 * kernel's own tables (kallsyms_tables.h), for the kernel's own functions, and a BPF program that asks for single addresses
 * (bpf_names.h).  If all addresses are zero (restricted), there are no symbols. */
#ifndef SYM_KERNEL_KALLSYMS_H
#define SYM_KERNEL_KALLSYMS_H

#include "lib/mem.h"
#include "sym/module/symbol.h"
#include "kernel_file.h"

struct kallsyms;

/* FD: /proc/kallsyms, opened by sample/, and open until it is closed here.  READ: see kallsyms_tables_open; SAYS: see bpf_names; or
 * NULL.  NULL at the memory cap or without a descriptor. */
struct kallsyms *kallsyms_open(struct arena *, int fd, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n),
                               size_t (*says)(const char *addrs, char *text, size_t size));
/* Adds the functions of N files, of a kernel that ran elsewhere.  NULL before: it makes a new one, NULL at the memory cap. */
struct kallsyms *kallsyms_add_files(struct kallsyms *, struct arena *, const struct kernel_file *, uint32_t n);
/* Says that FD's kernel had been started anew: where it has its modules means nothing. */
void kallsyms_leave_modules(struct kallsyms *);
void kallsyms_close(struct kallsyms *);
/* Prepares a later question for ADDR: reads on up to it, at most MAX symbols; false if nothing is left to do. */
bool kallsyms_ahead(struct kallsyms *, uint64_t addr, uint32_t max);
/* Prepares later questions for these N addresses: if nothing is read yet, it will keep only what these need, and read all again for
 * another one. */
void kallsyms_all(struct kallsyms *, const uint64_t *addr, uint32_t n);
/* Finds the symbol, and reads more if that is needed.  MODULE gets the kernel module's name in brackets, or "[kernel]". */
bool kallsyms_find(struct kallsyms *, uint64_t addr, struct symbol *, const char **module);

#endif
