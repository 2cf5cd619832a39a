/* The way from a function's beginning to an address in it. */
#ifndef UNWIND_DERIVE_FROM_START_H
#define UNWIND_DERIVE_FROM_START_H

#include "flow.h"

enum {
	LABELS = 250,         /* branch targets of which prof remembers the state */
	LABELS_LOG = 9,
	STATES = 64,          /* fewer than LABELS: most code does not change the frame */
};

struct labels {
	unsigned n, states;
	bool same;                /* nothing has changed since prof kept the last state */
	uint64_t at[LABELS];
	uint8_t state[LABELS];
	uint8_t slot[1 << LABELS_LOG];   /* by address: number + 1, or 0 */
	struct flow flow[STATES];
};

/* The rule at the reader's address, by the way there from the function's beginning; false where the code does not tell.  LABELS:
 * room that is too large for the stack. */
bool derive_from_start(struct reader *, struct labels *, uint64_t start, struct rule *);
/* The rule for a complete frame: for code that no branch leads to (a handler), or too many. */
bool derive_from_prologue(struct reader *, uint64_t start, struct rule *);

#endif
