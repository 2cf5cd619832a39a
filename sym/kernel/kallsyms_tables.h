/* The names of the kernel proper, off the tables in its memory that /proc/kallsyms prints them from: a few instructions a
 * symbol, where printing takes a thousand. */
#ifndef SYM_KTABLES_H
#define SYM_KTABLES_H

#include "kcore.h"
#include "sym/module/symtab.h"

struct ktables;

/* READ: how the kernel's memory is read, as foreign_read does of PID 0; what there is at address 0 see kcore_read.  NULL where
 * the tables are not to be had. */
struct ktables *ktables_open(struct arena *, size_t (*read)(int32_t pid, uint64_t addr, void *to, size_t n));
/* Whether ADDR lies between _stext and the last symbol. */
bool ktables_hold(const struct ktables *, uint64_t addr);
/* The symbol of code at ADDR, which they hold, quickly if that is no lower than the one before.  False where there is none to be told. */
bool ktables_find(struct ktables *, uint64_t addr, struct symbol *);

#endif
