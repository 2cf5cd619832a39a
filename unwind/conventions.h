/* How code is followed that a process made, and that keeps a convention of its own.  Machines whose table does not name this have none of it. */
#ifndef UNWIND_CONVENTIONS_H
#define UNWIND_CONVENTIONS_H

#include "job.h"

struct base;

struct conventions {
	/* See saved_sp.h, */
	enum step (*saved_sp)(struct job *, const struct frame *f, const struct row *, uint64_t *cfa);
	/* aligned_frame.h, */
	bool (*aligned_rule)(struct job *, const struct frame *f, struct module *, uint64_t vaddr, struct rule *);
	/* convention.h, */
	const struct jumper *(*of)(struct unwinder *);
	/* jumped_frame.h, */
	enum step (*jumped)(struct job *, struct frame *f);
	bool (*jumped_known)(struct job *, const struct frame *f, const struct module *, struct rule *);
	/* hosted_frame.h, */
	enum step (*hosted_rule)(struct job *, const struct frame *f, struct module *, uint64_t vaddr, struct rule *);
	enum step (*hosted)(struct job *, struct frame *f);
	/* and jit_gap.h. */
	enum step (*gap_find)(struct job *, const struct regs *, int32_t tid, uint32_t above, struct frame *to, const struct base **);
	void (*gap_push)(struct job *, const struct base *);
	void (*gap_learn)(struct job *, int32_t tid, const struct frame *to, uint32_t from);
};

#endif
