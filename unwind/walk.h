/* What a walk gets, and what it finds. */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "unwind/cfi/memory.h"

enum { WALK_STACKS = 5 };
enum { STACK_MAX = 2048 };   /* codes in one stack, at most; --max-stack lowers it */

/* The bytes [lo, lo + size) of a thread's stack at the moment of the sample. */
struct stack {
	uint64_t lo;
	uint64_t size;
	const uint8_t *bytes;
	struct pieces beyond;
	int32_t tid;              /* 0: not known */
};

/* How a walk ended: ROOT is the only complete one. */
enum walk_end {
	WALK_ROOT,          /* at the thread's first function */
	WALK_STACK_SHORT,   /* the stack goes on beyond the copy */
	WALK_NO_RULE,       /* code without unwind information, and nothing that could be verified in its place */
	WALK_NO_MODULE,     /* a module that prof could not open */
	WALK_NO_MAP,        /* an address in no known map */
	WALK_BAD_RULE,      /* unwind information that lies or says what we cannot do */
	WALK_LOOP,          /* no progress */
	WALK_DEEP,          /* too many frames even to elide */
	WALK_UNSURE,        /* nobody knows what the process had mapped */
	WALK_ENDS
};

/* What one walk found; codes are leaf first. */
struct walk {
	uint32_t code[STACK_MAX];
	uint64_t sp[STACK_MAX + 1];   /* where the frame's part of the stack begins, 0: not known; and where the last one's ends */
	uint32_t n;
	enum walk_end end;
	bool elided;             /* deeper than max: both ends kept, CODE_ELIDED between */
	bool gap;                /* CODE_JIT stands for frames of code that keeps none on this stack */
	bool fp_at_cut;          /* STACK_SHORT in code that keeps frame pointers: the kernel's own chain could go on */
	uint32_t stacks;
	struct walked stack[WALK_STACKS];   /* those that it went through; if there are more, the first ones */
	uint64_t used;           /* bytes of the first one, from sp on, that the walk reached (or would have needed at the cut) */
	uint32_t by_cfi, by_fp, by_chain, by_code, by_libunwind;   /* frames by the way of their step */
};

enum walk_mode { MODE_AUTO, MODE_CFI, MODE_FP };   /* --call-graph auto, dwarf, fp */

#endif
