/* The weights of stacks by keys of their sites, each key once for a stack. */
#ifndef OUT_REPORT_STACK_WEIGHTS_H
#define OUT_REPORT_STACK_WEIGHTS_H

#include "out/profile/profile.h"

struct weight {
	uint64_t self, total;
};

/* The profile's stacks of codes in the order of a walk, and what each weighs. */
struct stacks {
	const struct profile *p;
	uint32_t *walk;
	uint64_t *self, *total;
	uint32_t walk_cap, self_cap, total_cap;
	uint64_t sum;
};

/* Opens the stacks of one event (UINT32_MAX: of all).  False at the memory cap; call stacks_free then, too. */
bool stacks_open(struct stacks *, const struct profile *, uint32_t event);
void stacks_free(struct stacks *);
/* Fills WEIGHT, which is all zero, for N keys: KEY has the key of each site, or UINT32_MAX.  False at the memory cap. */
bool stacks_weigh(const struct stacks *, const uint32_t *key, struct weight *weight, uint32_t n);
/* The location of a node of the profile's stacks of codes, or NULL. */
const struct location *stacks_location(const struct profile *, uint32_t node);

#endif
