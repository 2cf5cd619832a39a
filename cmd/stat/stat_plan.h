/* What the user wants of `prof stat`. */
#ifndef CMD_STAT_STAT_PLAN_H
#define CMD_STAT_STAT_PLAN_H

#include "cmd/options/target_options.h"
#include "sample/events/event.h"

struct stat_plan {
	struct arena arena;
	struct target_options target;
	struct event event[EVENTS_MAX];
	unsigned nevent;
	unsigned detail;                 /* how many -d */
	uint64_t repeat;                 /* -r */
	uint64_t interval, duration;     /* ns; 0: none */
	bool no_inherit;
	enum { STAT_ALL, STAT_THREADS, STAT_CORES, STAT_CGROUPS } by;
	enum { STAT_TEXT, STAT_CSV, STAT_JSON } as;
	const char *separator;           /* -x */
	const char *output;              /* -o, or NULL */
};

extern const struct option stat_options[];
/* 0 on success, EXIT_HELP if the user wants help, else the exit status, after an error message. */
int stat_plan_read(struct stat_plan *, int argc, char **argv);

#endif
