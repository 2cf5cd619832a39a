/* The names of the kernel proper, off the tables in its memory that /proc/kallsyms prints them from: a few instructions a
 * symbol, where printing takes a thousand. */
#ifndef SYM_KERNEL_KALLSYMS_TABLES_H
#define SYM_KERNEL_KALLSYMS_TABLES_H

#include "lib/mem.h"
#include "sym/module/symbol.h"
#include "kcore.h"

struct kallsyms_tables;

/* READ: how the kernel's memory is read, as foreign_read does of PID 0; what there is at address 0 see kcore_read.  NULL where
 * the tables cannot be read. */
struct kallsyms_tables *kallsyms_tables_open(struct arena *, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n));
/* Whether ADDR lies between _stext and the last symbol. */
bool kallsyms_tables_hold(const struct kallsyms_tables *, uint64_t addr);
/* The symbol of code at ADDR, which they hold, quickly if that is no lower than the one before.  False where there is none to be told. */
bool kallsyms_tables_find(struct kallsyms_tables *, uint64_t addr, struct symbol *);

#endif
