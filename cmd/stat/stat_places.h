/* Where prof stat counts: the places of its target, and the rows that show them. */
#ifndef CMD_STAT_STAT_PLACES_H
#define CMD_STAT_STAT_PLACES_H

#include "sample/events/counters.h"
#include "stat_plan.h"

struct stat_rows {
	const char **name;         /* or NULL: one row without a name */
	uint32_t n, cap;
};

/* Adds the places; PID is the command's.  NULL, or what is wrong. */
const char *stat_places(struct stat_plan *, struct counters *, struct stat_rows *, int32_t pid);

#endif
