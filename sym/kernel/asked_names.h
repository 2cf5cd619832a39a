/* The kernel's answers about single addresses, one line each: see bpf_names.h.  prof asks about many at once. */
#ifndef SYM_KERNEL_ASKED_NAMES_H
#define SYM_KERNEL_ASKED_NAMES_H

#include "lib/mem.h"
#include "sym/module/symbol.h"

struct asked_names;

/* SAYS: see bpf_names.  NULL at the memory cap. */
struct asked_names *asked_names_open(struct arena *, size_t (*says)(const char *addrs, char *text, size_t size));
void asked_names_close(struct asked_names *);
/* Asks for those of the N addresses that are not known.  False if the kernel does not answer, or did not before. */
bool asked_names_ask(struct asked_names *, const uint64_t *addr, uint32_t n);
/* Whether the kernel answers: the first call tries that with ADDR. */
bool asked_names_answers(struct asked_names *, uint64_t addr);
/* The symbol at ADDR, once asked: false if the kernel has not answered.  The name is NULL if the kernel knows none.  MODULE: as
 * kallsyms_find. */
bool asked_names_find(struct asked_names *, uint64_t addr, struct symbol *, const char **module);

#endif
