/* What the kernel said of single addresses, one line each: see kbpf.h.  It is asked of many at once. */
#ifndef SYM_KSAID_H
#define SYM_KSAID_H

#include "sym/module/symtab.h"

struct ksaid;

/* SAYS: see kbpf_names.  NULL at the memory cap. */
struct ksaid *ksaid_open(struct arena *, size_t (*says)(const char *addrs, char *text, size_t size));
void ksaid_close(struct ksaid *);
/* Asks for these N, as far as they are not known.  False where the kernel does not answer, now or before. */
bool ksaid_ask(struct ksaid *, const uint64_t *addr, uint32_t n);
/* Whether it does: that is tried with ADDR, at first. */
bool ksaid_answers(struct ksaid *, uint64_t addr);
/* The symbol at ADDR, after asking: false where it has not answered.  Its name is NULL where the kernel knows none.  MODULE: as
 * kallsyms_find. */
bool ksaid_find(struct ksaid *, uint64_t addr, struct symbol *, const char **module);

#endif
