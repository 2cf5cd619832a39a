/* What a frame description says at one address, as a value: decoded once, executed many times (DWARF 5 section 6.4). */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "../sym/ehframe.h"
#include "arch.h"

enum how {
	HOW_SAME,          /* the caller's value is ours */
	HOW_UNDEFINED,     /* lost; of the return address: this is the outermost frame */
	HOW_OFFSET,        /* saved at CFA + off */
	HOW_VALUE,         /* is CFA + off */
	HOW_REGISTER,      /* is in register `off` */
	HOW_EXPR,          /* saved at the address that the expression gives */
	HOW_VALUE_EXPR,    /* is what the expression gives */
};

struct place {
	uint8_t how;             /* enum how */
	int32_t off;
	struct cursor expr;
};

/* The row of the table at one address. */
struct row {
	bool cfa_is_expr;
	uint8_t cfa_reg;
	int64_t cfa_off;
	struct cursor cfa_expr;
	struct place reg[REGS];
	uint64_t set;            /* the registers that the program spoke of: a bit each */
	uint16_t ra;
	bool signal;
	bool ra_signed;          /* aarch64 */
};

/* NULL if all is well, else what is wrong with the description, in words. */
const char *cfi_row(const struct arch *, const struct fde *, uint64_t vaddr, struct row *);

#endif
