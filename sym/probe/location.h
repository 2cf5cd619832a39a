/* Where a variable lies when the code at an address is about to run, as far as that is simple: a register, or memory at a register,
 * perhaps by way of pointers in memory (DWARF 5 sections 2.5 and 2.6). */
#ifndef SYM_PROBE_LOCATION_H
#define SYM_PROBE_LOCATION_H

#include "sym/dwarf/entry.h"

enum { LOCATION_DEPTH = 3 };

struct location {
	uint64_t reg;              /* by DWARF's number; or, from 1 on, which of the function's ARGUMENTs it is */
	bool argument;
	bool in_register;          /* it is the register itself; else memory: */
	bool entered;              /* only after the function's beginning has made its frame */
	unsigned depth;            /* so many pointers lie on the way: each at the address before, plus OFF */
	int64_t off[LOCATION_DEPTH];
	int64_t add;               /* what is added at last */
};

/* What the code at PC means by its frame: the caller's sp, as a register and an offset.  False: that is not known. */
struct call_frame {
	bool (*find)(struct modules *, struct module *, uint64_t pc, uint64_t *reg, int64_t *off);
	struct modules *modules;
	struct module *module;
};

/* NULL, or in words why prof cannot tell where VARIABLE of FUNCTION lies at PC. */
const char *location_of(const struct entry *variable, const struct entry *function, uint64_t pc, const struct call_frame *, struct location *);
/* Goes on to the memory that the pointer at this place points to; false: there are too many pointers on the way. */
bool location_follow(struct location *);

#endif
