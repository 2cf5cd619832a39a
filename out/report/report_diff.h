/* Compares two profiles of one event: what grew, and what shrank.  Functions with the same text are the same.  It compares
 * shares of the total, so that the captures may have different lengths. */
#ifndef OUT_REPORT_REPORT_DIFF_H
#define OUT_REPORT_REPORT_DIFF_H

#include "lib/sink.h"
#include "report_rows.h"

enum { BEFORE, AFTER };

struct difference {
	struct words words;
	int64_t self[2], total[2]; /* shares, in parts of SHARE */
	int64_t key;               /* to sort by */
};
#define SHARE 1000000000

struct diff {
	struct rows rows[2];
	struct difference *item;
	uint32_t n, cap;
	uint64_t sum[2];           /* ns, or counts */
	const char *unit[2];       /* what is counted */
	bool time;
};

/* PROFILE[BEFORE] and PROFILE[AFTER] both have names, and one event.  False at the memory cap; call diff_free then, too. */
bool diff_open(struct diff *, const struct profile *const *profile);
void diff_free(struct diff *);

/* How much the total grew, in parts of SHARE; INT64_MAX if there was nothing before. */
int64_t diff_growth(const struct diff *);
void diff_write(struct sink *, struct diff *, const struct report *, const char *const *name);
/* Sets the profile's deltas, for pictures in red and blue; AFTER is the profile that diff_open got as PROFILE[AFTER]. */
bool diff_deltas(struct diff *, struct profile *after);

#endif
