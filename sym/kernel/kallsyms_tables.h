/* The names of the kernel itself (not of modules), from the tables in its memory that it uses to print /proc/kallsyms.  This
 * takes a few instructions for each symbol; printing takes a thousand. */
#ifndef SYM_KERNEL_KALLSYMS_TABLES_H
#define SYM_KERNEL_KALLSYMS_TABLES_H

#include "lib/mem.h"
#include "sym/module/symbol.h"
#include "kcore.h"

struct kallsyms_tables;

/* READ: reads the kernel's memory, as foreign_read does for PID 0; kcore_read says what is at address 0.  NULL if the tables
 * cannot be read. */
struct kallsyms_tables *kallsyms_tables_open(struct arena *, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n));
/* Whether ADDR lies between _stext and the last symbol. */
bool kallsyms_tables_hold(const struct kallsyms_tables *, uint64_t addr);
/* The symbol of code at ADDR, which must be in the tables.  It is quick if ADDR is not lower than the last one.  False if no
 * symbol is known. */
bool kallsyms_tables_find(struct kallsyms_tables *, uint64_t addr, struct symbol *);

#endif
