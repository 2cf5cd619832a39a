/* The kernel's names of a few addresses, asked of the kernel itself: a BPF program has bpf_snprintf print them (Linux 5.14, and
 * the right to load one).  A microsecond each, where /proc/kallsyms takes tens of milliseconds for all that there are. */
#ifndef SYM_KERNEL_BPF_NAMES_H
#define SYM_KERNEL_BPF_NAMES_H

#include <stddef.h>

/* A line "NAME+0xOFFSET/0xSIZE[ [MODULE]]" for each of ADDRS, in hex with a blank between, or "0x…" where nothing is there; of as
 * many as SIZE bytes surely hold.  How many bytes; 0 where the kernel does not answer. */
size_t bpf_names(const char *addrs, char *text, size_t size);

#endif
