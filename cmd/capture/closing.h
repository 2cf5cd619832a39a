/* What prof says at the end of a capture: the closing lines, with -v what was lost and why, and --stats as JSON. */
#ifndef CMD_CAPTURE_CLOSING_H
#define CMD_CAPTURE_CLOSING_H

#include "causes_words.h"
#include "collector.h"
#include "plan.h"
#include "why_empty.h"

struct closing {
	const struct plan *plan;
	const struct collector *collector;
	const struct causes *causes;
	struct session_counts counts;
	const struct ladder *ladder;
	uint64_t elapsed;                /* ns of capture */
	bool kernel_visible;
	const char *events;              /* their names, with commas */
	const struct children *children;    /* that the capture left out: see why_empty.h */
	bool over;                       /* the target has ended */
};

/* Notes facts about the capture in the profile, for the formats that show them. */
void closing_notes(const struct closing *, struct profile *);
void closing_line(const struct closing *);
/* NULL on success, else what went wrong. */
const char *closing_stats(const struct closing *, struct output *, struct place_words *);

#endif
