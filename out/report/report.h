/* Profiles as text for people: which table, of what, how much of it. */
#ifndef OUT_REPORT_H
#define OUT_REPORT_H

#include "lib/regex.h"
#include "lib/sink.h"
#include "out/profile/profile.h"

enum report_by {
	BY_FUNCTION, BY_MODULE, BY_LINE, BY_THREAD, BY_COMM,
	BY_NAME                    /* functions, whatever their module: to compare two profiles */
};

/* All zero: every function, by self and by total, and every thread. */
struct report {
	enum report_by by;
	bool tree;                 /* who calls whom, from the outermost on */
	const char *callers, *callees;   /* a function of which that is shown, or NULL */
	struct regex *pattern;     /* of that function's name, where none is called just so */
	unsigned min;              /* what is less than that is left out: hundredths of a percent */
	unsigned top, width;       /* rows and columns; 0: all */
	bool colour, bars;
	const uint64_t *before;    /* what each event weighed before filters, or NULL */
};

void report_write(struct sink *, const struct profile *, const struct report *);

#endif
