/* The ladder of engines, in words: hardware cycles, cpu-clock, its user side alone, ptrace. */
#ifndef CMD_LADDER_H
#define CMD_LADDER_H

#include "closing.h"

/* What the ptrace engine must know of the machine's registers. */
void ladder_registers(struct capture *);
/* Which rung the capture stood on, and why on no higher one. */
void ladder_words(struct sink *, const struct closing *);
/* With -v: what each rung above said. */
void ladder_details(const struct ladder *);

#endif
