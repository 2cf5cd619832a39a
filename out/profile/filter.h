/* Part of a profile: stacks, threads and times that are asked for. */
#ifndef OUT_FILTER_H
#define OUT_FILTER_H

#include "lib/regex.h"
#include "profile.h"

enum { FILTER_MAX = 8 };

struct filter {
	struct regex *focus[FILTER_MAX];    /* in a stack that stays, each is found in some function's name */
	struct regex *ignore[FILTER_MAX];   /* and none of these */
	struct regex *thread[FILTER_MAX];   /* of a thread that stays, one is found in its "comm pid/tid" */
	unsigned nfocus, nignore, nthread;
	uint64_t from, to;                  /* ns since the capture's start, [from, to); to 0: until its end */
	uint64_t events;                    /* a bit for each that stays; 0: all of them */
};

/* Is there anything to leave out? */
bool filter_any(const struct filter *);
/* Makes TO, whatever it was, of what stays of FROM; FROM is named, and so is TO then.  False at the memory cap. */
bool filter_copy(struct profile *to, const struct profile *from, const struct filter *);

#endif
