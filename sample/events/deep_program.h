/* The BPF program that reads stacks beyond the kernel's copy, in the interrupt, before the kernel writes the sample: what prof
 * tells it, and what it writes.  It reads page by page.  It may go on behind pages that are not there (an array that the
 * program never touched), and on the stack that the thread was on before (a signal handler's, a coroutine's). */
#ifndef SAMPLE_EVENTS_DEEP_PROGRAM_H
#define SAMPLE_EVENTS_DEEP_PROGRAM_H

#include <stdint.h>

#include "record.h"

/* A part, and all parts of a sample, bytes; DEEP_STOPPED: if a thread must stand still for them. */
enum { DEEP_PAGE = RECORD_PAGE, DEEP_PART_PAGES = 15, DEEP_PART = DEEP_PART_PAGES * DEEP_PAGE, DEEP_MOST = 12 * DEEP_PART, DEEP_STOPPED = 4 * DEEP_PART };
/* Pages of the kernel's own copy that the program reads again if it reads all from sp on; and all bytes of a sample, with a part for an
 * interpreter's frames. */
enum { DEEP_AGAIN = 3, DEEP_ROOM = DEEP_PART + DEEP_MOST + DEEP_AGAIN * DEEP_PAGE };
/* The program takes stacks for one stack if their addresses differ only in the lowest DEEP_REGION bits.  It distinguishes
 * 2^DEEP_REGIONS of them.  If prof has told it how to go on, it distinguishes stacks of DEEP_NEAR bits first. */
enum { DEEP_REGION = 20, DEEP_REGIONS = 12, DEEP_NEAR = 13, DEEP_HOLES = 12, DEEP_CHAINS = 12 };

/* What a region's TOP tells besides, in its lowest bits: the kernel's copy is short, so the program must read all from sp on;
 * there is another stack behind it; pages may be missing. */
enum { DEEP_EARLY = 1, DEEP_TURNS = 2, DEEP_HOLED = 4, DEEP_FLAGS = 7 };

/* Pages that were not there, or that no walk wants: parts of a large array. */
struct deep_hole {
	uint64_t lo, hi;
};

/* The innermost frame of a thread's interpreter: the word at AT points to it, or (unless THEN is DEEP_NO_THEN) the word THEN
 * bytes behind that place does.  BACK bytes behind a frame is a pointer to its caller's frame.  The program copies their
 * pages.
 *
 * If BACK is an address (DEEP_ARRAY and above), the frames are an array that ends there.  They have values besides, from THEN up to
 * where the second word of the innermost frame points to: the program copies the pages of these, too, from there down.
 *
 * If TID is the number of a process, negated, the chain is for all its threads that have no own one.  Each has a pointer to its state,
 * AT bytes from the thread pointer.  A state begins with three words: where the memory for values and frames begins, its size in
 * words, and the innermost frame. */
struct deep_chain {
	uint64_t tid, at, then, back;
};
#define DEEP_NO_THEN UINT64_MAX
enum { DEEP_ARRAY = 1 << 16 };

/* What prof tells the program.  Nothing in it makes a walk wrong: it says only where to read. */
struct deep_told {
	uint64_t copied;                  /* bytes that the kernel copies, from sp on */
	uint64_t most;                    /* bytes to read beyond that at most */
	uint64_t tries;                   /* how many missing pages it may try where prof does not know the stacks yet */
	uint64_t chains;                  /* 1: there are some */
	uint64_t top[1 << DEEP_REGIONS];  /* where the stacks of a region end, and flags; 0: not known yet */
	uint64_t turn[2 << DEEP_REGIONS]; /* the address of the word that tells the sp of the stack before; by DEEP_NEAR, then by region */
	struct deep_chain chain[1 << DEEP_CHAINS];   /* by the lowest bits of TID */
	struct deep_hole hole[1 << DEEP_HOLES];   /* by LO */
};

/* A part as it is written: the pages' addresses, then how many parts of the sample came before, and the thread pointer (0: not known).
 * If the first page of a sample is that of a chain's AT, its address is AT | 1 (here AT is always an address). */
struct deep_head {
	uint64_t page[DEEP_PART_PAGES], number, thread;
};

/* The index in HOLE of a hole that begins at LO.  The index of a stack in TOP, or in TURN by bits of DEEP_NEAR or
 * DEEP_REGION. */
uint32_t deep_place(uint64_t sp, unsigned bits);
uint32_t deep_hole_place(uint64_t lo);

/* Loads the program; TOLD and EVENTS are maps of it, it writes for NCPU CPUs.  -1 with errno. */
int deep_load(int told, int events, uint32_t ncpu);

#endif
