/* Functions of the kernel by ELF files: vmlinux, and the files of kernel modules, whose sections the kernel places when it loads
 * them. */
#ifndef SYM_KERNEL_KERNEL_FILE_H
#define SYM_KERNEL_KERNEL_FILE_H

#include "sym/module/module.h"

struct kernel_file {
	struct module *file;
	const char *module;        /* the kernel module's name, in brackets; NULL: it is vmlinux */
	uint64_t lo, hi;           /* where the kernel module's code was */
};

/* Calls TAKE for each function, with a type as in /proc/kallsyms; and for each end of a section, with type 0 and no name. */
void kernel_file_symbols(const struct kernel_file *, void (*take)(void *ctx, uint64_t addr, char type, const char *name), void *ctx);
/* The address of vmlinux's SYMBOL, as linked; 0: it has none. */
uint64_t kernel_file_address(struct module *vmlinux, const char *symbol);

#endif
