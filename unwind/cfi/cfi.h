/* What a frame description says at one address, as a value: decoded once, executed many times (DWARF 5 section 6.4). */
#ifndef UNWIND_CFI_CFI_H
#define UNWIND_CFI_CFI_H

#include "sym/module/ehframe.h"
#include "unwind/arch/arch.h"

enum how {
	HOW_SAME,          /* the caller's value is ours */
	HOW_UNDEFINED,     /* lost; if it is the return address: this is the outermost frame */
	HOW_OFFSET,        /* saved at CFA + off */
	HOW_VALUE,         /* is CFA + off */
	HOW_REGISTER,      /* is in register `off` */
	HOW_EXPR,          /* saved at the address that the expression gives */
	HOW_VALUE_EXPR,    /* is what the expression gives */
};

struct place {
	const uint8_t *expr;     /* in the module's bytes */
	int32_t off;             /* of an expression: its length */
	uint8_t how;             /* enum how */
};

/* The row of the table at one address. */
struct row {
	uint64_t set;            /* the registers that the description names, a bit each; REG is valid for these only */
	int64_t cfa_off;         /* of an expression: its length */
	const uint8_t *cfa_expr; /* or NULL */
	uint16_t ra;
	uint8_t cfa_reg;
	bool big;                /* byte order of the expressions */
	bool signal;
	bool debug;              /* of .debug_frame */
	enum row_truth {
		ROW_TRUE,
		ROW_LATE,        /* false while the function makes its frame, and while it removes it */
		ROW_TOLD,        /* by a process, of code that it made: true if it finds a caller */
		ROW_MUTE,        /* describes the function's beginning, and says nothing about the code behind that */
	} truth;
	bool ra_signed;          /* aarch64 */
	struct place reg[REGS];
};

/* NULL if all is well, else what is wrong with the description, in words. */
const char *cfi_row(const struct arch *, const struct fde *, uint64_t vaddr, struct row *);
/* cfi_brief.c: does the same faster, for the CFA, fp and the return address alone; false if the description is an unusual
 * one. */
bool cfi_brief(const struct arch *, const struct fde *, uint64_t vaddr, struct row *);

/* row_mend.c: a return address never lies in the caller's frame.  If a row says so, it has forgotten what was pushed before
 * (glibc's row of _dl_runtime_resolve, on aarch64).  If a row says nothing, it is true for a leaf, but not for such assembly
 * (riscv64's). */
void row_mend(const struct arch *, const struct fde *, uint64_t vaddr, struct row *);

/* The place where the row finds a register. */
static inline struct place
row_place(const struct row *row, unsigned reg)
{
	return reg < REGS && row->set >> reg & 1 ? row->reg[reg] : (struct place){ .how = HOW_SAME };
}

#endif
