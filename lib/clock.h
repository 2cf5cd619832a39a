/* Clocks, in ns. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_ns(clockid_t);
/* The clock of the samples' times, CLOCK_MONOTONIC. */
uint64_t clock_now(void);

#endif
