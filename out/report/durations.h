/* Durations as text: a table with percentiles, and histograms. */
#ifndef OUT_REPORT_DURATIONS_H
#define OUT_REPORT_DURATIONS_H

#include "lib/histogram.h"
#include "lib/sink.h"

struct durations {
	const char *name;
	struct histogram ns;
};

/* Writes one line for each of N, in the order in which they come: those with the most time first. */
void durations_table(struct sink *, const struct durations *, uint32_t n);
/* Writes a line for each power of two, with a bar, and a mark where the percentiles are. */
void durations_chart(struct sink *, const struct durations *, unsigned width);
void durations_json(struct sink *, const struct durations *, uint32_t n);

#endif
