/* One machine as data: what the unwinder needs to know about it.  Own register numbers (DWARF's), so that every
 * machine's unwinder builds and runs on every host. */
#ifndef UNWIND_ARCH_ARCH_H
#define UNWIND_ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { REGS = 34, VECTOR = REGS - 1, NO_REG = 255 };   /* VECTOR: our number for the length of vectors */

/* Registers by DWARF number; pc too, where DWARF gives it one (its return address column). */
struct regs {
	uint64_t r[REGS];
	uint64_t known;            /* a bit each */
};

/* What one instruction does to the stack and to the flow, as far as it concerns unwinding code without CFI. */
enum insn_op {
	INSN_PLAIN,        /* nothing of concern */
	INSN_PUSH,         /* one word */
	INSN_POP,          /* into REG, if prof can tell it */
	INSN_SP_ADD,       /* sp += off */
	INSN_SP_FROM_FP,   /* sp = fp + off */
	INSN_SP_FROM_REG,  /* sp = REG + off */
	INSN_SP_LOST,      /* sp = an unknown value, or sp &= off, if that is not 0 */
	INSN_SP_ADD_REG,   /* sp += REG, or sp -= REG where OFF is negative */
	INSN_SP_FROM_FP_REG,   /* sp = fp + REG, or fp - REG */
	INSN_FP_FROM_SP,   /* fp = sp + off */
	INSN_SAVE,         /* sp += off, then fp and ra go to sp + fp_at and ra_at, unless these are NO_SLOT */
	INSN_RESTORE,      /* loads fp and ra from there, then sp += off */
	INSN_FP_ADD,       /* fp += off */
	INSN_FP_LOAD,      /* fp = the word at fp + off */
	INSN_FP_ZERO,
	INSN_FP_LOST,
	INSN_RA_ZERO,
	INSN_RA_LOST,
	INSN_CONST,        /* REG = off */
	INSN_CONST_ADD,    /* REG += off */
	INSN_LOAD,         /* REG = the word at fp + off */
	INSN_LEAVE,        /* sp = fp, then a pop of fp */
	INSN_SYSCALL,
	INSN_CALL,
	INSN_BRANCH,       /* to the target, or on */
	INSN_JUMP,         /* to the target */
	INSN_JUMP_AWAY,    /* somewhere in this function, or out of it */
	INSN_RETURN,       /* or jumps to a function that returns for us; RESTORES: first it does what INSN_RESTORE does */
	INSN_STOP,         /* the flow ends here */
	INSN_BAD,          /* not an instruction, as far as we know */
};

enum { NO_SLOT = INT16_MIN };

struct insn {
	uint8_t op, len;
	bool of_fp;                /* it pushes or pops fp */
	bool local;                /* reads or writes below fp */
	bool restores;
	bool other;                /* fp here means the machine's other frame pointer */
	uint8_t reg;               /* DWARF's number, or NO_REG; for INSN_PLAIN, if the machine has INSN_CONST: the register that it writes */
	int16_t fp_at, ra_at, other_at;   /* other_at: where a machine has another frame pointer */
	int32_t off;
	int32_t target;            /* relative to the instruction's first byte; of a jump that counts as a return: where it has its target from, or 0 */
};

/* A register that the code has put an address into; REG: the instruction set's number plus 1, 0: none. */
struct far {
	uint64_t addr;
	uint8_t reg;
};

/* The targets of skipped branches, relative to the first skipped byte. */
struct branches {
	unsigned n;
	int64_t to[32];
};

struct elf;
struct row;
struct reader;
struct ways;
struct rule;
struct conventions;

