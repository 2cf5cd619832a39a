/* Where functions of a file may begin that neither symbols nor frame descriptions tell of: at what its code calls, and at what its code
 * and data hold the address of.  Only for x86-64. */
#ifndef SYM_MODULE_BEGINNING_H
#define SYM_MODULE_BEGINNING_H

#include "module.h"

enum beginning_by { BEGINNING_CALLED, BEGINNING_TAKEN, BEGINNINGS };

/* Whether there is such a place in [LO, *AT]; *AT becomes the last of them.  The first question reads the whole file. */
bool beginning_before(struct modules *, struct module *, enum beginning_by, uint64_t lo, uint64_t *at);
/* The beginning of the function around VADDR, which nothing describes, or VADDR if prof does not find it. */
uint64_t beginning_of(struct modules *, struct module *, uint64_t vaddr);

#endif
