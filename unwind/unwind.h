/* From registers and a copy of the stack to codes.  Executes cached rules; parses only at the first sight of an address. */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "sym/module/code.h"
#include "sym/module/space.h"
#include "unwind/arch/arch.h"

enum { STACK_MAX = 2048 };   /* codes in one stack, at most; --max-stack lowers it */

/* The bytes [lo, lo + size) of a thread's stack at the moment of the sample. */
struct stack {
	uint64_t lo;
	uint64_t size;
	const uint8_t *bytes;
	struct beyond {            /* and more, from there on or from before its end; or nothing */
		uint64_t lo, size;
		const uint8_t *bytes;
	} beyond;
};

/* How a walk ended: ROOT is the only complete one. */
enum walk_end {
	WALK_ROOT,          /* at the thread's first function */
	WALK_STACK_SHORT,   /* the stack goes on beyond the copy */
	WALK_NO_RULE,       /* code without unwind information, and nothing that could be verified in its place */
	WALK_NO_MODULE,     /* a module that could not be opened */
	WALK_NO_MAP,        /* an address in no known map */
	WALK_BAD_RULE,      /* unwind information that lies or says what we cannot do */
	WALK_LOOP,          /* no progress */
	WALK_DEEP,          /* too many frames even to elide */
	WALK_ENDS
};

extern const char *const walk_end_words[WALK_ENDS];   /* "stack deeper than the copy", … */

/* What one walk found; codes are leaf first. */
struct walk {
	uint32_t code[STACK_MAX];
	uint32_t n;
	enum walk_end end;
	bool elided;             /* deeper than max: both ends kept, CODE_ELIDED between */
	bool fp_at_cut;          /* STACK_SHORT in code that keeps frame pointers: the kernel's own chain could go on */
	uint64_t used;           /* bytes of the stack, from sp, that the walk reached (or would have needed at the cut) */
	uint32_t by_cfi, by_fp, by_chain, by_code, by_libunwind;   /* frames by how they were stepped */
};

enum walk_mode { MODE_AUTO, MODE_CFI, MODE_FP };   /* --call-graph auto, dwarf, fp */

struct unwinder;   /* rules by code, and the cache of the hot path */

struct unwinder *unwinder_new(const struct arch *, struct modules *, struct codes *, enum walk_mode, uint32_t max_stack);
void unwinder_free(struct unwinder *);
/* The walks to come are of that machine's code.  A process's space is always of the same one's. */
void unwinder_set(struct unwinder *, const struct arch *);
/* Walks the user stack.  CHAIN is the kernel's own user callchain (NCHAIN return addresses, its first the pc; NULL where
 * not asked for), spliced on where the copy ends in code that keeps frame pointers. */
void unwind(struct unwinder *, struct space *, const struct regs *, const struct stack *,
            const uint64_t *chain, uint32_t nchain, struct walk *);
/* The user codes of a chain alone (--call-graph fp without a stack copy). */
void unwind_chain(struct unwinder *, struct space *, const uint64_t *chain, uint32_t nchain, struct walk *);
/* JIT code may have been written anew: looks, once in a while, whether what was read of it is still so.  TIME: in ns. */
void unwinder_compare(struct unwinder *, struct space *, uint64_t time);
/* The code of a single address in SPACE (exact, not a return address). */
uint32_t unwind_code(struct unwinder *, struct space *, uint64_t pc);

#endif
