/* Which CPUs there are, and lists of them as the kernel and -C write them: "0,2-3". */
#ifndef SAMPLE_CPU_H
#define SAMPLE_CPU_H

#include <stdint.h>

enum { CPUS_MAX = 4096 };

/* The numbers of LIST, ascending and once each, into CPU.  NULL if all is well, else what is wrong, in words that the
 * next call overwrites. */
const char *cpu_list(const char *list, int32_t *cpu, unsigned *n, unsigned max);
/* The CPUs that are online, at least one.  Returns how many. */
unsigned cpu_online(int32_t *cpu, unsigned max);
/* As cpu_list, and each must be online. */
const char *cpu_choose(const char *list, int32_t *cpu, unsigned *n, unsigned max);

#endif
