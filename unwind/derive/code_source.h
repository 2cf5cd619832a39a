/* The code of the process of this walk: its bytes, from any source, and what prof sees in a piece of code at first sight. */
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

/* The instructions from VADDR on; empty if they cannot be read.  They are valid until the next call. */
struct cursor code_bytes(struct code_source *, const struct module *, uint64_t vaddr);
/* Whether a call ends right before VADDR. */
bool code_after_call(struct code_source *, struct module *, uint64_t vaddr);
/* The beginning of a function without a frame description, by its symbol; HI: its end. */
bool code_function(struct code_source *, struct module *, uint64_t vaddr, uint64_t *lo, uint64_t *hi);
/* Whether the code at VADDR is of the machine's other instruction set (A32 and T32); and its instruction there. */
bool code_other(struct code_source *, struct module *, uint64_t vaddr);
void code_decode(struct code_source *, struct module *, uint64_t vaddr, struct insn *);
/* Looks whether JIT code has changed: see unwinder_compare. */
void code_compare(struct code_source *, struct space *, uint64_t time);

#endif
