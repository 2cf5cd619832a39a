/* Stacks that are deeper than the kernel's copy of them.  Where prof may load one (root, Linux 5.15), a BPF program reads the
 * rest right before the kernel writes the sample, and puts it before that into the same ring, in parts.  It reads as far as
 * it was seen that stacks there go; where nothing is known yet, as far as there is memory. */
#ifndef SAMPLE_DEEP_H
#define SAMPLE_DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "ring.h"

/* A part of a stack, and all parts, bytes. */
enum { DEEP_PAGE = 4096, DEEP_PART = 15 * DEEP_PAGE, DEEP_PARTS = 4, DEEP_MOST = DEEP_PARTS * DEEP_PART };
/* Stacks whose addresses have these bits in common (log2) are one to the program; it tells so many of them apart (log2). */
enum { DEEP_REGION = 20, DEEP_REGIONS = 12 };
/* What the kernel copies where the program reads the rest. */
enum { DEEP_COPIED = 8 << 10 };

/* What the program is told. */
struct deep_told {
	uint64_t copied;                 /* by the kernel, from sp on */
	uint64_t most;                   /* bytes beyond that */
	uint64_t top[1 << DEEP_REGIONS]; /* where the stacks of a region end; 0: not known yet */
};

/* Of a stack: what was read beyond the kernel's copy. */
struct rest {
	uint64_t lo, size;
	const uint8_t *bytes;
};

struct deep {
	int program;                     /* for events that sample; 0: there is none */
	int events;                      /* by CPU, the events that write parts */
	struct deep_told *told;
	uint8_t patience[1 << DEEP_REGIONS];   /* so often more may still be read there than is needed */
	struct deep_cpu {
		int fd;                  /* its event */
		int32_t tid;             /* whose REST is */
		struct rest rest;
		uint8_t *bytes;
	} *cpu;                          /* by number */
	uint64_t *id;                    /* the same: of the events */
	uint32_t ncpu;
	size_t room;                     /* bytes at CPU */
	uint64_t mean;                   /* bytes that come with a sample, of late, in sixteenths */
};

/* Loads the program, and opens an event for each of the N rings.  False where that cannot be had. */
bool deep_open(struct deep *, const struct ring *, uint32_t n);
void deep_close(struct deep *);
/* From now on the kernel copies so much. */
void deep_copied(struct deep *, uint64_t bytes);
/* Less is to be read, or more again; false where there is no less or no more. */
bool deep_less(struct deep *);
bool deep_more(struct deep *);

/* Keeps a part until the sample that it is of. */
void deep_part(struct deep *, const struct record *);
/* What was kept for that sample, which follows upon SIZE bytes from SP on; each is given once. */
struct rest deep_rest(struct deep *, const struct record *, uint64_t sp, uint64_t size);
/* Bytes that are read with a sample. */
uint64_t deep_mean(const struct deep *);
/* How far the walk went of a stack that REST is of: USED bytes from SP on, and where it was CUT there is more. */
void deep_learn(struct deep *, uint64_t sp, const struct rest *, uint64_t used, bool cut);
/* Lost records that are parts. */
uint64_t deep_lost(const struct deep *);

#endif
