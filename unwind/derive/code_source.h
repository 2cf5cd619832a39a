/* The code of the process that is walked: its bytes, wherever they are, and what can be told of a piece of it at once. */
#ifndef UNWIND_DERIVE_CODE_SOURCE_H
#define UNWIND_DERIVE_CODE_SOURCE_H

#include "sym/module/space.h"
#include "unwind/arch/arch.h"

struct code_source {
	struct arena *arena;
	const struct arch *arch;
	struct modules *modules;
	struct space *space;       /* of the walk under way: JIT code is read from its process */
	struct code_page *page;
	struct derive_work *work;  /* see derive.h */
};

/* The instructions from VADDR on, empty where there are none to be read.  They last until others are asked for. */
struct cursor code_bytes(struct code_source *, const struct module *, uint64_t vaddr);
/* Whether a call ends right before VADDR. */
bool code_after_call(struct code_source *, struct module *, uint64_t vaddr);
/* Where a function begins that is not described, by its symbol; HI its end. */
bool code_function(struct code_source *, struct module *, uint64_t vaddr, uint64_t *lo, uint64_t *hi);
/* Whether the code at VADDR is of the machine's other instruction set (A32 and T32); and its instruction there. */
bool code_other(struct code_source *, struct module *, uint64_t vaddr);
void code_decode(struct code_source *, struct module *, uint64_t vaddr, struct insn *);
/* JIT code may have been written anew: see unwinder_compare. */
void code_compare(struct code_source *, struct space *, uint64_t time);

#endif
