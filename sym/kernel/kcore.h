/* /proc/kcore is all of the kernel's memory.  prof reads only those tables in it that the kernel uses to print
 * /proc/kallsyms.  VMCOREINFO, a note in the file, says where they are; these functions give the caller nothing else. */
#ifndef SYM_KERNEL_KCORE_H
#define SYM_KERNEL_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Indexes of addresses: of the tables, as the kernel calls them, and of _stext; and the index of an address's number of
 * bytes. */
enum kcore_table { KCORE_NAMES, KCORE_NUM, KCORE_TOKENS, KCORE_INDEX, KCORE_OFFSETS, KCORE_BASE, KCORE_STEXT, KCORE_WORD, KCORE_TABLES };

struct kcore {
	int fd;                    /* -1: there is none, or it does not say where the tables are */
	bool opened;               /* with success or without */
	uint64_t lo, hi, off;      /* addresses that may be read, and where in the file LO is */
	uint64_t table[KCORE_TABLES];
};

/* FD: /proc/kcore, opened by sample/, or -1.  It then belongs to the struct, which closes it if the file does not say where
 * the tables are. */
void kcore_open(struct kcore *, int fd);
/* Reads up to N bytes from ADDR on, if they are the tables'; from 0 the addresses of the tables.  Returns how many. */
size_t kcore_read(const struct kcore *, uint64_t addr, void *to, size_t n);

#endif
