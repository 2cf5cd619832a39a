/* What libunwind makes of a sample. */
#ifndef TESTS_BENCH_ORACLE_H
#define TESTS_BENCH_ORACLE_H

#include "unwind/unwind.h"

/* Fills in the frames' addresses, at most MAX, innermost first; returns how many. CACHED: libunwind keeps rules from one walk to
 * the next. */
unsigned oracle_walk(struct space *, const struct regs *, const struct stack *, bool cached, uint64_t *ip, unsigned max);
/* Whether a table that it can search describes the code there. */
bool oracle_table(struct space *, uint64_t ip);

#endif
