/* Stacks that are deeper than the kernel's copy of them.  If prof may load a BPF program (root, Linux 5.15), that program
 * reads the rest right before the kernel writes the sample.  It puts the rest into the same ring, in parts, before the
 * sample.  It reads as far as earlier stacks in that place went; if prof knows none yet, it reads as far as there is
 * memory.  It goes on behind holes in them, and on the stacks before, as earlier walks did: see deep_program.h.
 *
 * With the ptrace engine the process that stops threads reads the rest of a stack, and an interpreter's frames, and writes them in the
 * same form. */
#ifndef SAMPLE_EVENTS_DEEP_STACK_H
#define SAMPLE_EVENTS_DEEP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/pieces.h"
#include "deep_program.h"
#include "ring.h"

/* What a sample's parts tell of the thread: its thread pointer, and where the word is that points to the interpreter's innermost
 * frame.  0: not known. */
struct deep_thread {
	uint64_t pointer, at;
};

struct deep {
	int program;                     /* the program for events that sample; 0: there is none (see deep_share) */
	int events;                      /* by CPU, the events that write parts */
	struct deep_told *told;          /* NULL: nobody reads more than the kernel's copy */
	struct deep_known {
		uint64_t wanted[1 << DEEP_HOLES];   /* pages that walks wanted, by deep_hole_place; in the lowest bits, when */
		uint32_t walks[1 << DEEP_REGIONS];  /* walks of stacks there that went beyond the kernel's copy */
		uint8_t patience[1 << DEEP_REGIONS];   /* how many times it may still read more there than prof needs */
	} *known;
	struct deep_cpu {
		int fd;                  /* its event */
		int32_t tid;             /* the thread that PIECES are of */
		uint64_t number;         /* number of the part to come */
		struct deep_thread thread;
		uint64_t pages;
		struct pieces pieces;
		struct piece *piece;
		uint8_t *bytes;
	} *cpu;                          /* by number */
	uint64_t *id;                    /* the ids of the events, by number */
	uint32_t ncpu;
	size_t room;                     /* bytes at CPU */
	uint64_t mean;                   /* bytes that came with samples lately, in sixteenths */
};

/* Loads the program, and opens an event for each of the N rings.  False if the kernel refuses. */
bool deep_open(struct deep *, const struct ring *, uint32_t n);
/* Instead of that: shares TOLD with a process that prof forks later.  That process gives parts as an event of that id, on CPU
 * 0. */
bool deep_share(struct deep *, uint64_t id);
void deep_close(struct deep *);
/* Tells the program how many bytes the kernel copies from now on.  While there are also events with shorter copies (MIXED), that
 * is as many as each of them copies: else pages between would be missing. */
void deep_copied(struct deep *, uint64_t bytes, bool mixed);
/* Limits how many bytes the program reads beyond the kernel's copy. */
void deep_beyond(struct deep *, uint64_t bytes);

/* Tells the program of a thread's chain of frames: see struct deep_chain. */
void deep_chain(struct deep *, int32_t tid, uint64_t at, uint64_t then, uint64_t back);
/* The same for a thread without a sample yet: what a process says of its threads, so it takes no other chain's place. */
void deep_chain_guess(struct deep *, int32_t tid, uint64_t at, uint64_t then, uint64_t back);

/* Tells the program of a word for all threads of a process: see struct deep_chain.  TID has no chain of its own any more. */
void deep_chains(struct deep *, int32_t pid, int32_t tid, uint64_t at);

/* Keeps a part until its sample comes. */
void deep_part(struct deep *, const struct record *);
/* Forgets what deep_part kept on that CPU.  Call it behind each sample and each loss there, because a part belongs to the next
 * sample of its ring or to none: the program writes parts right before the kernel writes the sample, and if there is no room for
 * one of them, a record in that place tells it. */
void deep_forget(struct deep *, uint32_t cpu);
/* Gives what deep_part kept for that sample, but only once: pages of the stack, and of those before it.  OF may be NULL. */
struct pieces deep_rest(struct deep *, const struct record *, struct deep_thread *of);
/* The number of bytes that the program reads with a sample. */
uint64_t deep_mean(const struct deep *);
/* Notes which N stacks a walk went through, and its NFRAME frames by their sp.  The first stack is COPY's, of which prof asked for COPIED
 * bytes; if the walk was CUT, the last stack has more. */
void deep_learn(struct deep *, const struct piece *copy, const struct pieces *, const struct walked *, unsigned n, const uint64_t *frame,
                unsigned nframe, bool cut);
/* The number of lost records that were parts. */
uint64_t deep_lost(const struct deep *);

#endif
