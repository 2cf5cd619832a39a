/* /proc/kcore is all of the kernel's memory.  prof reads only those tables in it that the kernel uses to print
 * /proc/kallsyms.  VMCOREINFO, a note in the file, says where they are; these functions give the caller nothing else. */
#ifndef SYM_KERNEL_KCORE_H
#define SYM_KERNEL_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Their addresses, as the kernel calls them; of _stext, too; and how many bytes an address has. */
enum kcore_table { KCORE_NAMES, KCORE_NUM, KCORE_TOKENS, KCORE_INDEX, KCORE_OFFSETS, KCORE_BASE, KCORE_STEXT, KCORE_WORD, KCORE_TABLES };

struct kcore {
	int fd;                    /* -1: there is none, or it does not say where the tables are */
	bool opened;               /* whatever came of it */
	uint64_t lo, hi, off;      /* addresses that may be read, and where in the file LO is */
	uint64_t table[KCORE_TABLES];
};

/* FD: /proc/kcore, opened by sample/, or -1.  It belongs to the struct, and is closed where it does not tell. */
void kcore_open(struct kcore *, int fd);
/* Up to N bytes from ADDR on, if they are the tables'; of 0 the addresses of the tables.  How many. */
size_t kcore_read(const struct kcore *, uint64_t addr, void *to, size_t n);

#endif
