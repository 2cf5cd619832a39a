/* /tmp/perf-PID.map: "START SIZE NAME" in hex, a line each, as JITs write it; the newest line for an address wins. */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include "symtab.h"

struct perfmap;

/* Reads all of FD, bounded in memory; NULL where there is nothing in it. */
struct perfmap *perfmap_open(struct arena *, int fd);
bool perfmap_find(const struct perfmap *, uint64_t addr, struct symbol *);
/* Whether it was too large, and only its beginning was kept. */
bool perfmap_cut(const struct perfmap *);

#endif
