/* /tmp/perf-PID.map: "START SIZE NAME" in hex, a line each, as JITs write it; the newest line for an address wins. */
#ifndef SYM_JIT_PERFMAP_H
#define SYM_JIT_PERFMAP_H

#include "lib/lines.h"
#include "jitcode.h"

struct perfmap_reader {
	struct lines lines;
	uint64_t from;
};

/* Reads all of FD, with bounded memory; NULL if there is nothing in it.  It belongs to the caller, as jitcode_new's does. */
struct jitcode *perfmap_open(struct arena *, int fd);

/* Reads the lines in [FROM, UPTO) one by one: each range and its name. */
void perfmap_from(struct perfmap_reader *, int fd, uint64_t from, uint64_t upto);
bool perfmap_next(struct perfmap_reader *, struct jit_range *, const char **name, size_t *len);
/* Where the last complete line ends now; FROM if no complete line follows it. */
uint64_t perfmap_whole(int fd, uint64_t from);

#endif
