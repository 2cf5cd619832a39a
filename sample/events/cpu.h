/* Which CPUs there are, and lists of them as the kernel and -C write them: "0,2-3". */
#ifndef SAMPLE_EVENTS_CPU_H
#define SAMPLE_EVENTS_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/mem.h"

enum { CPUS_MAX = 4096 };

struct cpus {
	unsigned long bit[CPUS_MAX / (8 * sizeof(unsigned long))];
};

/* The CPUs of LIST, ascending and once each, into CPU, which has room for CPUS_MAX.  NULL if all is well, else what is
 * wrong with the list, in words. */
const char *cpu_list(const char *list, int32_t *cpu, unsigned *n);
/* Whether CPU is in the list. */
bool cpu_in_list(const char *list, int32_t cpu);
/* Reads a list as cpu_list does, and each CPU must be online; the words may lie in the arena. */
const char *cpu_choose(const char *list, int32_t *cpu, unsigned *n, struct arena *);
/* The CPUs that are online, ascending, into CPU, which has room for CPUS_MAX.  Returns how many, at least 1. */
unsigned cpu_online(int32_t *cpu);
/* How many threads of the machine run or wait for a CPU at this moment; 0: the kernel does not say. */
uint32_t cpu_wanted(void);

void cpus_drop(struct cpus *, int32_t cpu);
/* The CPUs that this thread may run on, and sets them; false if the kernel does not say, or refuses. */
bool cpus_mine(struct cpus *);
bool cpus_keep_to(const struct cpus *);

#endif
