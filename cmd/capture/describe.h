/* Notes the target and the events in the profile, before samples come. */
#ifndef CMD_CAPTURE_DESCRIBE_H
#define CMD_CAPTURE_DESCRIBE_H

#include "plan.h"

/* FREQ: samples a second, or 0. */
void describe(struct profile *, const struct plan *, uint64_t freq);
/* The events' names with commas. */
void describe_events(const struct plan *, char *text, size_t size);

#endif
