/* A part of a profile: the stacks, threads and times that the user asks for. */
#ifndef OUT_PROFILE_FILTER_H
#define OUT_PROFILE_FILTER_H

#include "lib/regex.h"
#include "profile.h"

enum { FILTER_MAX = 8 };

struct filter {
	struct regex *focus[FILTER_MAX];    /* in a stack that stays, each matches the name of some function */
	struct regex *ignore[FILTER_MAX];   /* in a stack that stays, none of these matches */
	struct regex *thread[FILTER_MAX];   /* one of them matches the "comm pid/tid" of a thread that stays */
	unsigned nfocus, nignore, nthread;
	uint64_t from, to;                  /* ns since the capture's start, [from, to); to 0: until its end */
	uint64_t events;                    /* a bit for each that stays; 0: all of them */
};

/* Whether it leaves anything out. */
bool filter_any(const struct filter *);
/* Makes TO, whatever it held, the part of FROM that stays.  Both have names.  False at the memory cap. */
bool filter_copy(struct profile *to, const struct profile *from, const struct filter *);

#endif
