/* What prof stack shows: threads with their stacks, and which threads have equal ones. */
#ifndef CMD_STACK_THREAD_STACKS_H
#define CMD_STACK_THREAD_STACKS_H

#include "cmd/capture/collector.h"

struct core;
struct snapshot;

struct stack_thread {
	int32_t pid, tid;
	const char *comm;
	const char *name;          /* what the program itself calls it, or NULL */
	enum language_lock lock;   /* of its interpreter */
	char state;                /* of proc(5), or 0 */
	const char *call, *file, *wchan;   /* see struct snapshot: "" where not known */
	const char *why;           /* why there is no stack, or NULL */
	const char *waits;         /* what it does or waits for, in words, or NULL; see waits_for.h */
	uint64_t ran;              /* ns of CPU in all */
	uint32_t code, ncode;      /* of the stack, innermost first */
	bool complete;             /* the stack reaches the thread's first function */
	bool stood;                /* prof stopped it, and had all its registers */
	bool again;                /* of a second look: MOVED and BETWEEN mean something */
	bool moved;                /* it has another stack than before, or has run */
	uint64_t between;          /* ns of CPU since the first look */
	uint32_t same;             /* the first thread that has the same stack, and does the same */
};

struct thread_stacks {
	struct collector collector;
	struct stack_thread *thread;
	uint32_t n, cap, first;    /* FIRST: of the last look */
	uint32_t *code;
	uint32_t ncode, cap_code;
	uint32_t incomplete;       /* stacks; */
	uint32_t asleep;           /* those of them whose threads prof did not stop */
	const struct core *core;   /* or NULL */
};

/* Adds a thread; its stack is the first N codes of the collector's.  NULL at the memory cap. */
struct stack_thread *thread_stacks_add(struct thread_stacks *, const struct stack_thread *, uint32_t n);
void thread_stacks_free(struct thread_stacks *);
/* Calls SHOW for each frame, innermost first; an inlined function comes before the one that it is inlined into.  Call it once all
 * is named. */
void thread_stacks_frames(const struct thread_stacks *, const struct stack_thread *,
                   void (*show)(void *ctx, const struct function *, uint32_t line, const struct location *), void *ctx);

#endif
