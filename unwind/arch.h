/* One machine as data: what the unwinder needs to know about it.  Own register numbers (DWARF's), so that every
 * machine's unwinder builds and runs on every host. */
#ifndef UNWIND_ARCH_H
#define UNWIND_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { REGS = 34, NO_REG = 255 };

/* Registers by DWARF number; pc too, where DWARF gives it one (its return address column). */
struct regs {
	uint64_t r[REGS];
	uint64_t known;            /* a bit each */
};

struct arch {
	const char *name;
	uint16_t machine;          /* e_machine of the files it reads */
	uint8_t word;              /* bytes of an address */
	uint8_t pc, sp, fp, ra;    /* DWARF numbers; ra is NO_REG where a call pushes it */
	int8_t rec_fp, rec_ra;     /* frame record: offsets from fp of the caller's fp and of the return address */
	uint64_t saved;            /* registers that a call preserves: a bit each */
	uint64_t addr_mask;        /* drops pointer signatures and tags */
	uint64_t sample;           /* perf's attr.sample_regs_user */
	const uint8_t *dwarf;      /* DWARF number of each bit set in `sample`, lowest first */
	/* The bytes of a signal trampoline without usable CFI, and where it finds the saved registers. */
	const uint8_t *sigreturn;
	uint8_t sigreturn_len;
	const struct sigreg { uint8_t reg; uint16_t sp_off; } *sigregs;
	uint8_t nsigregs;
};

extern const struct arch arch_x86_64;

/* The machine this binary was built for. */
extern const struct arch *const arch_host;

#endif
