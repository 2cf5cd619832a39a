/* The stacks in a core file. */
#ifndef CMD_STACK_STACK_CORE_H
#define CMD_STACK_STACK_CORE_H

#include "sample/core/core_process.h"
#include "thread_stacks.h"

struct stack_core {
	const char *path;          /* "-": stdin */
	int fd;
	bool own;                  /* the file belongs to the user who runs prof */
	struct core core;
	struct core_process process;
};

/* Opens the file; false after an error message. */
bool stack_core_open(struct stack_core *);
/* Reads it, and follows the stacks; call it when prof has given up its rights.  False after an error message. */
bool stack_core_follow(struct stack_core *, struct thread_stacks *);
void stack_core_free(struct stack_core *);

#endif
