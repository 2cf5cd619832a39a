/* DWARF expressions as frame descriptions use them (DWARF 5 section 2.5). */
#ifndef UNWIND_CFI_EXPR_H
#define UNWIND_CFI_EXPR_H

#include "lib/cursor.h"
#include "unwind/arch/arch.h"
#include "frame.h"
#include "memory.h"

/* Computes *RESULT.  The stack of values begins with INITIAL, unless that is NULL.  At STEP_OUTSIDE *RESULT is the address
 * that it needs. */
enum step expr_eval(struct cursor expr, const struct arch *, const struct regs *, const struct memory *,
                    const uint64_t *initial, uint64_t *result);

#endif
