/* The registers of a thread that is stopped by ptrace. */
#ifndef SAMPLE_PTRACE_THREAD_REGISTERS_H
#define SAMPLE_PTRACE_THREAD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct prstatus;

/* Puts them into TO (64 words), in the order of a sample's.  WITH: first for the host's tasks, then for those of 32 bits (see
 * capture.h); COMPAT says which it is, POINTER what the thread pointer is (0: not known).  Returns how many they are; 0 if the
 * kernel does not give them. */
unsigned thread_registers(int32_t tid, const struct prstatus *with, uint64_t *to, bool *compat, uint64_t *pointer);

#endif
