/* How prof stat shows counts: perf stat's text, fields with a separator, or JSON. */
#ifndef CMD_STAT_STAT_TEXT_H
#define CMD_STAT_STAT_TEXT_H

#include "lib/sink.h"
#include "sample/events/counters.h"
#include "stat_plan.h"

/* All that one line tells. */
struct stat_line {
	const char *time;          /* with -I, or NULL */
	const char *row;           /* the row that has the counts, or NULL */
	const struct event *event;
	bool supported, counted;
	double value;              /* scaled to the whole time */
	double deviation;          /* with -r: of the mean, in percent; else negative */
	uint64_t running;          /* ns */
	double share;              /* of the time in which it counted, in percent */
	double ratio;
	const char *of;            /* what RATIO is of, or NULL */
};

void stat_text_line(struct sink *, const struct stat_plan *, const struct stat_line *);
/* The event's name in a line: it shows that the kernel side is not counted. */
void stat_text_name(char *name, size_t size, const struct event *);

#endif
