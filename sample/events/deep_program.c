/* See deep_program.h.  bpf(2), bpf-helpers(7).  A program at a perf event runs in the interrupt, ahead of what the kernel writes of
 * the sample; the user's registers lie at the top of the task's kernel stack (struct pt_regs). */
#include "deep_program.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lib/bpf.h"
#include "perf.h"
#include "thread_pointer.h"

/* FRAMES: of an interpreter's chain, CHAIN_PAGES: pages that these may lie in.  STEPS: pages that it tries to read in all.
 * TRIES: how many may be missing.  HOLE_MOST: no stack has a larger hole.  TURNS: how many times it changes stacks. */
enum { MIX = 0x61c88647, FRAMES = 48, CHAIN_PAGES = 12, STEPS = 768, TRIES = 128, HOLE_MOST = 16 << 20, TURNS = 4 };

/* A CPU's buffer: what the program writes, and what it keeps while it runs, where the verifier need not follow it. */
struct buffer {
	uint64_t n;                 /* pages in the part */
	uint64_t left;              /* pages that may still be read */
	uint64_t tries;             /* how many may still be missing */
	uint64_t hole;              /* where the hole begins that the program is in; 0: in none */
	uint64_t turns;             /* how many are left */
	uint64_t at, top;           /* the page to come, and where the stack ends */
	uint64_t sp, flags;         /* of that stack */
	uint64_t frame, back;       /* an interpreter's next frame, and where in it the address of its caller's frame is, or DEEP_ARRAY; */
	uint64_t base, values;      /* then: where the frames' values begin, and where they end; 0: the program has begun with them */
	uint64_t page, page_before; /* where its last frames were */
	struct deep_head head;
	uint8_t bytes[DEEP_PART];
};

_Static_assert(sizeof(struct deep_chain) == 32, "the program shifts by 5");
_Static_assert(sizeof(struct deep_head) == RECORD_HEAD, "a part begins with its pages' addresses");

static uint32_t
mixed(uint64_t v, unsigned shift, unsigned bits)
{
	return (uint32_t)(v * MIX >> shift) & ((1u << bits) - 1);
}

uint32_t
deep_place(uint64_t sp, unsigned bits)
{
	return mixed(sp >> bits, DEEP_REGION, DEEP_REGIONS);
}

uint32_t
deep_hole_place(uint64_t lo)
{
	return mixed(lo / DEEP_PAGE, DEEP_REGION, DEEP_HOLES);
}

