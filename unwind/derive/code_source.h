/* The code of the process of this walk: its bytes, from any source, and what prof sees in a piece of code at first sight. */
#ifndef UNWIND_DERIVE_CODE_SOURCE_H
#define UNWIND_DERIVE_CODE_SOURCE_H

#include "code_pages.h"
#include "sym/module/space.h"
#include "unwind/arch/arch.h"

/* A map of a module, in a space of EPOCH (0: none). */
struct mapped {
	const struct module *module;
	uint32_t epoch;
	uint64_t lo, hi, bias;
};

struct code_source {
	struct arena *arena;
	const struct arch *arch;
	struct modules *modules;
	struct space *space;       /* of the walk under way: prof reads JIT code from its process */
	struct code_pages pages;
	bool remade;               /* code in parts of files that are data there is read from the process, too */
	bool passes;               /* the callers of such code make the records of their callees: see callers_record.c.  It holds for one rule */
	bool switches;             /* such code keeps its frames elsewhere, not on the stack of sp.  The same */
	struct derive_work *work;  /* see derive.h */
	struct kept_rule *kept;    /* see kept_rules.h */
	struct dead_end_sets *dead;   /* see dead_ends.h */
	struct mapped mapped;      /* the last one */
	uint64_t followed;         /* instructions, and other work that takes as long */
	uint64_t forgiven;         /* ns: until when; */
	uint32_t in_vain;          /* instructions of code that a process made, followed in vain; time makes it less */
};

/* Whether the process has code at ADDR that it made itself, as M. */
bool code_is_made(const struct code_source *, const struct module *, uint64_t addr);
/* The instructions from VADDR on; empty if prof cannot read them.  They are valid until the next call. */
struct cursor code_bytes(struct code_source *, const struct module *, uint64_t vaddr);
/* Whether the code is read from the process now. */
bool code_is_live(const struct code_source *, const struct module *, uint64_t vaddr);
/* Where the process has the code at VADDR of a module whose code it made or loaded, or 0. */
uint64_t code_address(struct code_source *, const struct module *, uint64_t vaddr);
/* Whether a call ends right before VADDR. */
bool code_after_call(struct code_source *, struct module *, uint64_t vaddr);
/* The target of the call that returns to the place behind VADDR, by its instruction; 0: the instruction does not tell. */
uint64_t code_called(struct code_source *, struct module *, uint64_t vaddr);
/* The beginning of a function without a frame description, by its symbol; HI: its end. */
bool code_function(struct code_source *, struct module *, uint64_t vaddr, uint64_t *lo, uint64_t *hi);
/* Whether the code at VADDR is of the machine's other instruction set (A32 and T32); and its instruction there. */
bool code_other(struct code_source *, struct module *, uint64_t vaddr);
void code_decode(struct code_source *, struct module *, uint64_t vaddr, struct insn *);
/* Notes that prof has FOLLOWED so many instructions in vain, of code that a process made; and whether there is time for such
 * code. */
void code_in_vain(struct code_source *, uint64_t followed);
bool code_has_time(struct code_source *);
/* Looks whether JIT code has changed: see unwinder_compare. */
void code_compare(struct code_source *, struct space *, uint64_t time);

#endif
