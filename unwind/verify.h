/* Checks of a guess: whether there is a return address, or a frame record. */
#ifndef UNWIND_VERIFY_H
#define UNWIND_VERIFY_H

#include "job.h"

/* Whether RA can be a return address. */
bool verify_caller(struct job *, uint64_t ra);
/* Whether fp may point to a frame record. */
bool verify_record(const struct job *, const struct frame *);

/* Whether all registers are known, which is so for an interrupted pc. */
static inline bool
verify_known(const struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->code.arch;

	return f->exact && j->full.r[a->pc] == f->pc && j->full.r[a->sp] == f->sp;
}

#endif
