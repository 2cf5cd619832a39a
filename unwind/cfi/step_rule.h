/* How one step out of a piece of code goes, in 12 bytes; the caches that keep it; what the files of unwind/ share.
 * Private to unwind/. */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include "cfi.h"
#include "memory.h"
#include "unwind/unwind.h"

enum rule_kind {
	RULE_NONE,         /* not looked at yet */
	RULE_PLAIN,        /* by its frame description: CFA, return address and fp as the rule has them */
	RULE_GENERAL,      /* by its frame description, which says more than a rule holds */
	RULE_LINK,         /* like PLAIN, but the return address is in a register: see RULE_RA_IN_REG */
	RULE_DERIVED,      /* like PLAIN, but found by reading the instructions: to be verified */
	RULE_OTHER,        /* likewise, but the CFA is the machine's other frame pointer + cfa_off */
	RULE_ROOT,         /* nobody called it */
	RULE_SIGRETURN,    /* a signal trampoline without a description */
	RULE_KEPT,         /* all registers of its caller are in its frame: see derive_kept */
	RULE_BARE,         /* nothing known, its bytes neither: by a frame pointer */
	RULE_SILENT,       /* its instructions were read, and do not tell */
	RULE_LOST,         /* of a module that could not be opened */
	RULE_BAD,          /* its frame description lies */
};

enum {
	RULE_BASE_FP = 1,      /* CFA = fp + cfa_off, else sp + cfa_off */
	RULE_FP_SAME = 2,      /* fp is the caller's */
	RULE_FP_LOST = 4,
	RULE_KEEPS_FP = 8,     /* fp points to a frame record */
	RULE_AFTER_CALL = 16, /* the code is the end of a call */
	RULE_REALIGNED = 32,  /* the CFA is the word at fp + cfa_off, and the return address lies in the frame record too */
	RULE_BY_HAND = 128,   /* a root that is returned to without ever having called */
	RULE_RA_IN_REG = 64,  /* the return address is in register ra_off: of an interrupted pc */
};

struct rule {
	int32_t cfa_off;
	int16_t ra_off, fp_off;   /* from the CFA */
	uint8_t kind, flags;
	int16_t other_off;        /* of the machine's other frame pointer, or OTHER_*: of DERIVED and OTHER alone */
};

enum { OTHER_LOST = INT16_MAX - 1, OTHER_SAME };

/* The hot cache: what lies at an address of a space. */
struct entry {
	uint64_t addr;
	uint32_t epoch;           /* of the space; 0: empty */
	uint32_t code;
	struct rule rule;
	uint32_t unused;
};

enum { WAYS = 2, ROWS = 64 };

struct set {
	struct entry way[WAYS];   /* together one cache line */
};

struct row_cache {
	uint64_t vaddr;
	uint32_t module;          /* + 1 */
	struct row row;
};

/* Where the last walk of a stack went.  Most of the next one goes the same way, but for its innermost frames: from a frame
 * on that is the same, as long as each word that a step read is what it was, the frames further out are the same.  These
 * reads hang on nothing but the trail, so that they wait for memory together and not one after another. */
enum { TRAILS = 16, TRAIL_MAX = 128 };

struct footstep {
	uint64_t pc, sp, fp;           /* as a step began, by a plain rule; it ended where the next begins */
	uint32_t code;
	int16_t ra_off, fp_off;        /* what it read, from the next one's sp */
	bool fp_known, fp_read;
	uint8_t flags;                 /* of its rule */
	uint16_t by;                   /* tables: 0; else STEP_BY_*, so that a sum counts both */
};

enum { STEP_BY_FP = 1, STEP_BY_CODE = 2 * TRAIL_MAX };

struct trail {
	uint32_t epoch;                /* of the space */
	uint32_t n, side;
	struct footstep step[2][TRAIL_MAX];   /* that walk's, and the one's that is under way; the last is but a place */
};

struct job;

