/* What prof knows about sp, fp and the return address while it reads code, and how each instruction changes that. */
#ifndef UNWIND_DERIVE_FLOW_H
#define UNWIND_DERIVE_FLOW_H

#include "code_source.h"
#include "unwind/cfi/step_rule.h"

enum {
	GENERAL = 16,         /* registers */
	CONSTANTS = 4,
	INSN_LONGEST = 15,
};

/* What is in a register.  ORIGINAL: the value that it had at the base. */
enum { ANYWHERE = INT32_MIN };

enum holds { HOLDS_ORIGINAL, HOLDS_FRAME, HOLDS_SLOT, HOLDS_ZERO, HOLDS_ELSE };

/* fp, and the return address. */
struct held {
	int32_t at;           /* FRAME: its value; SLOT: where it was loaded from, in what was on the stack before */
	int32_t slot;         /* SAVED: where the original was stored; or ANYWHERE */
	uint8_t in;           /* enum holds */
	bool saved;
};

/* What prof knows before an instruction, relative to a base.  From the function's beginning on, the base is the CFA.  Forward
 * from an address, it is sp or fp at that address. */
struct flow {
	uint64_t at;          /* of the instruction */
	int32_t sp;
	struct held fp, ra, other;
	int32_t load_at;      /* REALIGNED: where the CFA lies, from the original fp */
	struct far far;       /* in code that a process made */
	struct constant { int32_t value; uint8_t reg; } constant[CONSTANTS];   /* what is known of registers: see constant() */
	int16_t loaded[GENERAL];   /* registers that the code read from below the original fp: from where, else 0 */
	uint8_t popped;       /* the register that took the return address, from the beginning on; or NO_REG */
	bool sp_known;
	bool forward;
	bool base_fp;         /* forward only */
	bool base_other;
	bool record;          /* the original fp pointed to a frame record: the code restores fp from there */
	bool realigned;       /* sp came from a register that the code read from the frame, behind a frame record */
	bool called, entered; /* a call, a system call */
};

struct reader {
	struct code_source *src;
	struct module *m;
	int32_t word;
	int32_t pushed;       /* what a call pushes: a word, or 0 */
	bool other;           /* code of the other instruction set */
	uint64_t vaddr;       /* asked for */
	uint64_t start;       /* of the function, or 0 */
	struct cursor run;    /* the code from RUN_AT on */
	uint64_t run_at;
	const uint8_t *insn;  /* the last one, and the bytes from there on; valid until the next */
	uint64_t left;
};

struct reader flow_reader(struct code_source *, struct module *, uint64_t vaddr);
/* What is known where a function begins. */
struct flow flow_begin(const struct reader *, uint64_t start);
/* Reads the code again: another reader may have replaced it. */
void flow_reread(struct reader *);
/* The instruction at AT; false if prof can read none. */
bool flow_insn(struct reader *, uint64_t at, struct insn *);
/* Goes on to the next instruction that may matter, or to the one at the reader's address; see arch->skip. */
void flow_skip(struct reader *, struct flow *, bool calls, struct branches *);
/* Applies an instruction to F; AT stays as it is. */
void flow_apply(const struct reader *, const struct insn *, struct flow *);
/* Applies a return that restores registers. */
void flow_restore(const struct reader *, const struct insn *, struct flow *);
/* Follows the register with an address over the instruction that flow_insn has read; true: it jumps there. */
bool flow_far(const struct reader *, const struct insn *, struct flow *);
/* Whether a register's value is known. */
bool flow_constant(const struct flow *, unsigned reg, int32_t *value);

#endif
