/* Event names as perf spells them, to what the kernel is asked for.  Generic hardware, cache and software events, raw
 * rNNN and pmu/terms/; modifiers u and k (and p, accepted). */
#ifndef SAMPLE_EVENTS_EVENT_H
#define SAMPLE_EVENTS_EVENT_H

#include "lib/mem.h"

enum { EVENTS_MAX = 16 };

struct event {
	const char *name;        /* as the user wrote it, or as chosen */
	uint32_t type;           /* PERF_TYPE_* */
	uint64_t config, config1, config2;
	bool user, kernel;       /* which sides it counts */
	bool sides_given;        /* the user gave them by a modifier, so prof does not change them silently */
	bool is_time;            /* counts nanoseconds of CPU: cpu-clock, task-clock */
	bool is_cycles;          /* sampled by time with -F: hardware cycles and clocks */
	bool waits;              /* a sample at each switch, with the records that tell the wait's length: see switch_event.h */
	int refused;             /* the errno of hardware cycles, which it replaces; 0: it replaces nothing */
	bool wakes;              /* a sample at each waking: see switch_event.h */
	uint8_t precise;         /* how many p: attr.precise_ip, where the hardware has it */
};

/* The Ith of the generic names, of hardware and software, or NULL. */
const char *event_generic(unsigned i);
/* Adds the events of LIST ("cycles:u,page-faults") to EVENT[*N]; strings go to the arena.  NULL if all is well, else what
 * is wrong, in words that name the event and the nearest known name. */
const char *event_parse(struct event *event, unsigned *n, const char *list, struct arena *);
/* The default event: cycles if a PMU answers and really interrupts, else cpu-clock. */
struct event event_default(void);
/* Whether an event that opens on this machine also interrupts.  It is not tried with events that spinning does not raise; these
 * count as good. */
bool perf_event_interrupts(const struct event *);

#endif
