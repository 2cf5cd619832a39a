/* Which threads have equal stacks, and do the same. */
#ifndef CMD_STACK_EQUAL_STACKS_H
#define CMD_STACK_EQUAL_STACKS_H

struct thread_stacks;

/* Says what each thread waits for, whether it has moved since an earlier look, and which are equal.  Call it once all is named. */
void equal_stacks(struct thread_stacks *);

#endif
