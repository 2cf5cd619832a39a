/* The names of a few kernel addresses, from the kernel itself: a BPF program lets bpf_snprintf print them (this needs Linux
 * 5.14, and the right to load a program).  Each takes a microsecond; /proc/kallsyms takes tens of milliseconds, for all
 * symbols. */
#ifndef SYM_KERNEL_BPF_NAMES_H
#define SYM_KERNEL_BPF_NAMES_H

#include <stddef.h>

/* A line "NAME+0xOFFSET/0xSIZE[ [MODULE]]" for each of ADDRS, in hex with a blank between, or "0x…" if nothing is there; only as
 * many lines as SIZE bytes surely hold.  Returns how many bytes; 0 if the kernel does not answer. */
size_t bpf_names(const char *addrs, char *text, size_t size);

#endif
