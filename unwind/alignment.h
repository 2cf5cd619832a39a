/* How the first instructions of a function make its sp from an earlier one: sp = ((that + BEFORE) & -ALIGN) + AFTER. */
#ifndef UNWIND_ALIGNMENT_H
#define UNWIND_ALIGNMENT_H

#include "unwind/arch/arch.h"

struct alignment {
	uint64_t before, align, after;
};

/* ALIGN is the size of a word at first. */
static inline void
alignment_follow(struct alignment *a, const struct insn *i, uint64_t word)
{
	if (i->op == INSN_SP_ADD) {
		a->after += (uint64_t)(int64_t)i->off;
	} else if (i->op == INSN_PUSH) {
		a->after -= word;
	} else if (i->op == INSN_SP_LOST && i->off < 0) {
		a->before += a->after;
		a->after = 0;
		a->align = (uint64_t)-(int64_t)i->off;
	}
}

static inline bool
alignment_is(const struct alignment *a, uint64_t word)
{
	return a->align >= word && !(a->align & (a->align - 1));
}

static inline uint64_t
alignment_sp(const struct alignment *a, uint64_t from)
{
	return ((from + a->before) & -a->align) + a->after;
}

#endif
