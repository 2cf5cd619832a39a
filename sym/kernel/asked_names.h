/* What the kernel said of single addresses, one line each: see bpf_names.h.  It is asked of many at once. */
#ifndef SYM_KERNEL_ASKED_NAMES_H
#define SYM_KERNEL_ASKED_NAMES_H

#include "lib/mem.h"
#include "sym/module/symbol.h"

struct asked_names;

/* SAYS: see bpf_names.  NULL at the memory cap. */
struct asked_names *asked_names_open(struct arena *, size_t (*says)(const char *addrs, char *text, size_t size));
void asked_names_close(struct asked_names *);
/* Asks for these N, as far as they are not known.  False where the kernel does not answer, now or before. */
bool asked_names_ask(struct asked_names *, const uint64_t *addr, uint32_t n);
/* Whether it does: that is tried with ADDR, at first. */
bool asked_names_answers(struct asked_names *, uint64_t addr);
/* The symbol at ADDR, after asking: false where it has not answered.  Its name is NULL where the kernel knows none.  MODULE: as
 * kallsyms_find. */
bool asked_names_find(struct asked_names *, uint64_t addr, struct symbol *, const char **module);

#endif
