/* A walk that is under way. */
#ifndef UNWIND_JOB_H
#define UNWIND_JOB_H

#include "unwinder.h"

struct job {
	struct unwinder *u;
	struct space *space;
	struct memory memory;
	struct walk *walk;
	uint64_t at;              /* number of the frame that the walk steps from */
	uint64_t where;           /* the address that the step needed at STEP_OUTSIDE */
	struct regs full;         /* all registers that are known, of the frame numbered FULL_AT */
	uint64_t full_at;
	struct frame full_frame;  /* the same one */
	uint32_t signals;
	uint32_t ring;            /* where the next code goes once the stack is too deep */
	enum step_by { BY_CFI, BY_FP, BY_CODE, BY_SECOND } by;   /* the last step */
	uint8_t flags;            /* of its rule */
	bool by_hand;             /* prof verified the step by more words than those of its rule */
	struct rule derived;      /* its rule, if it was derived and the step depends on the rule's words alone; else NONE */
	bool lost;                /* it was in a module that prof could not open */
};

#endif
