/* Event names as perf spells them, to what the kernel is asked for.  Generic hardware, cache and software events, raw
 * rNNN and pmu/terms/; modifiers u and k (and p, accepted). */
#ifndef SAMPLE_EVENT_H
#define SAMPLE_EVENT_H

#include "lib/mem.h"

enum { EVENTS_MAX = 16 };

struct event {
	const char *name;        /* as the user wrote it, or as chosen */
	uint32_t type;           /* PERF_TYPE_* */
	uint64_t config, config1, config2;
	bool user, kernel;       /* which sides it counts */
	bool sides_given;        /* by a modifier: then they are not widened or narrowed silently */
	bool is_time;            /* counts nanoseconds of CPU: cpu-clock, task-clock */
	bool is_cycles;          /* sampled by time with -F: hardware cycles and clocks */
	bool waits;              /* one at each switch, with what tells of how long it is: see wait.h */
	int refused;             /* errno of the hardware cycles that it stands in for; 0: of none */
	bool wakes;              /* one at each waking: see wait.h */
	uint8_t precise;         /* how many p: attr.precise_ip, where the hardware has it */
};

/* Adds the events of LIST ("cycles:u,page-faults") to EVENT[*N]; strings go to the arena.  NULL if all is well, else what
 * is wrong, in words that name the event and the nearest known name. */
const char *event_parse(struct event *event, unsigned *n, const char *list, struct arena *);
/* The default: cycles where a PMU answers and really interrupts, else cpu-clock. */
struct event event_default(void);
/* Whether an event that opens on this machine also interrupts; events that spinning does not raise are believed. */
bool perf_event_interrupts(const struct event *);

#endif
