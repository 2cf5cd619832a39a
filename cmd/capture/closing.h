/* What prof says of a capture when it is over: the closing line, with -v what was lost and why, --stats as JSON. */
#ifndef CMD_CLOSING_H
#define CMD_CLOSING_H

#include "causes_words.h"
#include "collector.h"
#include "plan.h"

struct closing {
	const struct plan *plan;
	const struct collector *collector;
	const struct causes *causes;
	struct session_counts counts;
	const struct ladder *ladder;
	uint64_t elapsed;                /* ns of capture */
	bool kernel_visible;
	const char *events;              /* their names, with commas */
};

/* Tells the profile what is to be known about the capture, for the formats that show it. */
void closing_notes(const struct closing *, struct profile *);
void closing_line(const struct closing *);
/* NULL if it is well, else what went wrong. */
const char *closing_stats(const struct closing *, const char *file);

#endif
