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

/* What one instruction does to the stack and to the flow, as far as it concerns unwinding code without CFI. */
enum insn_op {
	INSN_PLAIN,        /* nothing of concern */
	INSN_PUSH,         /* one word */
	INSN_POP,          /* into REG, if that can be told */
	INSN_SP_ADD,       /* sp += off */
	INSN_SP_FROM_FP,   /* sp = fp + off */
	INSN_SP_FROM_REG,  /* sp = REG + off */
	INSN_SP_LOST,      /* sp = what cannot be told */
	INSN_FP_FROM_SP,   /* fp = sp + off */
	INSN_FP_STORE,     /* the word at sp + off = fp */
	INSN_FP_LOAD,      /* fp = the word at sp + off */
	INSN_FP_ZERO,
	INSN_FP_LOST,
	INSN_LOAD,         /* REG = the word at fp + off */
	INSN_LEAVE,        /* sp = fp, then a pop of fp */
	INSN_SYSCALL,
	INSN_CALL,
	INSN_BRANCH,       /* to the target, or on */
	INSN_JUMP,         /* to the target */
	INSN_JUMP_AWAY,    /* somewhere in this function, or out of it */
	INSN_RETURN,       /* or leaves for a function that returns in our stead */
	INSN_STOP,         /* nothing comes behind */
	INSN_BAD,          /* not an instruction, as far as we know */
};

struct insn {
	uint8_t op, len;
	bool of_fp;                /* a push or pop of fp */
	bool local;                /* reads or writes below fp */
	uint8_t reg;               /* DWARF's number, or NO_REG */
	int32_t off;
	int32_t target;            /* relative to the instruction's first byte */
};

struct arch {
	const char *name;
	uint16_t machine;          /* e_machine of the files it reads */
	uint8_t word;              /* bytes of an address */
	uint8_t pc, sp, fp, ra;    /* DWARF numbers; ra is NO_REG where a call pushes it */
	int8_t rec_fp, rec_ra;     /* frame record: offsets from fp of the caller's fp and of the return address */
	uint64_t addr_mask;        /* drops pointer signatures and tags */
	uint64_t sample;           /* perf's attr.sample_regs_user */
	const uint8_t *dwarf;      /* DWARF number of each bit set in `sample`, lowest first */
	/* The bytes of a signal trampoline without usable CFI, and where it finds the saved registers. */
	const uint8_t *sigreturn;
	uint8_t sigreturn_len;
	const struct sigreg { uint8_t reg; uint16_t sp_off; } *sigregs;
	uint8_t nsigregs;
	/* The instruction at BYTES, of which N may be read; NULL where nothing decodes this machine's code. */
	void (*decode)(const uint8_t *bytes, uint64_t n, struct insn *);
	/* Whether a call ends right before END; N bytes before it may be read.  NULL: cannot be told. */
	bool (*after_call)(const uint8_t *end, uint64_t n);
	uint8_t result;            /* the register of a system call's result, which is 0 in a new thread */
	uint8_t syscall_len;       /* bytes of the instruction */
	/* Whether a coroutine or thread was made to return to the byte behind that one, to end there. */
	bool (*ends_here)(const uint8_t *bytes, uint64_t n);
	/* Whether a function that has a frame begins here, as compilers of JIT code make them. */
	bool (*prologue)(const uint8_t *bytes, uint64_t n);
};

extern const struct arch arch_x86_64;

/* The machine this binary was built for. */
extern const struct arch *const arch_host;

#endif
