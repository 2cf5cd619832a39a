/* Stacks that are deeper than the kernel's copy of them.  Where prof may load one (root, Linux 5.15), a BPF program reads the
 * rest right before the kernel writes the sample, and puts it before that into the same ring, in parts.  It reads as far as
 * it was seen that stacks there go; where nothing is known yet, as far as there is memory. */
#ifndef SAMPLE_EVENTS_DEEP_STACK_H
#define SAMPLE_EVENTS_DEEP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "ring.h"

/* A part of a stack, and all parts, bytes. */
enum { DEEP_PAGE = RECORD_PAGE, DEEP_PART = 15 * DEEP_PAGE, DEEP_PARTS = 4, DEEP_MOST = DEEP_PARTS * DEEP_PART };
/* Stacks whose addresses have these bits in common (log2) are one to the program; it tells so many of them apart (log2). */
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
	uint64_t *id;                    /* the same: of the events */
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
/* Gives the bytes that were kept for that sample, which continue its SIZE bytes from SP on.  It gives them once. */
struct rest deep_rest(struct deep *, const struct record *, uint64_t sp, uint64_t size);
/* The number of bytes that the program reads with a sample. */
uint64_t deep_mean(const struct deep *);
/* Notes how far the walk of REST's stack went: USED bytes from SP on; if it was CUT, the stack has more. */
void deep_learn(struct deep *, uint64_t sp, const struct rest *, uint64_t used, bool cut);
/* The number of lost records that were parts. */
uint64_t deep_lost(const struct deep *);

#endif