struct unwinder {
	struct arena arena;
	const struct arch *arch;
	uint64_t mask;            /* its addr_mask, or what the machine we run on says of itself */
	uint64_t host_mask;
	struct modules *modules;
	struct codes *codes;
	enum walk_mode mode;
	uint32_t max_stack;
	struct set *set;
	uint16_t *rule_of;        /* by code: the number of its rule + 1, 0 where it is not known */
	uint32_t codes_ruled;
	struct rule *rule;        /* those that differ: a thousandth of codes */
	uint32_t rules, rules_cap;
	struct index rule_index;
	uint32_t found;           /* rules that were looked for, each of which may bring pages of a file into memory */
	struct row_cache *rows;   /* full rows of the last general rules */
	struct trail *trail;      /* by epoch and region of the stack */
	struct entry spare;       /* what could not be cached */
	struct space *space;      /* of the walk under way: JIT code is read from its process */
	struct job *job;          /* and where a rule is looked for that it is to step by, the walk itself, */
	const struct frame *frame;   /* and its frame; or NULL */
	struct code_page *code_page;
	struct derive_work *work; /* derive.c's */
	bool full_always;         /* for tests: every step restores all registers */
};

/* Finds out the rule for the code at VADDR of a module. */
void rule_find(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
/* What describes the code at VADDR; false where nothing does. */
bool rule_fde(struct unwinder *, struct module *, uint64_t vaddr, struct fde *);
/* The full row there, cached; NULL where there is none (any more). */
const struct row *rule_row(struct unwinder *, struct module *, uint64_t vaddr);
/* Where a function begins that is not described, by its symbol; HI its end. */
bool rule_function(struct unwinder *, struct module *, uint64_t vaddr, uint64_t *lo, uint64_t *hi);

/* The instructions from VADDR on, empty where there are none to be read. */
struct cursor rule_code(struct unwinder *, const struct module *, uint64_t vaddr);

/* Whether the code at VADDR is of the machine's other instruction set; and its instruction there. */
bool rule_other(struct unwinder *, struct module *, uint64_t vaddr);
void rule_decode(struct unwinder *, struct module *, uint64_t vaddr, struct insn *);
/* Whether a call ends right before VADDR. */
bool rule_after_call(struct unwinder *, struct module *, uint64_t vaddr);

/* derive.c: a rule by reading the function's instructions, from its beginning to VADDR or from VADDR to its end: SILENT
 * where they do not tell, BARE where they cannot be read. */
void derive_rule(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);
/* derive_called.c: the rule at VADDR of the frame that is to be stepped from, if this tells. */
bool derive_called(struct job *, const struct frame *, struct module *, uint64_t vaddr, struct rule *);
/* As derive_rule, by the way from a place that the file calls, the nearest first, then from one that it has the address of: for code
 * whose instructions told what is not so, as those behind a call that never returns are another function's.  NEXT is 0 at first,
 * and then left as it is; false where no more are found, or were before. */
bool derive_named(struct unwinder *, struct module *, uint64_t vaddr, unsigned *next, struct rule *);
/* Where the code at a file's entry ends, without a symbol: where it jumps away (the dynamic linker, to the program), else
 * behind its first call. */
uint64_t derive_entry_end(struct unwinder *, struct module *, uint64_t entry);

/* Where the function that VADDR is in seems to begin, by the instructions that make its frame. */
bool derive_start(struct unwinder *, struct module *, uint64_t vaddr, uint64_t *start);

/* derive_other.c: START, or where a function begins that stores arguments first that came in registers: not far before. */
uint64_t derive_arguments(struct unwinder *, struct module *, uint64_t start);
/* Where assembly without a frame seems to begin that VADDR is in: aligned, behind padding. */
bool derive_aligned(struct unwinder *, const struct module *, uint64_t vaddr, uint64_t *start);

/* derive_link.c: where a frame record may lie anywhere in its frame, the caller's tells its sp, if it has one too: at FP, as
 * the rule at RA says. */
bool derive_sp(struct job *, uint64_t ra, uint64_t fp, uint64_t *sp);
/* No return address lies in the caller's frame: a row that says so has forgotten what was pushed before (glibc's of
 * _dl_runtime_resolve, on aarch64).  One that says nothing is true of a leaf, but not of assembly like that (riscv64's). */
void derive_mend(const struct unwinder *, const struct fde *, uint64_t vaddr, struct row *);

/* derive_sigreturn.c: whether a signal trampoline is here, and its rule.  It may be returned to (VADDR is the byte before it then,
 * and may be another one's last) or be interrupted: at either instruction, and within its system call, when pc is behind it,
 * where i686's musl has the next one. */
bool derive_sigreturn(struct unwinder *, struct module *, uint64_t vaddr, struct rule *);

/* derive_code.c: the bytes of code without a file from ADDR on, in the walk's space; and of a large file, without looking at
 * its map.  They last until others are asked for. */
struct cursor derive_jit_code(struct unwinder *, uint64_t addr);
struct cursor derive_file_code(struct unwinder *, const struct module *, uint64_t vaddr);

/* ---- finding the code of an address ---- */

enum { SETS_LOG = 13 };

static inline struct set *
entry_set(const struct unwinder *u, uint32_t epoch, uint64_t addr)
{
	return u->set + ((addr ^ (uint64_t)epoch << 40) * 0x9e3779b97f4a7c15u >> (64 - SETS_LOG));
}

/* What lies at ADDR: the slow way, and into the cache.  NULL where no code is mapped. */
struct entry *entry_fill(struct unwinder *, struct space *, uint64_t addr);

static inline struct entry *
entry_find(struct unwinder *u, struct space *space, uint64_t addr)
{
	struct set *s = entry_set(u, space->epoch, addr);

	if (s->way[0].addr == addr && s->way[0].epoch == space->epoch)
		return &s->way[0];
	if (s->way[1].addr == addr && s->way[1].epoch == space->epoch)
		return &s->way[1];
	return entry_fill(u, space, addr);
}

/* Finds out the entry's rule, if that is not done yet. */
void entry_rule(struct unwinder *, struct entry *);
/* Its rule is to be that one from now on. */
void entry_set_rule(struct unwinder *, struct entry *, const struct rule *);
/* The module and address as linked of an entry that is not spare. */
struct module *entry_module(const struct unwinder *, const struct entry *, uint64_t *vaddr);
/* As entry_find, for an address that may be anything: asks nobody for maps. */
struct entry *entry_probe(struct unwinder *, struct space *, uint64_t addr);
/* Whether RA, whose entry (of RA - 1) is given, can be one: it follows a call, as far as its bytes can be had. */
bool entry_after_call(struct unwinder *, struct entry *);

/* ---- stepping ---- */

struct frame {
	uint64_t pc, sp, fp;
	bool fp_known;
	bool exact;               /* pc was interrupted, else it is a return address */
	bool jumped;              /* a signal frame lies behind: sp may be on another stack */
};

/* A walk that is under way. */
struct job {
	struct unwinder *u;
	struct space *space;
	struct memory memory;
	struct walk *walk;
	uint64_t at;              /* number of the frame that is being stepped from */
	uint64_t where;           /* the address that was wanted at STEP_OUTSIDE */
	struct regs full;         /* all registers that are known, of the frame numbered FULL_AT */
	uint64_t full_at;
	struct frame full_frame;  /* the same one */
	uint32_t signals;
	uint32_t ring;            /* where the next code goes once the stack is too deep */
	enum step_by { BY_CFI, BY_FP, BY_CODE, BY_SECOND } by;   /* the last step */
	uint8_t flags;            /* of its rule */
	bool by_hand;             /* it was verified by more words than its rule's */
	struct rule derived;      /* its rule, where it was derived, and by its words alone the step is the same again; else NONE */
	bool lost;                /* it was in a module that could not be opened */
};

/* Where the frame's code is looked up. */
static inline uint64_t
frame_at(const struct frame *f)
{
	return f->pc - !f->exact;
}

/* To the caller, whose fp is where the rule says. */
static inline void
step_to(const struct rule *r, const struct memory *m, uint64_t cfa, uint64_t ra, struct frame *f)
{
	uint64_t at = cfa + (uint64_t)(int64_t)r->fp_off;

	if (!(r->flags & RULE_FP_SAME)) {
		/* Below sp it has been popped already, in an epilogue: what it was is in the register. */
		if (r->flags & RULE_FP_LOST || (!memory_word(m, at, &f->fp) && at >= f->sp))
			f->fp_known = false;
		else if (memory_has(m, at))
			f->fp_known = true;
	}
	f->sp = cfa;
	f->pc = ra;
	f->exact = false;
}

/* Steps F by a plain rule.  Its pc is the raw return address then. */
static inline enum step
step_plain(const struct rule *r, const struct memory *m, uint64_t addr_mask, struct frame *f, uint64_t *where)
{
	uint64_t cfa = (r->flags & RULE_BASE_FP ? f->fp : f->sp) + (uint64_t)(int64_t)r->cfa_off, ra, at;

	if (__builtin_expect(r->flags & RULE_BASE_FP && !f->fp_known, 0))
		return STEP_UNKNOWN;
	at = cfa + (uint64_t)(int64_t)r->ra_off;
	if (__builtin_expect(!memory_word(m, at, &ra), 0)) {
		*where = at;
		return STEP_OUTSIDE;
	}
	if (__builtin_expect(cfa <= f->sp, 0))
		return STEP_STUCK;
	step_to(r, m, cfa, ra & addr_mask, f);
	return STEP_OK;
}

/* step.c: the registers of the caller by a full row; F goes along.  Unless ALL says that no more registers are to be
 * had, it refuses to lose fp for want of one.  Changes nothing but at STEP_OK. */
enum step step_row(struct job *, const struct row *, struct regs *, struct frame *, bool all);
/* The same by a signal trampoline's known layout: the rule's cfa_off is where that begins, from sp. */
enum step step_sigreturn(struct job *, const struct rule *, struct regs *, struct frame *);

/* verify.c: whether RA can be a return address. */
bool verify_caller(struct job *, uint64_t ra);
/* A step by the frame pointer, verified. */
enum step verify_fp(struct job *, const struct rule *, struct frame *);
/* A step by a rule that was derived, verified. */
enum step verify_derived(struct job *, const struct rule *, struct frame *);

/* Whether fp may point to a frame record. */
bool verify_record(const struct job *, const struct frame *);
/* A thread that has just been made, on its own stack: it comes out of a system call with 0. */
bool verify_just_made(struct job *, const struct frame *);
/* derive_link.c: whether what the kernel gives to a program, its words, lies right at sp, and F is not the entry point's:
 * nobody has called then, whatever was in the return address's register (riscv64's musl goes on by jumps, and the kernel
 * leaves there what was). */
bool derive_outermost(struct job *, const struct frame *);

/* derive_link.c: a step by a return address that is in a register: of an interrupted pc, whose registers are all known. */
enum step step_link(struct job *, const struct rule *, struct frame *);
/* A step from code whose instructions do not tell, to a root: each frame has its return address on the stack, so that none
 * lies between where the first word that may be one is a root's.  (Where calls push it.) */
enum step step_last(struct job *, struct frame *);
/* Whether F, just stepped to, is where a call returns to. */
bool derive_returns(struct job *, const struct frame *);
/* Compiled Java leaves room for arguments below its sp when it calls what is interpreted, which keeps the sp for it: TO, the
 * step by RULE from there. */
bool derive_sender(struct job *, const struct rule *, const struct frame *, struct frame *to);

/* Whether all registers are known: of an interrupted pc. */
static inline bool
verify_known(const struct job *j, const struct frame *f)
{
	const struct arch *a = j->u->arch;

	return f->exact && j->full.r[a->pc] == f->pc && j->full.r[a->sp] == f->sp;
}

/* slow.c: the step of a frame that is not plain, or whose rule is not known yet. */
enum step step_slow(struct job *, struct entry *, struct frame *);

/* derive_kept.c: makes of the registers that were found in F's frame those of its caller, whose pc may be EXACT. */
enum step derive_kept(struct job *, const struct frame *f, struct regs *, bool *exact);

/* derive_other.c: behind a step to F by what instructions told, the other frame pointer, if it was KNOWN before or lies there. */
void derive_other(const struct job *, const struct rule *, const struct frame *f, uint64_t known, struct regs *);
/* F, which comes next to the leaf, is nowhere: the leaf's description was not true.  What its instructions tell is tried in
 * its place, and remembered; the entry of the new F, or NULL. */
struct entry *step_again(struct job *, struct frame *f);

/* ---- chain.c ---- */

enum { FRAMES_MAX = 1 << 16 };   /* of one walk, most of them elided */

void walk_begin(struct walk *);
/* What is beyond max_stack goes round in RING, which walk_unroll puts in order at the end. */
void walk_push_deep(const struct unwinder *, struct walk *, uint32_t code, uint32_t *ring);
void walk_unroll(const struct unwinder *, struct walk *, uint32_t ring);

static inline void
walk_push(const struct unwinder *u, struct walk *w, uint32_t code, uint32_t *ring)
{
	if (__builtin_expect(w->n < u->max_stack, 1))
		w->code[w->n++] = code;
	else
		walk_push_deep(u, w, code, ring);
}

/* The link of the frame-pointer chain, as the kernel followed it, that is the frame with that FP: the caller's return
 * address is the chain's next one.  0 where it is none. */
uint32_t chain_link(const struct job *, uint64_t leaf_fp, uint64_t fp, uint32_t n);
/* Goes on by the chain from I on, as far as it leads through code that keeps frame pointers. */
enum walk_end chain_splice(struct job *, const uint64_t *chain, uint32_t i, uint32_t n);

#endif
