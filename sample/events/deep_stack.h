/* Stacks that are deeper than the kernel's copy of them.  If prof may load a BPF program (root, Linux 5.15), that program
 * reads the rest right before the kernel writes the sample.  It puts the rest into the same ring, in parts, before the
 * sample.  It reads as far as earlier stacks in that place went; if prof knows none yet, it reads as far as there is
 * memory. */
#ifndef SAMPLE_EVENTS_DEEP_STACK_H
#define SAMPLE_EVENTS_DEEP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "ring.h"

/* A part of a stack, and all parts, bytes. */
enum { DEEP_PAGE = RECORD_PAGE, DEEP_PART = 15 * DEEP_PAGE, DEEP_PARTS = 4, DEEP_MOST = DEEP_PARTS * DEEP_PART };
/* The program takes stacks for one stack if their addresses differ only in the lowest DEEP_REGION bits.  It distinguishes
 * 2^DEEP_REGIONS of them. */
enum { DEEP_REGION = 20, DEEP_REGIONS = 12 };

/* What prof tells the program. */
struct deep_told {
	uint64_t copied;                 /* by the kernel, from sp on */
	uint64_t most;                   /* bytes beyond that */
	uint64_t top[1 << DEEP_REGIONS]; /* where the stacks of a region end; 0: not known yet */
};

/* What the program read of a stack beyond the kernel's copy. */
struct rest {
	uint64_t lo, size;
	const uint8_t *bytes;
};

struct deep {
	int program;                     /* the program for events that sample; 0: there is none */
	int events;                      /* by CPU, the events that write parts */
	struct deep_told *told;
	uint8_t patience[1 << DEEP_REGIONS];   /* how many times it may still read more there than prof needs */
	struct deep_cpu {
		int fd;                  /* its event */
		int32_t tid;             /* whose REST is */
		struct rest rest;
		uint8_t *bytes;
	} *cpu;                          /* by number */
	uint64_t *id;                    /* the ids of the events, by number */
	uint32_t ncpu;
	size_t room;                     /* bytes at CPU */
	uint64_t mean;                   /* bytes that came with samples lately, in sixteenths */
};

/* Loads the program, and opens an event for each of the N rings.  False if the kernel refuses. */
bool deep_open(struct deep *, const struct ring *, uint32_t n);
void deep_close(struct deep *);
/* Tells the program how many bytes the kernel copies from now on. */
void deep_copied(struct deep *, uint64_t bytes);
/* Limits how many bytes the program reads beyond the kernel's copy. */
void deep_beyond(struct deep *, uint64_t bytes);

/* Keeps a part until its sample comes. */
void deep_part(struct deep *, const struct record *);
/* Gives the bytes that deep_part kept for that sample, but only once.  They continue the sample's own SIZE bytes from SP
 * on. */
struct rest deep_rest(struct deep *, const struct record *, uint64_t sp, uint64_t size);
/* The number of bytes that the program reads with a sample. */
uint64_t deep_mean(const struct deep *);
/* Notes how far the walk of REST's stack went: USED bytes from SP on; if it was CUT, the stack has more. */
void deep_learn(struct deep *, uint64_t sp, const struct rest *, uint64_t used, bool cut);
/* The number of lost records that were parts. */
uint64_t deep_lost(const struct deep *);

#endif
