/* .ARM.exidx and .ARM.extab: what an ARM file says about how to leave its functions (Exception Handling ABI for the Arm
 * Architecture, sections 5 to 7).  What the instructions mean is unwind/'s business. */
#ifndef SYM_ELF_EXIDX_H
#define SYM_ELF_EXIDX_H

#include "elf.h"

/* What the table says about the code from LO on: one function, or several with the same instructions. */
struct exidx {
	uint64_t lo;
	bool cant;                 /* the code cannot be unwound */
	uint8_t left;              /* instructions in WORD, a byte each, the next one on top */
	uint32_t word;
	struct cursor words;       /* those behind it */
};

/* False if VADDR has no entry, or one that makes no sense. */
bool exidx_find(const struct elf *, uint64_t vaddr, struct exidx *);
/* The next instruction; behind the last one it gives "finish" each time. */
uint8_t exidx_next(struct exidx *);

#endif
