/* .ARM.exidx and .ARM.extab: what an ARM file says of how to leave its functions (Exception Handling ABI for the Arm
 * Architecture, sections 5 to 7).  What the instructions mean is unwind/'s business. */
#ifndef SYM_ELF_EXIDX_H
#define SYM_ELF_EXIDX_H

#include "elf.h"

/* What is said of the code from LO on, of one function or of several that are alike. */
struct exidx {
	uint64_t lo;
	bool cant;                 /* that nothing is said */
	uint8_t left;              /* instructions in WORD, a byte each, the next one on top */
	uint32_t word;
	struct cursor words;       /* those behind it */
};

/* False where there is no entry for VADDR, or none that makes sense. */
bool exidx_find(const struct elf *, uint64_t vaddr, struct exidx *);
/* The next instruction; behind the last one "finish" without end. */
uint8_t exidx_next(struct exidx *);

#endif
