/* What derive*.c share: what is known of sp, fp and the return address while code is read.  Private to them. */
#ifndef UNWIND_DERIVE_H
#define UNWIND_DERIVE_H

#include "unwind/cfi/step_rule.h"

enum {
	LABELS = 250,         /* branch targets whose state is remembered */
	LABELS_LOG = 9,
	STATES = 64,          /* of which there are fewer: most code leaves the frame alone */
	PATHS = 400,          /* compiled Java has many before its first return */
	GENERAL = 16,         /* registers */
	CONSTANTS = 4,
	INSN_LONGEST = 15,
};

/* What is in a register.  Original: what was in it at the base. */
enum { ANYWHERE = INT32_MIN };

enum holds { HOLDS_ORIGINAL, HOLDS_FRAME, HOLDS_SLOT, HOLDS_ZERO, HOLDS_ELSE };

/* fp, and the return address. */
struct held {
	int32_t at;           /* FRAME: its value; SLOT: where it was loaded from, in what was on the stack before */
	int32_t slot;         /* SAVED: where the original was stored; or ANYWHERE */
	uint8_t in;           /* enum holds */
	bool saved;
};

/* What is known before an instruction, relative to a base: the CFA (from the function's beginning on); sp, or fp as it
 * was, at the address asked for (forward). */
struct flow {
	uint64_t at;          /* of the instruction */
	int32_t sp;
	struct held fp, ra, other;
	int32_t load_at;      /* REALIGNED: where the CFA lies, from the original fp */
	struct constant { int32_t value; uint8_t reg; } constant[CONSTANTS];   /* what is known of registers: see constant() */
	int16_t loaded[GENERAL];   /* registers that were read from below the original fp: from where, else 0 */
	uint8_t popped;       /* the register that took the return address, from the beginning on; or NO_REG */
	bool sp_known;
	bool forward;
	bool base_fp;         /* forward only */
	bool base_other;
	bool record;          /* the original fp pointed to a frame record, for it was restored from there */
	bool realigned;       /* sp came from a register that was read from the frame, behind a frame record */
	bool called, entered; /* a call, a system call */
};

struct reader {
	struct unwinder *u;
	struct module *m;
	int32_t word;
	int32_t pushed;       /* what a call pushes: a word, or 0 */
	bool other;           /* code of the other instruction set */
	uint64_t vaddr;       /* asked for */
	uint64_t start;       /* of the function, or 0 */
	struct cursor run;    /* the code from RUN_AT on */
	uint64_t run_at;
};

struct labels {
	unsigned n, states;
	bool same;                /* nothing has changed since the last state was kept */
	uint64_t at[LABELS];
	uint8_t state[LABELS];
	uint8_t slot[1 << LABELS_LOG];   /* by address: number + 1, or 0 */
	struct flow flow[STATES];
};

/* Paths that are still to be followed. */
struct ways {
	struct flow path[PATHS];
	uint64_t seen[PATHS];
	unsigned paths, nseen, budget;
	bool unsure;              /* one of them led nowhere */
	bool called;              /* one led to a call */
	bool entered;             /* one to a system call, and no further */
	bool by_fp;               /* one uses fp as the base of a frame */
};

enum { SOUGHT = 256 };

/* Too large for the stack. */
struct derive_work {
	struct labels labels;
	struct ways ways;
	uint64_t sought[SOUGHT];  /* addresses of which derive_named has told all that it knows, by their hash */
	uint64_t sought_in;       /* bytes of files, for all of them */
	struct spots spots;       /* of the last one */
};

/* ---- derive_flow.c ---- */

struct reader flow_reader(struct unwinder *, struct module *, uint64_t vaddr);
/* What was read of the code may be gone: others have read since. */
void flow_reread(struct reader *);
/* The instruction at AT; false where none can be read. */
bool flow_insn(struct reader *, uint64_t at, struct insn *);
/* Goes on to the next that may do something, or to the one that the reader's address lies in; see arch->skip. */
void flow_skip(struct reader *, struct flow *, bool calls, struct branches *);
/* What it does to F, whose AT stays. */
void flow_apply(const struct reader *, const struct insn *, struct flow *);
/* What a return does that restores registers. */
void flow_restore(const struct reader *, const struct insn *, struct flow *);
/* Whether a register's value is known. */
bool flow_constant(const struct flow *, unsigned reg, int32_t *value);

/* ---- derive_told.c ---- */

/* The rule where F, which is known from the function's beginning on, holds; false where it does not tell. */
bool flow_rule(const struct reader *, const struct flow *, struct rule *);
/* The rule at the address from which F was followed forward to a return; false likewise. */
bool flow_returned(const struct reader *, const struct flow *, struct rule *);
/* By a frame record; where that does not tell the CFA, as in code that cannot be read. */
void flow_record(const struct reader *, struct rule *);

/* ---- derive_begin.c, derive_forward.c: false where the code does not tell ---- */

/* The rule at the reader's address, by the way there from the function's beginning. */
bool derive_from_start(struct reader *, uint64_t start, struct rule *);
/* As the frame is once it has been made: for code that no branch leads to (a handler), or that too many do. */
bool derive_from_prologue(struct reader *, uint64_t start, struct rule *);
/* The rule at START by a way from there to a return.  RETURNS: it is behind a call. */
bool derive_forward(struct reader *, uint64_t start, bool returns, struct rule *);

#endif
