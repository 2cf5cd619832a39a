/* A stack beyond its copy, while the thread stands: its pages, as the BPF program for deep stacks reads them, and written in the
 * same parts (see sample/events/deep_program.h). */
#ifndef SAMPLE_PTRACE_STOPPER_DEEP_H
#define SAMPLE_PTRACE_STOPPER_DEEP_H

#include "sample/events/deep_program.h"
#include "stopper_emit.h"

struct deep_copy {
	uint64_t pages;            /* pages read; 0: the copy is enough, as far as prof tells */
	uint64_t page[DEEP_STOPPED / DEEP_PAGE];   /* their addresses */
	uint8_t bytes[DEEP_STOPPED];
};

/* Reads on from SP + GOT, where the copy of the stack of thread TID ends: as far as walks went there before, or (if prof does not
 * know yet) as far as there is memory. */
void deep_take(struct deep_copy *, const struct deep_told *, int32_t tid, uint64_t sp, uint64_t got);
/* Writes the pages as parts of the sample of WORD; BEFORE parts of it are written already.  Behind one that found no room it
 * writes none, because the reader takes none. */
void deep_tell(const struct deep_copy *, struct emit *, const uint64_t *word, uint64_t before);

#endif
