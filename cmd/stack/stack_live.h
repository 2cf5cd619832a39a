/* The stacks of processes that live: taken with prof's rights, followed without them. */
#ifndef CMD_STACK_STACK_LIVE_H
#define CMD_STACK_STACK_LIVE_H

#include "cmd/options/target_options.h"
#include "sample/snapshot.h"
#include "thread_stacks.h"

struct stack_live {
	struct snapshots snapshots;
	struct capture capture;    /* which processes */
	struct processes *processes;
	bool twice;                /* look again a second later, */
	uint32_t second;           /* from this one on */
};

/* Takes what there is; false after an error message. */
bool stack_live_take(struct stack_live *, const struct target_options *);
/* Before prof gives up its rights.  False at the memory cap. */
bool stack_live_ready(struct stack_live *, struct modules *);
/* Follows the stacks; false at the memory cap. */
bool stack_live_follow(struct stack_live *, struct thread_stacks *);
void stack_live_free(struct stack_live *);

#endif
