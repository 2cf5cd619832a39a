/* The processes that descend from some others, and the CPU time that they had. */
#ifndef SAMPLE_TASKS_CHILDREN_H
#define SAMPLE_TASKS_CHILDREN_H

#include <stdint.h>

struct children {
	struct child {
		int32_t pid;
		uint64_t cpu;      /* ns, in steps of 10 ms */
	} *child;
	uint32_t n, cap;
};

/* Finds the children that N processes have now, without prof's own processes. */
void children_find(struct children *, const int32_t *pid, unsigned n);
/* Keeps in NOW the CPU time since BEFORE, sorts the busiest first, and drops processes that had none. */
void children_since(struct children *now, const struct children *before);
void children_free(struct children *);

#endif
