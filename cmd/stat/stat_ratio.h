/* What a count means beside the others: instructions per cycle, shares of misses, rates. */
#ifndef CMD_STAT_STAT_RATIO_H
#define CMD_STAT_STAT_RATIO_H

#include "sample/events/event.h"

/* Counts of one row, scaled, by event; NAN: not counted. */
struct stat_values {
	const struct event *event;
	const double *value;
	unsigned n;
	double seconds;            /* how long they counted */
};

/* The ratio of event E and what it is of, or NULL if there is none. */
const char *stat_ratio(const struct stat_values *, unsigned e, double *ratio);

#endif
