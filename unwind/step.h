/* Steps by a full row, and out of signal frames. */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "unwind/cfi/cfi.h"
#include "job.h"

/* Gets the registers of the caller by a full row, and makes F the caller's frame.  ALL: no more registers can be known;
 * without it, the step fails if a missing register would lose fp.  Changes nothing unless it returns STEP_OK. */
enum step step_row(struct job *, const struct row *, struct regs *, struct frame *, bool all);
/* The registers of the caller by a signal trampoline's known layout, which begins at sp and the rule's cfa_off. */
enum step step_sigreturn(struct job *, const struct rule *, struct regs *, struct frame *);

#endif
