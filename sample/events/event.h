/* From event names, as perf spells them, to what prof asks the kernel for: generic hardware, cache and software events, raw
 * rNNN, pmu/terms/, breakpoints, tracepoints; groups and modifiers.  Each kind of name is a file: event_kind.h. */
#ifndef SAMPLE_EVENTS_EVENT_H
#define SAMPLE_EVENTS_EVENT_H

#include "lib/mem.h"
#include "trace_format.h"

/* EVENTS_MAX: a glob of tracepoints may stand for hundreds.  WEIGHTS_MAX: a profile keeps so many apart. */
enum { EVENTS_MAX = 512, WEIGHTS_MAX = 14 };

struct growth;
struct perf_event_attr;
struct probe;

struct event {
	const char *name;        /* as the user wrote it, or as chosen */
	uint32_t type;           /* PERF_TYPE_* */
	uint64_t config, config1, config2;
	bool user, kernel;       /* which sides it counts */
	bool sides_given;        /* the user gave them by a modifier, so prof does not change them silently */
	bool is_time;            /* counts nanoseconds of CPU: cpu-clock, task-clock */
	bool is_cycles;          /* sampled by time with -F: hardware cycles and clocks */
	bool waits;              /* a sample at each switch, with the records that tell the wait's length: see switch_event.h */
	int refused;             /* the errno of hardware cycles, if this event replaces them; 0: it replaces nothing */
	bool wakes;              /* a sample at each waking: see switch_event.h */
	bool slow;               /* a program of prof latency gives its samples, one for each slow call: see latency_code.h */
	uint8_t precise;         /* how many p: attr.precise_ip, where the hardware has it */
	bool no_hv;              /* the user gave u or k, and did not give h */
	bool exclude_host, exclude_guest, exclude_idle, pinned;   /* G, H, I, D */
	bool each;               /* each occurrence is a sample, unless -c or -F is given: tracepoints, probes */
	uint8_t weight;          /* the number of the list's entry that it came from: a glob is one */
	uint8_t group;           /* events of a group have the same number; 0: none */
	uint32_t bp_type;        /* of a breakpoint; its address and length are config1 and config2 */
	uint64_t period, freq;   /* of its own, instead of -c and -F; 0: none */
	const char *filter;      /* --filter: the kernel's, of a tracepoint; or NULL */
	const char *entry;       /* as the list names it, if that is a glob; or NULL */
	const char *system;      /* of a tracepoint; its name follows the system's NUL; else NULL */
	struct trace_field leaf; /* --leaf: the field of a tracepoint that its samples show; size 0: none */
	const struct probe *probe;   /* prof has yet to find its file and place: see probe_events.h; or NULL */
	bool no_heir;            /* a probe: the kernel would read its file's path again in the memory of whoever forks, and the fork would fail */
	bool no_kernel_chain;    /* the kernel must not walk its own stack at this probe */
	const char *probe_leaf;  /* --leaf: the argument at the probe that its samples show, in words, */
	const struct probe_arg *arg;   /* and that argument once prof knows its place; or NULL */
	const struct probe_arg *weigh;   /* the argument that a sample weighs, as bytes of memory do, instead of 1; or NULL */
	const struct probe_arg *allocates, *frees;   /* the argument that is the address of that memory, or of memory that is given back; or NULL */
	const struct growth *growth;   /* it samples what makes processes larger: see growth_event.h; or NULL */
	const char *cpus;        /* the PMU counts on these CPUs for all; or NULL */
	const char *unit;        /* what a count means, if sysfs says so: SCALE of these; or NULL */
	double scale;
};

/* Why this user cannot open the event here: tries it on prof itself.  NULL if it opens. */
const char *event_try(const struct event *);
/* What prof asks the kernel for; the caller adds when and how samples come. */
void event_attr(const struct event *, struct perf_event_attr *);
/* Opens it with these attributes, as perf_open does, with its filter. */
int event_open(const struct event *, struct perf_event_attr *, int32_t tid, int32_t cpu, int group, unsigned long flags);
/* The default event: cycles if a PMU answers and really interrupts, else cpu-clock. */
struct event event_default(void);
/* Whether an event that opens on this machine also interrupts.  It does not try events that spinning does not raise; these
 * count as good. */
bool perf_event_interrupts(const struct event *);

#endif
