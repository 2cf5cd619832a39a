/* What a report shows: which table, of what, and how much of it. */
#ifndef OUT_REPORT_REPORT_H
#define OUT_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/regex.h"

enum report_by {
	BY_FUNCTION, BY_MODULE, BY_LINE, BY_THREAD, BY_COMM,
	BY_NAME                    /* functions, whatever their module: to compare two profiles */
};

/* All zero: every function, by self and by total, and every thread. */
struct report {
	enum report_by by;
	bool tree;                 /* a call tree, from the outermost function on */
	const char *callers, *callees;   /* the function with the callers or callees to show, or NULL */
	struct regex *pattern;     /* the function's name as a pattern, used if no function has exactly that name */
	unsigned min;              /* rows with less are left out: hundredths of a percent */
	unsigned top, width;       /* rows and columns; 0: all */
	bool colour, bars, ascii;  /* ASCII: the terminal shows only ASCII */
	const uint64_t *before;    /* what each event weighed before filters, or NULL */
};

#endif
