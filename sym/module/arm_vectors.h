/* Code that 32-bit ARM kernels give to processes without a file around it: the helpers in page [vectors]. */
#ifndef SYM_MODULE_ARM_VECTORS_H
#define SYM_MODULE_ARM_VECTORS_H

#include "module.h"
#include "symbol.h"

/* Makes a module of the N bytes of such a page; the first has address 0 as linked.  If they begin with an ELF header,
 * module_image makes it. */
struct module *arm_vectors_module(struct modules *, const char *path, const void *bytes, size_t n);
/* The helper at VADDR of a module that arm_vectors_module made. */
bool arm_vectors_find(const struct module *, uint64_t vaddr, struct symbol *);

#endif