int
deep_load(int told, int events, uint32_t ncpu)
{
	enum { TOLD, BUFFERS, EVENTS, STEPPED, CHAINS };
	enum { KEY = -4, CTX = -16, BUFFER = -24, POINTER = -32, THREAD = -40, WORD = -8 };   /* on the stacks of the three functions */
	enum { ALL, READ, OUT, STEP, TRY, IN_HOLE, KNOWN, OVER, NEAR, GO_ON, LAST, END, CHAIN, CALLER, CHAINED,
	       FIRST, WALK, NO_FRAME, NEXT, ARRAY, DOWN, FRAME_END, OWN, INNERMOST };   /* labels */
	enum { LOADS_POINTER = 2, LOADS_SP = 6 };
#define OF(field) offsetof(struct buffer, field)
/* r1 becomes the place of the chain of the thread or process in r8. */
#define CHAIN_OF_8 \
	BPF_COPY(2, 8), \
	BPF_DO(BPF_AND, 2, (1 << DEEP_CHAINS) - 1), \
	BPF_DO(BPF_LSH, 2, 5), \
	BPF_VALUE(1, TOLD, offsetof(struct deep_told, chain)), \
	BPF_DO_REG(BPF_ADD, 1, 2)
/* REG becomes the offset in an array of words, for the address in it. */
#define PLACE(reg, bits) \
	BPF_DO(BPF_RSH, reg, bits), BPF_DO(BPF_MUL, reg, MIX), BPF_DO(BPF_RSH, reg, DEEP_REGION), \
	BPF_DO(BPF_AND, reg, (1 << DEEP_REGIONS) - 1), BPF_DO(BPF_LSH, reg, 3)
/* r8: the top of the region of the sp in r7, or the end of memory; r2: its flags and more.  If prof knows no top, the program
 * reads from sp on, because the kernel's copy may be short. */
#define TOP_OF_R7 \
	BPF_COPY(2, 7), \
	PLACE(2, DEEP_REGION), \
	BPF_VALUE(1, TOLD, offsetof(struct deep_told, top)), \
	BPF_DO_REG(BPF_ADD, 1, 2), \
	BPF_LOAD(8, 1, 0), \
	BPF_COPY(2, 8), \
	BPF_DO(BPF_AND, 8, ~DEEP_FLAGS), \
	BPF_IF(BPF_JNE, 8, 0, 2), \
	BPF_SET(8, ~DEEP_FLAGS), \
	BPF_DO(BPF_OR, 2, DEEP_EARLY)
/* Sets up the buffer at r9 to read a stack from r7 to r8, with flags r2: these decide how many pages may be missing. */
#define BEGIN_STACK \
	BPF_STORE(9, OF(flags), 2), \
	BPF_SET(1, TRIES), \
	BPF_IF(BPF_JSET, 2, DEEP_HOLED, 3), \
	BPF_VALUE(1, TOLD, 0), \
	BPF_LOAD(1, 1, offsetof(struct deep_told, tries)), \
	BPF_STORE(9, OF(tries), 1), \
	BPF_PUT(9, OF(hole), 0), \
	BPF_DO(BPF_AND, 7, -DEEP_PAGE), \
	BPF_STORE(9, OF(at), 7), \
	BPF_STORE(9, OF(top), 8)
/* r1: what prof knows of the hole that begins at the page in REG. */
#define HOLE_OF(reg) \
	BPF_COPY(2, reg), \
	BPF_DO(BPF_RSH, 2, 12), \
	BPF_DO(BPF_MUL, 2, MIX), \
	BPF_DO(BPF_RSH, 2, DEEP_REGION), \
	BPF_DO(BPF_AND, 2, (1 << DEEP_HOLES) - 1), \
	BPF_DO(BPF_LSH, 2, 4), \
	BPF_VALUE(1, TOLD, offsetof(struct deep_told, hole)), \
	BPF_DO_REG(BPF_ADD, 1, 2)
/* Copies the page at FROM to the place of page number r1 of the part; to NONE if the program cannot read it. */
#define READ_PAGE(from, none) \
	BPF_DO(BPF_LSH, 1, 12), \
	BPF_DO_REG(BPF_ADD, 1, 9), \
	BPF_DO(BPF_ADD, 1, OF(bytes)), \
	BPF_SET(2, DEEP_PAGE), \
	BPF_COPY(3, from), \
	BPF_ASK(BPF_FUNC_probe_read_user), \
	BPF_IF(BPF_JNE, 0, 0, BPF_TO(none))
/* The part has the page at FROM now, with that NUMBER, a register that becomes the number of the next one. */
#define KEEP_PAGE(number, from) \
	BPF_COPY(1, number), \
	BPF_DO(BPF_LSH, 1, 3), \
	BPF_DO_REG(BPF_ADD, 1, 9), \
	BPF_STORE(1, OF(head.page), from), \
	BPF_DO(BPF_ADD, number, 1), \
	BPF_STORE(9, OF(n), number)
/* r7: the word at r3, which passes by WHERE on the stack; to NONE if the program cannot read it. */
#define READ_WORD(where, none) \
	BPF_COPY(1, 10), \
	BPF_DO(BPF_ADD, 1, where), \
	BPF_SET(2, 8), \
	BPF_ASK(BPF_FUNC_probe_read_user), \
	BPF_IF(BPF_JNE, 0, 0, BPF_TO(none)), \
	BPF_LOAD(7, 10, where)
/* Calls the function at LABEL as often as the map EACH has values, or until it returns 1. (The verifier would follow a loop
 * turn by turn when the kernel loads the program.) */
#define REPEAT(each, label) \
	BPF_MAP(1, each), \
	BPF_FUNCTION(2, label), \
	BPF_COPY(3, 10), \
	BPF_DO(BPF_ADD, 3, BUFFER), \
	BPF_SET(4, 0), \
	BPF_ASK(BPF_FUNC_for_each_map_elem)
/* Writes r5 pages; r1: the context. */
#define WRITE \
	BPF_DO(BPF_LSH, 5, 12), \
	BPF_DO(BPF_ADD, 5, sizeof(struct deep_head)), \
	BPF_MAP(2, EVENTS), \
	{ .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = 3, .imm = -1 },   /* BPF_F_CURRENT_CPU */ \
	BPF_COPY(4, 9), \
	BPF_DO(BPF_ADD, 4, OF(head)), \
	BPF_ASK(BPF_FUNC_perf_event_output)
	static const struct bpf_insn table[] = {
		BPF_COPY(6, 1),
		BPF_ASK(BPF_FUNC_get_current_task_btf),
		BPF_LOAD(8, 0, 0),   /* thread_pointer_at */
		BPF_STORE(10, THREAD, 8),
		BPF_COPY(1, 0),
		BPF_ASK(BPF_FUNC_task_pt_regs),
		BPF_LOAD(7, 0, 0),   /* perf_sp_at */
		BPF_STORE(10, CTX, 7),
		TOP_OF_R7,
		/* r7: where the kernel's copy ends */
		BPF_IF(BPF_JSET, 2, DEEP_EARLY, BPF_TO(ALL)),
		BPF_VALUE(1, TOLD, 0),
		BPF_LOAD(1, 1, offsetof(struct deep_told, copied)),
		BPF_DO_REG(BPF_ADD, 7, 1),
		BPF_LABEL(ALL),
		BPF_IF(BPF_JSET, 2, DEEP_TURNS, BPF_TO(READ)),
		BPF_VALUE(1, TOLD, 0),
		BPF_LOAD(1, 1, offsetof(struct deep_told, chains)),
		BPF_IF(BPF_JNE, 1, 0, BPF_TO(READ)),
		BPF_IF_REG(BPF_JGE, 7, 8, BPF_TO(OUT)),
		BPF_LABEL(READ),
		/* r9: this CPU's buffer */
		BPF_STORE(10, BUFFER, 2),
		BPF_ASK(BPF_FUNC_get_smp_processor_id),
		BPF_STORE_W(10, KEY, 0),
		BPF_MAP(1, BUFFERS),
		BPF_COPY(2, 10),
		BPF_DO(BPF_ADD, 2, KEY),
		BPF_ASK(BPF_FUNC_map_lookup_elem),
		BPF_IF(BPF_JEQ, 0, 0, BPF_TO(OUT)),
		BPF_COPY(9, 0),
		BPF_VALUE(1, TOLD, 0),
		BPF_LOAD(1, 1, offsetof(struct deep_told, most)),
		BPF_DO(BPF_RSH, 1, 12),
		BPF_IF(BPF_JEQ, 1, 0, BPF_TO(OUT)),
		BPF_STORE(9, OF(left), 1),
		BPF_LOAD(1, 10, CTX),
		BPF_STORE(9, OF(sp), 1),
		BPF_PUT(9, OF(n), 0),
		BPF_PUT(9, OF(turns), TURNS),
		BPF_LOAD(1, 10, THREAD),
		BPF_STORE(9, OF(head.thread), 1),
		BPF_PUT(9, OF(head.number), 0),
		BPF_LOAD(2, 10, BUFFER),
		BPF_LOAD(1, 9, OF(left)),
		BPF_IF(BPF_JSET, 2, DEEP_EARLY, 1),
		BPF_GO(2),
		BPF_DO(BPF_ADD, 1, DEEP_AGAIN),
		BPF_STORE(9, OF(left), 1),
		BEGIN_STACK,
		BPF_STORE(10, BUFFER, 9),
		BPF_STORE(10, CTX, 6),
		/* an interpreter's frames, if prof knows where they are: r7 is AT, then a frame; r8 THEN */
		BPF_ASK(BPF_FUNC_get_current_pid_tgid),
		BPF_COPY(8, 0),
		BPF_DO(BPF_LSH, 8, 32),
		BPF_DO(BPF_RSH, 8, 32),
		CHAIN_OF_8,
		BPF_LOAD(2, 1, offsetof(struct deep_chain, tid)),
		BPF_IF_REG(BPF_JEQ, 2, 8, BPF_TO(OWN)),
		/* its process has a word for all threads; r8: a thread's state, which begins with three words */
		BPF_COPY(8, 0),
		BPF_DO(BPF_RSH, 8, 32),
		CHAIN_OF_8,
		BPF_DO(BPF_NEG, 8, 0),
		BPF_LOAD(2, 1, offsetof(struct deep_chain, tid)),
		BPF_IF_REG(BPF_JNE, 2, 8, BPF_TO(CHAINED)),
		BPF_LOAD(7, 1, offsetof(struct deep_chain, at)),
		BPF_LOAD(3, 9, OF(head.thread)),
		BPF_DO_REG(BPF_ADD, 3, 7),
		READ_WORD(POINTER, CHAINED),
		BPF_COPY(8, 7),
		BPF_COPY(3, 8),
		READ_WORD(POINTER, CHAINED),
		BPF_STORE(9, OF(base), 7),
		BPF_COPY(3, 8),
		BPF_DO(BPF_ADD, 3, 8),
		READ_WORD(POINTER, CHAINED),
		BPF_LOAD(1, 9, OF(base)),
		BPF_DO(BPF_LSH, 7, 3),
		BPF_DO_REG(BPF_ADD, 7, 1),
		BPF_STORE(9, OF(back), 7),
		BPF_COPY(7, 8),
		BPF_DO(BPF_ADD, 7, 16),
		BPF_SET(8, -1),
		BPF_GO(BPF_TO(INNERMOST)),
		BPF_LABEL(OWN),
		BPF_LOAD(7, 1, offsetof(struct deep_chain, at)),
		BPF_LOAD(8, 1, offsetof(struct deep_chain, then)),
		BPF_LOAD(1, 1, offsetof(struct deep_chain, back)),
		BPF_STORE(9, OF(back), 1),
		BPF_STORE(9, OF(base), 8),
		BPF_IF(BPF_JLT, 1, DEEP_ARRAY, 1),
		BPF_SET(8, -1),
		BPF_LABEL(INNERMOST),
		BPF_PUT(9, OF(page), 0),
		BPF_PUT(9, OF(page_before), 0),
		BPF_COPY(3, 7),
		BPF_DO(BPF_OR, 3, 1),
		BPF_STORE(9, OF(head.page), 3),
		BPF_DO(BPF_AND, 3, -DEEP_PAGE),
		BPF_COPY(1, 9),
		BPF_DO(BPF_ADD, 1, OF(bytes)),
		BPF_SET(2, DEEP_PAGE),
		BPF_ASK(BPF_FUNC_probe_read_user),
		BPF_IF(BPF_JNE, 0, 0, BPF_TO(CHAINED)),
		BPF_PUT(9, OF(n), 1),
		BPF_COPY(3, 7),
		READ_WORD(POINTER, CHAINED),
		BPF_IF(BPF_JEQ, 8, -1, BPF_TO(FIRST)),
		BPF_COPY(3, 8),
		BPF_DO_REG(BPF_ADD, 3, 7),
		READ_WORD(POINTER, CHAINED),
		BPF_LABEL(FIRST),
		BPF_STORE(9, OF(frame), 7),
		BPF_LOAD(1, 9, OF(back)),
		BPF_IF(BPF_JLT, 1, DEEP_ARRAY, BPF_TO(WALK)),
		BPF_COPY(3, 7),
		BPF_DO(BPF_ADD, 3, 8),
		READ_WORD(POINTER, CHAINED),
		BPF_STORE(9, OF(values), 7),
		BPF_LABEL(WALK),
		REPEAT(CHAINS, CHAIN),
		BPF_LABEL(CHAINED),
		REPEAT(STEPPED, STEP),
		BPF_LOAD(5, 9, OF(n)),
		BPF_IF(BPF_JEQ, 5, 0, BPF_TO(OUT)),
		BPF_IF(BPF_JGT, 5, DEEP_PART_PAGES, BPF_TO(OUT)),
		BPF_LOAD(1, 10, CTX),
		WRITE,
		/* and the kernel's own part of the sample */
		BPF_LABEL(OUT),
		BPF_SET(0, 1),
		BPF_LEAVE,

		/* A step: a page, or the way to the next stack.  r6: where the buffer's address and the context are; returns 1: no more. */
		BPF_LABEL(STEP),
		BPF_COPY(6, 4),
		BPF_LOAD(9, 6, 0),
		BPF_LOAD(7, 9, OF(at)),
		BPF_LOAD(8, 9, OF(top)),
		BPF_IF_REG(BPF_JGE, 7, 8, BPF_TO(OVER)),
		/* a known hole begins there, or what nobody wants to read */
		HOLE_OF(7),
		BPF_LOAD(4, 1, offsetof(struct deep_hole, lo)),
		BPF_IF_REG(BPF_JNE, 4, 7, BPF_TO(TRY)),
		BPF_LOAD(4, 1, offsetof(struct deep_hole, hi)),
		BPF_IF_REG(BPF_JLE, 4, 7, BPF_TO(TRY)),
		BPF_STORE(9, OF(hole), 7),
		BPF_STORE(9, OF(at), 4),
		BPF_DO_REG(BPF_SUB, 4, 7),
		BPF_IF(BPF_JGT, 4, HOLE_MOST, BPF_TO(OVER)),
		BPF_GO(BPF_TO(GO_ON)),
		BPF_LABEL(TRY),
		BPF_LOAD(1, 9, OF(n)),
		BPF_IF(BPF_JGE, 1, DEEP_PART_PAGES, BPF_TO(LAST)),
		READ_PAGE(7, IN_HOLE),
		/* it is there */
		BPF_PUT(9, OF(hole), 0),
		BPF_LOAD(5, 9, OF(n)),
		BPF_IF(BPF_JGE, 5, DEEP_PART_PAGES, BPF_TO(LAST)),
		KEEP_PAGE(5, 7),
		BPF_DO(BPF_ADD, 7, DEEP_PAGE),
		BPF_STORE(9, OF(at), 7),
		BPF_LOAD(1, 9, OF(left)),
		BPF_DO(BPF_SUB, 1, 1),
		BPF_STORE(9, OF(left), 1),
		BPF_IF(BPF_JEQ, 1, 0, BPF_TO(LAST)),
		BPF_IF(BPF_JNE, 5, DEEP_PART_PAGES, BPF_TO(GO_ON)),
		BPF_LOAD(1, 6, CTX - BUFFER),
		WRITE,
		BPF_PUT(9, OF(n), 0),
		BPF_LOAD(1, 9, OF(head.number)),
		BPF_DO(BPF_ADD, 1, 1),
		BPF_STORE(9, OF(head.number), 1),
		BPF_GO(BPF_TO(GO_ON)),

		/* it is not; r3: where the hole begins */
		BPF_LABEL(IN_HOLE),
		BPF_LOAD(3, 9, OF(hole)),
		BPF_IF(BPF_JNE, 3, 0, BPF_TO(KNOWN)),
		BPF_COPY(3, 7),
		BPF_STORE(9, OF(hole), 3),
		BPF_LABEL(KNOWN),
		HOLE_OF(3),
		BPF_DO(BPF_ADD, 7, DEEP_PAGE),
		BPF_STORE(1, offsetof(struct deep_hole, lo), 3),
		BPF_STORE(1, offsetof(struct deep_hole, hi), 7),
		BPF_STORE(9, OF(at), 7),
		BPF_DO_REG(BPF_SUB, 7, 3),
		BPF_IF(BPF_JGT, 7, HOLE_MOST, BPF_TO(OVER)),
		BPF_LOAD(1, 9, OF(tries)),
		BPF_IF(BPF_JEQ, 1, 0, BPF_TO(OVER)),
		BPF_DO(BPF_SUB, 1, 1),
		BPF_STORE(9, OF(tries), 1),
		BPF_GO(BPF_TO(GO_ON)),

		/* no more of that stack */
		BPF_LABEL(OVER),
		BPF_LOAD(2, 9, OF(flags)),
		BPF_IF(BPF_JSET, 2, DEEP_TURNS, 1),
		BPF_GO(BPF_TO(LAST)),
		BPF_LOAD(1, 9, OF(turns)),
		BPF_IF(BPF_JEQ, 1, 0, BPF_TO(LAST)),
		BPF_DO(BPF_SUB, 1, 1),
		BPF_STORE(9, OF(turns), 1),
		BPF_LOAD(2, 9, OF(sp)),
		PLACE(2, DEEP_NEAR),
		BPF_VALUE(1, TOLD, offsetof(struct deep_told, turn)),
		BPF_DO_REG(BPF_ADD, 1, 2),
		BPF_LOAD(3, 1, 0),
		BPF_IF(BPF_JNE, 3, 0, BPF_TO(NEAR)),
		BPF_LOAD(2, 9, OF(sp)),
		PLACE(2, DEEP_REGION),
		BPF_VALUE(1, TOLD, offsetof(struct deep_told, turn) + (8 << DEEP_REGIONS)),
		BPF_DO_REG(BPF_ADD, 1, 2),
		BPF_LOAD(3, 1, 0),
		BPF_IF(BPF_JEQ, 3, 0, BPF_TO(LAST)),
		BPF_LABEL(NEAR),
		READ_WORD(WORD, LAST),
		BPF_STORE(9, OF(sp), 7),
		TOP_OF_R7,
		BEGIN_STACK,
		BPF_LABEL(GO_ON),
		BPF_SET(0, 0),
		BPF_GO(BPF_TO(END)),
		BPF_LABEL(LAST),
		BPF_SET(0, 1),
		BPF_LABEL(END),
		BPF_LEAVE,

		/* Takes a frame of the chain, at r7: its page, if it is not in the kernel's copy, nor one of the last two; and its caller's
		 * address. */
		BPF_LABEL(CHAIN),
		BPF_LOAD(9, 4, 0),
		BPF_LOAD(7, 9, OF(frame)),
		BPF_IF(BPF_JEQ, 7, 0, BPF_TO(NO_FRAME)),
		BPF_LOAD(1, 9, OF(sp)),
		BPF_COPY(3, 7),
		BPF_DO_REG(BPF_SUB, 3, 1),
		BPF_VALUE(1, TOLD, 0),
		BPF_LOAD(1, 1, offsetof(struct deep_told, copied)),
		BPF_IF_REG(BPF_JLT, 3, 1, BPF_TO(CALLER)),
		BPF_COPY(8, 7),
		BPF_DO(BPF_AND, 8, -DEEP_PAGE),
		BPF_LOAD(1, 9, OF(page_before)),
		BPF_IF_REG(BPF_JEQ, 8, 1, BPF_TO(CALLER)),
		BPF_LOAD(1, 9, OF(page)),
		BPF_IF_REG(BPF_JEQ, 8, 1, BPF_TO(CALLER)),
		BPF_STORE(9, OF(page_before), 1),
		BPF_STORE(9, OF(page), 8),
		BPF_LOAD(6, 9, OF(n)),
		BPF_IF(BPF_JGE, 6, CHAIN_PAGES, BPF_TO(NO_FRAME)),
		BPF_COPY(1, 6),
		READ_PAGE(8, NO_FRAME),
		KEEP_PAGE(6, 8),
		BPF_LABEL(CALLER),
		BPF_LOAD(3, 9, OF(back)),
		BPF_IF(BPF_JGE, 3, DEEP_ARRAY, BPF_TO(ARRAY)),
		BPF_DO_REG(BPF_ADD, 3, 7),
		READ_WORD(WORD, NO_FRAME),
		BPF_LABEL(NEXT),
		BPF_STORE(9, OF(frame), 7),
		BPF_SET(0, 0),
		BPF_GO(BPF_TO(FRAME_END)),
		/* of an array: the next page up to its end, then the values' pages, the highest one first */
		BPF_LABEL(ARRAY),
		BPF_DO(BPF_AND, 7, -DEEP_PAGE),
		BPF_LOAD(1, 9, OF(values)),
		BPF_IF(BPF_JEQ, 1, 0, BPF_TO(DOWN)),
		BPF_DO(BPF_ADD, 7, DEEP_PAGE),
		BPF_IF_REG(BPF_JLT, 7, 3, BPF_TO(NEXT)),
		BPF_PUT(9, OF(values), 0),
		BPF_COPY(7, 1),
		BPF_LABEL(DOWN),
		BPF_DO(BPF_SUB, 7, 8),
		BPF_LOAD(1, 9, OF(base)),
		BPF_IF_REG(BPF_JGE, 7, 1, BPF_TO(NEXT)),
		BPF_LABEL(NO_FRAME),
		BPF_SET(0, 1),
		BPF_LABEL(FRAME_END),
		BPF_LEAVE,
	};
	struct bpf_insn code[sizeof table / sizeof *table];
	int buffers = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(struct buffer), ncpu, 0), program = -1;
	int stepped = bpf_map(BPF_MAP_TYPE_ARRAY, 8, STEPS, 0), chains = bpf_map(BPF_MAP_TYPE_ARRAY, 8, FRAMES, 0);
	const int map[] = { told, buffers, events, stepped, chains };
	const struct bpf_insn none = BPF_SET(8, 0);

	memcpy(code, table, sizeof code);
	code[LOADS_SP].off = perf_sp_at;
	if (!(code[LOADS_POINTER].off = thread_pointer_at()))
		code[LOADS_POINTER] = none;
	if (buffers >= 0 && stepped >= 0 && chains >= 0)
		program = bpf_program(BPF_PROG_TYPE_PERF_EVENT, code, sizeof code / sizeof *code, map, 0, "prof_deep");
	if (program < 0 && code[LOADS_POINTER].off) {   /* no struct member may begin there, after all */
		code[LOADS_POINTER] = none;
		program = bpf_program(BPF_PROG_TYPE_PERF_EVENT, code, sizeof code / sizeof *code, map, 0, "prof_deep");
	}
	for (unsigned i = 0; i < sizeof map / sizeof *map; i++)
		if (map[i] >= 0 && map[i] != told && map[i] != events)
			close(map[i]);
	return program;
}
