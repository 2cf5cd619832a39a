/* Compares what the unwinder made of a copy of a stack with the records of marked functions in it (mark.h). */
#ifndef TESTS_ACCURACY_TRUTH_H
#define TESTS_ACCURACY_TRUTH_H

#include <stdio.h>

#include "unwind/unwind.h"

enum { RECORDS_MAX = 4096 };

/* A marked frame, as it tells of itself. */
struct told {
	uint64_t at;               /* address of the record */
	uint64_t fn, ra, site, id;
	bool left;                 /* the function was done with it */
};

struct truth {
	struct modules *modules;
	struct codes *codes;
	struct unwinder *unwinder;
	struct arena arena;
	struct about *about;       /* by code */
	uint32_t abouts;
	struct tail *tail;         /* what lies outside of the outermost marked frame, as seen before */
	uint32_t tails, cap_tails;
	uint64_t excused;          /* stacks that do not hold the truth themselves (see truth.c) */
	/* Of the sample at hand. */
	struct space *space;
	const struct pieces *stack;
	uint64_t link;
	const struct arch *arch;   /* the reader sets it */
	const struct walk *walk;
	struct told told[RECORDS_MAX];
	uint32_t n, live;
	uint32_t at;               /* the frame where it went wrong, the deepest of all tries */
	const char *why;
};

/* Reads the records in the copy (all of it, however much the unwinder was given): pieces in the order in which a walk comes to
 * them, none of which overlap.  LINK: the register that calls leave
 * return addresses in, 0 where there is none. */
void truth_read(struct truth *, struct space *, const struct pieces *, uint64_t link);
/* NULL if the walk is right, else what is wrong with it, in words. */
const char *truth_check(struct truth *, const struct walk *);
/* The names of the walk and of the truth, and why the two differ. */
void truth_dump(struct truth *, FILE *);
/* Puts "function+0xoff" of a code into BUF. */
void truth_name(struct truth *, uint32_t code, char *buf, size_t n);

#endif
