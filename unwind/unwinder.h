/* What an unwinder keeps from walk to walk: rules by code, and what lies at addresses. */
#ifndef UNWIND_UNWINDER_H
#define UNWIND_UNWINDER_H

#include "sym/module/code.h"
#include "alignment.h"
#include "unwind/derive/code_source.h"
#include "unwind/cfi/step_rule.h"
#include "walk.h"

/* The hot cache: what lies at an address of a space. */
struct entry {
	uint64_t addr;
	uint32_t epoch;           /* of the space; 0: empty */
	uint32_t code;
	struct rule rule;
	uint32_t unused;
};

enum { WAYS = 2 };

struct set {
	struct entry way[WAYS];   /* together one cache line */
};

/* A function that makes a frame for other code, and jumps there: see jumped_frame.c. */
enum { JUMPERS = 8, PLAINS = 256 };
enum enters {
	CODE_HOSTED,              /* the code runs in its frame: see hosted_frame.c */
	CODE_SWITCHES,            /* it is no frame, and the code keeps its frames elsewhere: see jit_gap.c */
	CODE_FRAMES,              /* the code keeps frames as native code does, so that nothing more need be known */
	CODE_PASSES,              /* the code's callers make the frame records of their callees: see callers_record.c */
};

struct jumper {
	struct module *module;    /* NULL: none */
	uint64_t start, end;      /* END: behind the jump */
	enum enters how;
	bool stays;               /* see convention.c */
	uint32_t epoch;           /* of the space, when prof read it */
	struct rule rule;         /* of that frame */
};

/* A function of a file that does not jump so. */
struct plain {
	const struct module *module;
	uint64_t start;
};

/* saved_sp.c's: where the function at [LO, HI) of that module keeps sp as it was at its entry: OFF bytes from its sp.  OFF < 0: nowhere. */
struct saved_place {
	struct module *module;
	uint64_t lo, hi;
	struct alignment from_entry;
	int64_t off;
};

/* Where a thread's outermost frame was, by its rule. */
enum { ROOTS = 64 };
struct thread_root {
	uint64_t sp;
	int32_t tid;
	uint32_t epoch;           /* of the space */
};

struct unwinder {
	struct arena arena;
	struct code_source code;
	uint64_t mask;            /* the machine's addr_mask, or what the machine we run on says of itself */
	uint64_t host_mask;
	struct codes *codes;
	enum walk_mode mode;
	uint32_t max_stack;
	struct set *set;
	uint16_t *rule_of;        /* by code: the number of its rule + 1, 0 where it is not known */
	uint32_t codes_ruled;
	struct rule *rule;        /* the different rules, about one for a thousand codes */
	uint32_t rules, rules_cap;
	struct index rule_index;
	uint32_t found;           /* how often prof looked for a rule; each time may bring pages of a file into memory */
	struct row_cache *rows;   /* rule.c's: full rows of the last general rules */
	struct trail *trail;      /* unwind.c's: by epoch and region of the stack */
	struct thread_root root[ROOTS];   /* by TID */
	struct jumper jumper[JUMPERS];
	uint32_t jumpers;         /* found, in all */
	struct plain plain[PLAINS];     /* by START */
	struct jumper convention;      /* convention.c's: that of the space of its EPOCH, when its maps were BOUND so often */
	uint32_t convention_bound;
	struct saved_place saved;
	struct jumper reserve;         /* hosted_frame.c's */
	struct module *runtime;        /* the library of its space that may have it, or NULL, as of RUNTIME_EPOCH and RUNTIME_BOUND */
	uint32_t runtime_epoch, runtime_bound;
	struct bases *bases;      /* jit_gap.c's; NULL: none yet */
	struct entry spare;       /* for what the cache could not take */
	bool full_always;         /* for tests: every step restores all registers */
};

#endif