struct arch {
	const char *name;
	uint16_t machine;          /* e_machine of the files it reads */
	uint8_t word;              /* bytes of an address */
	/* DWARF numbers.  pc: our own number if DWARF has none. ra: the register where a call leaves the return address, or pc if a
	 * call pushes it. */
	uint8_t pc, sp, fp, ra;
	uint8_t call_arg;          /* of the first argument of a system call */
	uint8_t vector;            /* our number for the length of vectors, in 8 bytes; or 0: nothing asks for it */
	uint8_t other;             /* the frame pointer of code of the other instruction set; or 0 */
	uint8_t align;             /* of instructions */
	int8_t rec_fp, rec_ra;     /* frame record: offsets from fp of the caller's fp and of the return address */
	bool rec_loose;            /* the record may lie anywhere in its frame, so it does not tell the CFA */
	uint64_t addr_mask;        /* drops pointer signatures and tags */
	uint64_t (*find_mask)(void);   /* finds the mask of the machine that we run on; or NULL */
	uint64_t sample;           /* perf's attr.sample_regs_user */
	const uint8_t *dwarf;      /* DWARF number of each bit set in `sample`, lowest first */
	const uint8_t *prstatus;   /* the place of each of them in NT_PRSTATUS, in words; NULL: perf's own number */
	/* Signal trampolines without usable CFI.  The saved registers begin at sp + CONTEXT.  (BACK 0: the code behind a call of a
	 * function that keeps its caller's registers there.) */
	const struct trampoline {
		uint8_t bytes[9], len;
		uint8_t back;          /* how far behind its first byte pc may be, plus one */
		int16_t context;
	} *trampolines;
	uint8_t ntrampolines;
	const struct sigreg { uint8_t reg; uint16_t sp_off; } *sigregs;
	uint8_t nsigregs;
	/* Decodes the instruction at BYTES; it may read N bytes.  NULL: nothing decodes this machine's code. */
	void (*decode)(const uint8_t *bytes, uint64_t n, struct insn *);
	/* Counts the bytes, at most MOST, of instructions that only change registers which prof does not follow from a function's
	 * beginning on.  It notes branches among them and, if CALLS, passes over calls.  It may count too few; NULL: none. */
	uint64_t (*skip)(const uint8_t *bytes, uint64_t n, uint64_t most, bool calls, struct branches *);
	/* Follows that register over the instruction at BYTES, which was decoded; true: it jumps there.  NULL: nothing follows it. */
	bool (*far)(const uint8_t *bytes, uint64_t n, const struct insn *, struct far *);
	/* Decodes an instruction of the other instruction set, or NULL; tells whether the code around BYTES + AT seems to be
	 * of that set. */
	void (*decode_other)(const uint8_t *bytes, uint64_t n, struct insn *);
	bool (*is_other)(const uint8_t *bytes, uint64_t n, unsigned at);
	/* Whether a call ends right before END; it may read N bytes before END.  NULL: prof cannot tell. */
	bool (*after_call)(const uint8_t *end, uint64_t n);
	/* The last place in [LO, HI] that the N bytes of code at VADDR call, or 0; a call of the next instruction tells only where it is.
	 * NULL: nobody looks for them. */
	uint64_t (*called)(const uint8_t *bytes, uint64_t n, uint64_t vaddr, uint64_t lo, uint64_t hi);
	uint32_t between;          /* four bytes of what lies between functions without a symbol (V8's); 0: not known */
	uint8_t result;            /* the register of a system call's result, which is 0 in a new thread */
	uint8_t call_number;       /* the register of its number; or NO_REG: prof does not follow constants there */
	uint8_t syscall_len;       /* bytes of the instruction */
	uint8_t call_len;          /* bytes of a call that has its target in the instruction; 0: prof does not look there */
	uint8_t keeps_stack;       /* the register by which code on stacks of its own keeps a place on the thread's (BeamAsm); 0: none */
	uint16_t exit[2], clone;   /* the system calls that end a thread, and the one that makes a thread */
	uint8_t same_stack[4];     /* the instruction that passes the caller's own stack: vfork */
	/* Whether new coroutines or threads get the address behind this byte as their return address, and end there. */
	bool (*ends_here)(const uint8_t *bytes, uint64_t n);
	/* Whether a function that has a frame begins here, as compilers of JIT code make them. */
	bool (*prologue)(const uint8_t *bytes, uint64_t n);
	/* Whether a function begins here that makes a frame record and at once the rest of its frame; SIZE: how much lies below the
	 * record. */
	bool (*frame_size)(const uint8_t *bytes, uint64_t n, uint32_t *size);
	uint8_t marks[2];          /* each such place has one of these in its first 8 bytes; 0: not known */
	uint8_t first[3];          /* each such place begins with one of these */
	/* The length of the push that ends at END, if functions have one before the place of prologue(); 0: no push.  NULL:
	 * functions have none. */
	unsigned (*push_before)(const uint8_t *end, uint64_t n);
	const struct conventions *conventions;   /* of code that processes make; NULL: prof knows none, and has none of that in itself */
	/* Code whose callers make the frame records of their callees (see callers_record.c): the distance from P to the call, if fp gets
	 * the address of such a record at P, else 0; and whether a function begins at P by taking its return address into that record.  NULL:
	 * no such code is known. */
	unsigned (*passes)(const uint8_t *p, uint64_t n);
	bool (*takes)(const uint8_t *p, uint64_t n);
	void (*callers_record)(struct reader *, struct ways *, bool returns, struct rule *);
	/* Finds the row at VADDR by the machine's own tables: NULL if all is well, else what is wrong, in words.  Or the member is
	 * NULL. */
	const char *(*table_row)(const struct elf *, uint64_t vaddr, struct row *, bool *found);
};

extern const struct arch arch_aarch64, arch_armv7, arch_i686, arch_riscv64, arch_x86_64;

/* The machine of this binary, and the machine of the 32-bit processes that it may meet, or NULL.  For these processes the
 * kernel's samples hold the registers of `sample` first; others may follow. */
extern const struct arch *const arch_host, *const arch_compat;

/* Decodes ARM's instructions, of either set. */
void arm_a32(const uint8_t *bytes, uint64_t n, struct insn *);
void arm_t32(const uint8_t *bytes, uint64_t n, struct insn *);

/* x86_conventions.c and callers_record.c: x86-64's, if prof runs on it. */
extern const struct conventions x86_conventions;
void derive_callers_record(struct reader *, struct ways *, bool returns, struct rule *);

/* exidx_row.c: ARM's table_row. */
const char *exidx_row(const struct elf *, uint64_t vaddr, struct row *, bool *found);

/* Decodes x86's instructions, of 64-bit or 32-bit code.  The second function decodes most of 64-bit code's faster; false for
 * others. */
void x86_decode(const uint8_t *bytes, uint64_t n, bool narrow, struct insn *);
bool x86_quick(const uint8_t *bytes, uint64_t n, struct insn *);
uint64_t x86_skip(const uint8_t *bytes, uint64_t n, uint64_t most, bool calls, struct branches *);
bool x86_far(const uint8_t *bytes, uint64_t n, const struct insn *, struct far *);
enum { X86_QUICK_MIN = 20 };   /* as many bytes as even a too long instruction has */
/* What follows each opcode of one byte: a digit of flags each.  And a signed number of 1 or 4 bytes that follows an opcode. */
extern const char x86_operands[];
enum { X86_MODRM = 1, X86_IMM8 = 2, X86_IMMZ = 4, X86_INVALID = 8 };   /* IMMZ: 4 bytes, or 2 behind a 66 */
int32_t x86_number(const uint8_t *, unsigned size);
bool x86_after_call(const uint8_t *end, uint64_t n);
uint64_t x86_called(const uint8_t *bytes, uint64_t n, uint64_t vaddr, uint64_t lo, uint64_t hi);

#endif
